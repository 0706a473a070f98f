"""Words in quotation marks, by POST /api/query: found in the cited passage, or shown as not.

Public report R04: a citation was real and the words in quotation marks were not in it: invented,
stitched from two places, or moved from another document. The web page, which marks them, comes
later; the command line prints them as not found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from salon.testing.model_server import Behaviour, ModelServer
from tests.surfaces.conftest import Server, StartServer
from tests.surfaces.running import salon
from tests.surfaces.test_models_failing import settings

pytestmark = pytest.mark.models

QUESTION = "Give me three quotations from your log and letters about fear, the bell and leaving."
HONEST = (
    "Of fear I wrote “A small fear that you can name is a great help against a large one that you "
    'cannot” [1]. Of the bell, "A keeper who trusts the bell will one day sleep through it" [1]. '
    "And of leaving, “One does not leave a rock because of cabbages” [2]."
)
QUOTED = re.compile(r"[“\"]([^“”\"]{12,})[”\"]")

STITCHED = "A keeper who trusts the bell will find it a great help against a large one"
INVENTED = "The sea forgives nobody who forgets to thank it"
MOVED = "In February I counted forty-one, of which three wished us good night with their lanterns"
"""Of the letters; the model below puts it into the log."""


def fold(text: str) -> str:
    """Our own fold, so that the product's is not its own judge: NFKC, quotes and white space."""
    plain = unicodedata.normalize("NFKC", text).translate(str.maketrans("“”‘’", "\"\"''"))
    return " ".join(plain.split())


def spans(text: str) -> Iterator[re.Match[str]]:
    yield from QUOTED.finditer(text)


def ask(server: Server, question: str = QUESTION) -> dict[str, Any]:
    body = {"persona": "maren", "question": question}
    answer = httpx.post(f"{server.address}/api/query", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def cited_passages(server: Server, answer: dict[str, Any], span: re.Match[str]) -> list[str]:
    """The passages that the quotation is cited to: notes on a stretch of the answer it is in."""
    found = []
    for note in answer["citations"]:
        stretch = note["answer_span"]
        if stretch["start"] < span.end(1) and span.start(1) < stretch["end"]:
            address = f"{server.address}/api/passages/{note['passage']}"
            passage = httpx.get(address, params={"persona": "maren"}, timeout=60).json()
            found.append(fold(passage["text"]))
    return found


def test_three_quotations_stand_in_the_passages_that_they_are_cited_to(
    built: Path, start_server: StartServer
) -> None:
    with ModelServer(Behaviour(text=HONEST)) as model:
        server = start_server(built, **settings(model))
        answer = ask(server)
        quoted = list(spans(answer["answer"]))
        assert len(quoted) == 3
        for span in quoted:
            passages = cited_passages(server, answer, span)
            assert any(fold(span[1]) in passage for passage in passages), span[1]
    assert [check["verdict"] for check in answer["quotes"]] == ["found"] * 3


def test_own_words_are_the_words_of_their_passages(server: Server) -> None:
    """What is written without a model is quotation from end to end."""
    answer = ask(server, "What did you write about fear, the bell and leaving?")
    assert answer["citations"]
    for note in answer["citations"]:
        address = f"{server.address}/api/passages/{note['passage']}"
        passage = httpx.get(address, params={"persona": "maren"}, timeout=60).json()
        assert fold(note["quote"]) in fold(passage["text"])
        assert fold(note["quote"]) in fold(re.sub(r"\s*\[\d+\]", "", answer["answer"]))


@pytest.mark.parametrize(
    ("words", "verdict", "places"), [(STITCHED, "stitched", 2), (INVENTED, "absent", 0)]
)
@pytest.mark.parametrize("quotes", ["report", "strict"])
def test_words_that_no_source_has_are_shown_as_such_and_cost(
    house: Path, start_server: StartServer, words: str, quotes: str, verdict: str, places: int
) -> None:
    file = house / "personas/maren/persona.yaml"
    text = file.read_text(encoding="utf-8")
    assert "quotes: report" in text
    file.write_text(text.replace("quotes: report", f"quotes: {quotes}"), encoding="utf-8")
    false = f"{HONEST} I also wrote “{words}” [1]."
    with ModelServer(Behaviour(text=HONEST), Behaviour(text=false)) as model:
        server = start_server(house, **settings(model))
        honest, answer = ask(server), ask(server)
    (check,) = [check for check in answer["quotes"] if check["verdict"] != "found"]
    assert check["verdict"] == verdict
    assert len(check["places"]) == places
    where = check["span"]
    assert answer["answer"][where["start"] : where["end"]] == check["text"]
    assert words in check["text"]
    assert answer["rag_confidence"] < honest["rag_confidence"]
    assert any(words[:20] in warning for warning in answer["warnings"])
    still_quoted = [span[1] for span in spans(answer["answer"])]
    assert (words in still_quoted) == (quotes == "report")
    assert words in answer["answer"]
    assert len(still_quoted) == (4 if quotes == "report" else 3)


def test_words_moved_to_another_document_are_cited_where_they_stand_and_cost(
    built: Path, start_server: StartServer
) -> None:
    question = "How many ships did you count in February?"
    with ModelServer() as model:
        server = start_server(built, **settings(model))
        numbers = {hit["source"]: hit["rank"] for hit in ask(server, question)["passages"]}
        replies = {
            source: Behaviour(text=f"I wrote “{MOVED}” [{numbers[source]}].")
            for source in ("letters.txt", "log.txt")
        }
        model.behave(replies["letters.txt"])
        right = ask(server, question)
        model.behave(replies["log.txt"])
        moved = ask(server, question)
        (span,) = spans(moved["answer"])
        assert any(fold(MOVED) in passage for passage in cited_passages(server, moved, span))
    assert right["sources"] == moved["sources"] == ["letters.txt"]
    assert moved["rag_confidence"] < right["rag_confidence"]
    assert any("another passage's number" in warning for warning in moved["warnings"])


def test_the_command_line_says_which_words_were_not_found(
    built: Path, tmp_path: Path, models_dir: Path
) -> None:
    with ModelServer(Behaviour(text=f"{HONEST} I also wrote “{INVENTED}” [1].")) as model:
        done = salon(
            "--house", built, "ask", "maren", QUESTION,
            home=tmp_path, models=models_dir, **settings(model),
        )  # fmt: skip
    assert f"Not found in the sources: “{INVENTED}”" in done.stdout
    assert done.stdout.count("Not found in the sources") == 1
