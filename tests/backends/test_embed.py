from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from salon.backends.embed import MiniLM, register
from salon.errors import (
    ConfigError,
    InputError,
    ModelFileError,
    ModelUnavailable,
    NotFoundError,
)
from salon.model_files import path_of
from salon.plugins import Plugins
from salon.ports import BackendContext, Embedder
from salon.testing.contracts import EmbedderContract, TokenEmbedderContract
from salon.testing.fakes import HashEmbedder, HashTokenEmbedder
from salon.testing.model_server import (
    DIMENSIONS,
    FAILS,
    HANGS,
    LIMITED,
    UNAUTHORISED,
    Behaviour,
    ModelServer,
)


def _made(spec: str, options: dict[str, str], models_dir: Path = Path("nowhere")) -> Embedder:
    plugins = Plugins()
    register(plugins)
    kind, _, model = spec.partition(":")
    return plugins.embedder_factory(kind)(model, BackendContext(models_dir, options, fetch=False))


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()


@pytest.fixture(scope="module")
def minilm(models_dir: Path) -> Iterator[Embedder]:
    embedder = _made("minilm", {}, models_dir)
    yield embedder
    embedder.close()


@pytest.mark.models
class TestHashTokenEmbedder(TokenEmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashTokenEmbedder:
        return HashTokenEmbedder()


class TestMiniLM(TokenEmbedderContract):
    tolerance = 0.0  # not one bit depends on the other texts

    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm

    def test_meaning_brings_texts_together(self, minilm: Embedder) -> None:
        passages = minilm.embed(
            [
                "The lighthouse at the cape was electrified after a storm burned its oil store.",
                "Sourdough rises because wild yeast ferments the dough.",
                "Refunds go to the original card within five working days.",
            ]
        )
        questions = minilm.embed(
            [
                "when did the beacon switch to electric light?",
                "why does homemade bread puff up",
                "when do I get my money back",
            ],
            "query",
        )
        assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]

    def test_pieces_cover_what_is_written(self, minilm: Embedder) -> None:
        text = "Lighthousekeepers, in Héloïse’s day."
        spans = minilm.pieces(text)
        covered = set().union(*(range(start, end) for start, end in spans))
        assert {i for i, letter in enumerate(text) if not letter.isspace()} <= covered

    def test_half_a_surrogate_pair_is_refused(self, minilm: Embedder) -> None:
        with pytest.raises(InputError, match="surrogate"):
            minilm.embed(["\ud83d alone"])

    def test_can_be_used_after_closing(self, models_dir: Path) -> None:
        embedder = MiniLM(BackendContext(models_dir, {}))
        before = embedder.embed(["the sea"])
        embedder.close()
        np.testing.assert_array_equal(embedder.embed(["the sea"]), before)
        embedder.close()


def test_minilm_without_its_files_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="salon models get minilm-tokenizer"):
        _made("minilm", {}, tmp_path).embed(["x"])


@pytest.mark.models
def test_minilm_refuses_a_damaged_model(models_dir: Path, tmp_path: Path) -> None:
    for name in ("minilm-tokenizer", "minilm-int8"):
        copy = path_of(tmp_path, name)
        copy.parent.mkdir()
        data = bytearray(path_of(models_dir, name).read_bytes())
        if name == "minilm-int8":
            data[1000] ^= 1
        copy.write_bytes(data)
    with pytest.raises(ModelFileError, match="salon models get minilm-int8"):
        _made("minilm", {}, tmp_path).embed(["x"])


@pytest.mark.models
@pytest.mark.parametrize("name", ["minilm-tokenizer", "minilm-int8"])
def test_minilm_names_a_file_that_was_damaged_after_it_was_checked(
    models_dir: Path, tmp_path: Path, name: str
) -> None:
    """A disk that fails changes bytes, and neither size nor time: only loading finds out."""
    for each in ("minilm-tokenizer", "minilm-int8"):
        path_of(tmp_path, each).parent.mkdir()
        path_of(tmp_path, each).write_bytes(path_of(models_dir, each).read_bytes())
    with closing(_made("minilm", {}, tmp_path)) as whole:
        whole.embed(["x"])
    path = path_of(tmp_path, name)
    status = path.stat()
    path.write_bytes(b"\xff" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(ModelFileError, match="cannot be loaded") as raised:
        _made("minilm", {}, tmp_path).embed(["x"])
    assert raised.value.cure == f"delete it, then run `salon models get {name}`"


def test_minilm_knows_no_other_model() -> None:
    with pytest.raises(NotFoundError, match="minilm:large"):
        _made("minilm:large", {})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


class TestHttpEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: ModelServer) -> Iterator[Embedder]:
        embedder = _made("http:nomic-embed-text", {"url": server.openai_url, "batch": "2"})
        yield embedder
        embedder.close()


class TestOpenAIEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: ModelServer) -> Iterator[Embedder]:
        options = {"url": server.openai_url, "api_key": "k", "dimensions": str(DIMENSIONS)}
        embedder = _made("openai", options)
        yield embedder
        embedder.close()


def _http(server: ModelServer, **options: str) -> Embedder:
    return _made("http:nomic-embed-text", {"url": server.openai_url, **options})


