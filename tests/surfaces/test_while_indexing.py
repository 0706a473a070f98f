"""Indexing is another process's work: a server goes on answering, and Ctrl-C loses nothing.

Public report R09: a large file was read and embedded on the server's event loop, so that every
other request hung, health checks among them, until the process was killed. Here the work has a
process of its own, which shows its progress and stops at Ctrl-C; a job that a server starts, with
an id, comes later.
"""

from __future__ import annotations

import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from salon.testing.model_server import SLOW, ModelServer
from tests.surfaces.conftest import StartServer
from tests.surfaces.running import PATIENCE, SALON, environment, heed_ctrl_c, salon
from tests.surfaces.test_models_failing import settings

pytestmark = [pytest.mark.models, pytest.mark.crash]

QUERY = {"persona": "maren", "question": "How long does bread made with salt water keep?"}


WORDS = ["tide", "lantern", "rope", "salt", "gull", "harbour", "oil", "wick", "storm", "rye"]
LARGE = 5_000_000
TOKENS = 40
BETWEEN_POLLS = SLOW.delay
"""Seconds, as many as between two tokens of the model."""


def long_text(characters: int) -> str:
    """Paragraphs that all differ, so that none is taken for a copy of another."""
    draw = random.Random(7)
    text, number = "", 0
    while len(text) < characters:
        number += 1
        text += " ".join(
            f"In year {number} the {draw.choice(WORDS)} met the {draw.choice(WORDS)} again."
            for _ in range(12)
        )
        text += "\n\n"
    return text


@contextmanager
def polled(address: str) -> Iterator[list[int]]:
    """Asks for the health of a server again and again, beside the block; the statuses so far."""
    statuses: list[int] = []
    end = threading.Event()

    def poll() -> None:
        while not end.wait(BETWEEN_POLLS):
            statuses.append(httpx.get(f"{address}/healthz", timeout=5).status_code)

    with ThreadPoolExecutor(1) as pool:
        polling = pool.submit(poll)
        try:
            yield statuses
        finally:
            end.set()
        polling.result()


def progress_of(building: subprocess.Popen[str], stage: str) -> str:
    """The first line of progress of a stage, beyond its beginning."""
    assert building.stderr is not None
    for line in building.stderr:
        if line.startswith(f"{stage}:") and not line.endswith("  0 %\n"):
            return line
    raise AssertionError(f"indexing ended without {stage}")


def index(house: Path, home: Path, models: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SALON, "--house", house, "index", "maren"],
        env=environment(home, SALON_MODELS=str(models), **more),
        preexec_fn=heed_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_health_answers_and_tokens_flow_while_an_index_is_built(
    house: Path, tmp_path: Path, models_dir: Path, start_server: StartServer
) -> None:
    """Public report R09, with a text of 5 MB."""
    (house / "personas/maren/sources/tides.txt").write_text(long_text(LARGE))
    with ModelServer(SLOW) as model:
        server = start_server(house, **settings(model))
        address = f"{server.address}/api/query"
        with (
            httpx.stream("POST", address, json={**QUERY, "stream": True}, timeout=60) as answer,
            polled(server.address) as healthy,
        ):
            lines = answer.iter_lines()
            building = index(house, tmp_path, models_dir)
            for _ in range(TOKENS):
                assert any(line.startswith("event: token") for line in lines)
            assert building.poll() is None, building.communicate()
            # So many fit between the tokens only if each took less than the pause before it.
            assert len(healthy) >= TOKENS / 2
            assert set(healthy) == {200}
        assert progress_of(building, "read")
        building.send_signal(signal.SIGINT)
        _, said = building.communicate(timeout=PATIENCE)
    assert building.returncode == 130, said
    assert "goes on from there" in said
    assert "Traceback" not in said
    after = salon(
        "--house", house, "ask", "maren", QUERY["question"], "--no-model",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert "nine days" in after.stdout


def test_a_running_server_answers_from_the_new_index(
    house: Path, tmp_path: Path, models_dir: Path, start_server: StartServer
) -> None:
    server = start_server(house, SALON_MODELS_CHAT="none")
    address = f"{server.address}/api/query"
    asked = {"persona": "maren", "question": "What is the name of the new dog on the rock?"}
    assert "dog.txt" not in httpx.post(address, json=asked, timeout=60).json()["sources"]
    (house / "personas/maren/sources/dog.txt").write_text(
        "The new dog on the rock came in May. The name of the dog is Bosun, and he fears the goat."
    )
    done = salon("--house", house, "index", "maren", home=tmp_path, models=models_dir)
    assert done.returncode == 0, done.stderr
    assert "dog.txt" in httpx.post(address, json=asked, timeout=60).json()["sources"]
