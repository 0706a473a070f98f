"""Another embedding model in the settings of a house that is indexed.

Public report R07: retrieval broke with an error about 768 and 384 dimensions, and so did the
reindexing that should have mended it; with equal dimensions vectors of two models were mixed in
silence.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from salon.testing.model_server import DIMENSIONS, ModelServer
from tests.surfaces.conftest import StartServer
from tests.surfaces.running import PATIENCE, salon
from tests.surfaces.test_while_indexing import index, long_text, progress_of
from tests.surfaces.texts import KEEPER_LETTERS, KEEPER_LOG

pytestmark = [pytest.mark.models, pytest.mark.crash]

QUESTION = "How long does bread made with salt water keep?"
FIRST, OTHER_SIZE, SAME_SIZE = "http:first", "minilm", "http:third"


class Keeper:
    """A keeper's house, used by the command line with one embedder or another."""

    def __init__(self, home: Path, models: Path, embeddings: ModelServer) -> None:
        self.home, self.models = home, models
        self.folder = home / "house"
        self.sources = self.folder / "personas/maren/sources"
        self._url = embeddings.openai_url

    def settings(self, embedder: str) -> dict[str, str]:
        return {
            "SALON_EMBEDDER": embedder,
            "SALON_BACKENDS_HTTP_URL": self._url,
            "SALON_MODELS_CHAT": "none",
        }

    def run(self, embedder: str, *arguments: str | Path) -> tuple[int, str, str]:
        done = salon(
            "--house", self.folder, *arguments,
            home=self.home, models=self.models, **self.settings(embedder),
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def ask(self, embedder: str) -> dict[str, Any]:
        code, out, err = self.run(embedder, "ask", "maren", QUESTION, "--json")
        assert code == 0, err
        return dict(json.loads(out))

    def is_refused(self, embedder: str, built_with: str) -> None:
        code, out, err = self.run(embedder, "ask", "maren", QUESTION)
        assert (code, out) == (5, "")
        assert f"the index was built with {built_with}" in err
        assert f"the embedder in use is {embedder}" in err
        assert "index maren --rebuild`" in err

    def manifest(self) -> dict[str, Any]:
        folder = self.folder / "index/maren"
        current = (folder / "current").read_text().strip()
        return dict(json.loads((folder / current / "manifest.json").read_text())["embedder"])


@pytest.fixture
def keeper(tmp_path: Path, models_dir: Path):
    with ModelServer() as embeddings:
        keeper = Keeper(tmp_path, models_dir, embeddings)
        (tmp_path / "files").mkdir()
        (tmp_path / "files/log.txt").write_text(KEEPER_LOG, encoding="utf-8")
        (tmp_path / "files/letters.txt").write_text(KEEPER_LETTERS, encoding="utf-8")
        code, _, err = keeper.run(FIRST, "new", "maren", "--from", tmp_path / "files")
        assert code == 0, err
        yield keeper


def test_an_index_is_of_one_embedder_and_another_is_refused_until_it_is_built_again(
    keeper: Keeper, start_server: StartServer
) -> None:
    made_with = keeper.manifest()
    assert (made_with["name"], made_with["dimensions"]) == (FIRST, DIMENSIONS)
    assert made_with["metric"] == "cosine"
    before = {hit["id"] for hit in keeper.ask(FIRST)["passages"]}

    keeper.is_refused(OTHER_SIZE, FIRST)
    keeper.is_refused(SAME_SIZE, FIRST)
    server = start_server(keeper.folder, **keeper.settings(SAME_SIZE))
    refused = httpx.post(f"{server.address}/api/query", json={"question": QUESTION}, timeout=60)
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "index_mismatch"
    assert "salon index maren --rebuild" in refused.json()["error"]["cure"]

    # A document is added, and the reindexing that it needs is interrupted half way.
    (keeper.sources / "tides.txt").write_text(long_text(150_000))
    building = index(keeper.folder, keeper.home, keeper.models, **keeper.settings(OTHER_SIZE))
    assert progress_of(building, "embed")
    building.send_signal(signal.SIGINT)
    _, said = building.communicate(timeout=PATIENCE)
    assert building.returncode == 130, said
    assert keeper.manifest() == made_with
    assert {hit["id"] for hit in keeper.ask(FIRST)["passages"]} == before
    keeper.is_refused(OTHER_SIZE, FIRST)

    # The one command, to its end; a shorter document will do.
    (keeper.sources / "tides.txt").write_text("The tides of Skerry are two a day.")
    code, _, err = keeper.run(OTHER_SIZE, "index", "maren", "--rebuild")
    assert code == 0, err
    assert keeper.manifest()["dimensions"] == 384
    answer = keeper.ask(OTHER_SIZE)
    assert "nine days" in answer["answer"]
    assert "tides.txt" in {hit["source"] for hit in answer["passages"]}
    keeper.is_refused(FIRST, OTHER_SIZE)