def test_dimensions_are_asked_from_the_server(server: ModelServer) -> None:
    assert _http(server).id.dimensions == DIMENSIONS
    assert len(server.requests) == 1


def test_openai_has_its_dimensions_without_asking() -> None:
    embedder = _made("openai", {"api_key": "k"})
    assert (embedder.id.name, embedder.id.dimensions) == ("openai:text-embedding-3-small", 1536)


def test_key_and_prefixes_are_sent(server: ModelServer) -> None:
    embedder = _http(
        server, api_key="secret", query_prefix="search_query: ", passage_prefix="search_document: "
    )
    embedder.embed(["a lamp"])
    embedder.embed(["which lamp?"], "query")
    assert server.requests[-1].headers["authorization"] == "Bearer secret"
    assert server.requests[-1].body["input"] == ["search_query: which lamp?"]
    assert server.requests[-2].body["input"] == ["search_document: a lamp"]


def test_prefixes_make_another_embedder(server: ModelServer) -> None:
    plain, prefixed = _http(server), _http(server, query_prefix="search_query: ")
    assert plain.id.name != prefixed.id.name


def test_texts_go_in_batches(server: ModelServer) -> None:
    _http(server, batch="3", dimensions=str(DIMENSIONS)).embed(["one"] * 7)
    assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]


def test_vectors_of_any_length_are_scaled_to_one(server: ModelServer) -> None:
    server.behave(Behaviour(vectors="long"))
    lengths = np.linalg.norm(_http(server).embed(["a lamp", "a ship"]), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)


@pytest.mark.parametrize("vectors", ["zero", "nan"])
def test_vectors_without_direction_are_refused(server: ModelServer, vectors: str) -> None:
    server.behave(Behaviour(vectors=vectors))  # type: ignore[arg-type]
    with pytest.raises(ModelUnavailable, match="zero or not numbers"):
        _http(server).embed(["a lamp"])


def test_other_dimensions_than_stated_are_refused(server: ModelServer) -> None:
    server.behave(Behaviour(vectors="short"))
    with pytest.raises(ModelUnavailable, match=f"vectors of {DIMENSIONS - 1} numbers"):
        _http(server, dimensions=str(DIMENSIONS)).embed(["a lamp"])


def test_a_missing_row_is_refused(server: ModelServer) -> None:
    server.behave(Behaviour(vectors="missing"))
    with pytest.raises(ModelUnavailable, match="1 vectors for 2 texts"):
        _http(server, dimensions=str(DIMENSIONS)).embed(["a lamp", "a ship"])


def test_refused_key_says_which_variable_holds_it(server: ModelServer) -> None:
    server.behave(UNAUTHORISED)
    with pytest.raises(ModelUnavailable, match="SALON_BACKENDS_HTTP_API_KEY") as caught:
        _http(server).embed(["a lamp"])
    assert caught.value.status == 401
    assert len(server.requests) == 1


def test_missing_openai_key_says_which_variable_to_set() -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        _made("openai", {}).embed(["a lamp"])


def test_a_query_is_not_kept_waiting_for_a_limit(server: ModelServer) -> None:
    server.behave(LIMITED)
    with pytest.raises(ModelUnavailable, match="ask again in 20 s") as caught:
        _http(server, dimensions=str(DIMENSIONS)).embed(["a lamp"], "query")
    assert (caught.value.status, caught.value.retry_after) == (429, 20.0)
    assert len(server.requests) == 1


def test_limits_and_failures_are_outwaited_when_indexing(server: ModelServer) -> None:
    server.behave(Behaviour(status=429, retry_after="0.1"), FAILS, Behaviour())
    assert _http(server, dimensions=str(DIMENSIONS)).embed(["a lamp"]).shape == (1, DIMENSIONS)
    assert len(server.requests) == 3


def test_lasting_failure_is_an_error(server: ModelServer) -> None:
    server.behave(FAILS)
    with pytest.raises(ModelUnavailable, match="failed on its side") as caught:
        _http(server, dimensions=str(DIMENSIONS)).embed(["a lamp"], "query")
    assert caught.value.status == 500


def test_silent_server_is_an_error(server: ModelServer) -> None:
    server.behave(HANGS)
    with pytest.raises(ModelUnavailable, match="sent nothing"):
        _http(server, dimensions=str(DIMENSIONS), timeout="3").embed(["a lamp"], "query")


def test_absent_server_is_an_error() -> None:
    embedder = _made("http:m", {"url": "http://127.0.0.1:1/v1", "dimensions": "8"})
    with pytest.raises(ModelUnavailable, match=r"cannot be reached at http://127\.0\.0\.1:1/v1"):
        embedder.embed(["a lamp"], "query")


@pytest.mark.parametrize(
    ("spec", "options", "key"),
    [
        ("http:m", {}, "backends.http.url"),
        ("http", {"url": "http://127.0.0.1:1"}, "which embedding model"),
        ("http:m", {"url": "http://127.0.0.1:1", "window": "many"}, "backends.http.window"),
    ],
)
def test_wrong_options_are_named(spec: str, options: dict[str, str], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        _made(spec, options)
