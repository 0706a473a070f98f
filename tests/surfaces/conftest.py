"""A house with two personas, built once by the real command line, and servers over it."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.surfaces.running import PATIENCE, SALON, environment, heed_ctrl_c, salon
from tests.surfaces.texts import KEEPER_LETTERS, KEEPER_LOG, POTTER_NOTES

SECRET = "correct horse battery staple"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A house with `maren` and `陶工`, indexed. Tests that change a house take `house`."""
    home = tmp_path_factory.mktemp("built")
    for folder, files in (
        ("maren-files", {"log.txt": KEEPER_LOG, "letters.txt": KEEPER_LETTERS}),
        ("potter-files", {"notes.txt": POTTER_NOTES}),
    ):
        (home / folder).mkdir()
        for name, text in files.items():
            (home / folder / name).write_text(text, encoding="utf-8")
    for name, folder in (("maren", "maren-files"), ("陶工", "potter-files")):
        made = salon(
            "--house", "house", "new", name, "--from", folder, home=home, models=models_dir
        )
        assert made.returncode == 0, made.stderr
    return home / "house"


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Path:
    """A copy of the house for one test."""
    return Path(shutil.copytree(built, tmp_path / "house"))


@dataclass
class Server:
    """A `salon serve` process; `log` is its standard error."""

    address: str
    process: subprocess.Popen[str]
    log: Path

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


StartServer = Callable[..., Server]


@contextmanager
def servers(home: Path, models: Path) -> Iterator[StartServer]:
    """Starts `salon serve` on free ports; whatever runs at the end of the block is stopped."""
    running: list[Server] = []

    def start(folder: Path, *arguments: str, **more: str) -> Server:
        log = home / f"server-{len(running)}.log"
        with log.open("w") as stderr:
            process = subprocess.Popen(
                [SALON, "--house", folder, "serve", "--port", "0", *arguments],
                stdout=subprocess.PIPE,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
                text=True,
                env=environment(home, SALON_MODELS=str(models), **more),
                preexec_fn=heed_ctrl_c,
            )
        assert process.stdout is not None
        line = process.stdout.readline()
        if " at http" not in line:
            process.kill()
            raise AssertionError(f"no server: {line!r}\n{log.read_text()}")
        running.append(Server(line.rsplit(" at ", 1)[1].strip(), process, log))
        return running[-1]

    try:
        yield start
    finally:
        for server in running:
            if server.process.poll() is None:
                server.stop()


@pytest.fixture
def start_server(tmp_path: Path, models_dir: Path) -> Iterator[StartServer]:
    with servers(tmp_path, models_dir) as start:
        yield start


@pytest.fixture(scope="session")
def server(
    built: Path, tmp_path_factory: pytest.TempPathFactory, models_dir: Path
) -> Iterator[Server]:
    """One server for all tests that change nothing; it answers in own words, each time the same."""
    with servers(tmp_path_factory.mktemp("server"), models_dir) as start:
        yield start(built, SALON_MODELS_CHAT="none")
