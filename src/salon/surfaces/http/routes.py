"""The routes. Each asks the house and translates; what is served is in `app.state.served`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.security import HTTPBearer

from salon import __version__
from salon.surfaces.http.front import HEADERS, front_page
from salon.surfaces.http.guards import new_correlation_id
from salon.surfaces.http.schemas import (
    AnswerBody,
    ErrorBody,
    HealthBody,
    PassageBody,
    PersonasBody,
    QueryBody,
    ReadyBody,
    SourceBody,
    answer_body,
    passage_body,
    source_body,
)
from salon.surfaces.http.served import Question, Served, stream_answer
from salon.surfaces.http.stream import while_connected
from salon.types import Turn

CLIENT_GONE = 499
"""What the log shows for a request whose client left; nobody receives it."""

_EXAMPLE_STREAM = """event: found
data: {"question": "How did you learn to write?", "passages": [...]}

event: token
data: {"text": "I took "}

event: answer
data: {"answer": "I took ...", "sources": ["autobiography.txt"], "rag_grounded": true, ...}

"""
failures: dict[int | str, dict[str, Any]] = {
    401: {"model": ErrorBody, "description": "The secret is missing or wrong."},
    403: {"model": ErrorBody, "description": "The Host or Origin header names another server."},
    500: {"model": ErrorBody, "description": "A file or setting of the house is wrong."},
}
unknown: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "No such persona, passage or source."},
    422: {"model": ErrorBody, "description": "A field is missing or cannot be used."},
    503: {"model": ErrorBody, "description": "The index is missing or cannot be used."},
}
_QUERY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer. As server-sent events, when asked for: `found` with the "
        "passages, `token` with each piece of text, and last `answer` with this body, or `error`. "
        "The answer's text may differ from the tokens: quotations and citations are checked.",
        "content": {"text/event-stream": {"example": _EXAMPLE_STREAM}},
    },
    **unknown,
    413: {"model": ErrorBody, "description": "The body is too large."},
    503: {
        "model": ErrorBody,
        "description": "Search or the model is not available: nothing was answered.",
        "headers": {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
        },
    },
}

bearer = HTTPBearer(
    auto_error=False, description="Needed when the server was started with a secret."
)
api = APIRouter(prefix="/api", responses=failures, dependencies=[Depends(bearer)])
root = APIRouter()


def _served(request: Request) -> Served:
    served: Served = request.app.state.served
    return served


Here = Annotated[Served, Depends(_served)]
Persona = Annotated[
    str | None,
    Query(description="The persona's id; required when more than one is served."),
]


@api.post("/query", response_model=AnswerBody, responses=_QUERY)
async def query(request: Request, body: QueryBody, served: Here) -> Response:
    """Ask a persona. The answer carries what it rests on, and how well."""
    card = served.card(body.persona)
    identifier = request.state.correlation_id = new_correlation_id(card.prefix)
    thread = tuple(Turn(turn.role, turn.text) for turn in body.thread)
    question = Question(card, body.question, thread, identifier)
    if body.stream or "text/event-stream" in request.headers.get("accept", ""):
        return await stream_answer(served, question, request.receive)
    answer = await while_connected(request.receive, served.answer(question))
    return JSONResponse(answer_body(answer).model_dump())


@api.get("/personas")
async def personas(served: Here) -> PersonasBody:
    """Who answers here."""
    return PersonasBody(personas=await served.persona_bodies())


@api.get("/passages/{passage_id}", responses=unknown)
async def passage(passage_id: str, served: Here, persona: Persona = None) -> PassageBody:
    """A passage in full, with its place in the source and in the original file."""
    card = served.card(persona)
    return passage_body(await served.house.passage(card.id, passage_id))


@api.get("/sources/{source_id}", responses=unknown)
async def source(source_id: str, served: Here, persona: Persona = None) -> SourceBody:
    """A source as it was cleaned: spans of citations are in this text."""
    card = served.card(persona)
    return source_body(await served.house.source(card.id, source_id))


@root.get("/healthz")
async def healthz() -> HealthBody:
    """Whether the process answers; nothing is looked at."""
    return HealthBody(status="ok", version=__version__)


@root.get("/readyz", responses={503: {"model": ReadyBody, "description": "Search cannot run."}})
async def readyz(served: Here, response: Response) -> ReadyBody:
    """Whether search can run for every persona that is served, and if not, why."""
    reasons = await served.reasons()
    response.status_code = 503 if reasons else 200
    return ReadyBody(ready=not reasons, reasons=reasons)


@root.get("/", response_class=HTMLResponse)
async def front(request: Request, served: Here) -> HTMLResponse:
    """What runs here, for a person with a browser."""
    address = str(request.base_url).rstrip("/")
    page = front_page(served.cards(), address, request.app.state.secret)
    return HTMLResponse(page, headers=HEADERS)
