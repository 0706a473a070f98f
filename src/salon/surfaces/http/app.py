"""Puts the application together: routes, guards, and every failure in one shape."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp

from salon import __version__
from salon.errors import InputError, SalonError
from salon.surfaces.http.errors import RefusedError, UnexpectedError, error_response
from salon.surfaces.http.guards import Guards, Rules
from salon.surfaces.http.room_routes import rooms
from salon.surfaces.http.routes import CLIENT_GONE, api, root
from salon.surfaces.http.served import Served
from salon.surfaces.http.stream import ClientGone
from salon.surfaces.ws.door import Door

_DESCRIPTION = """Personas that answer only from a person's own writings.

Every answer carries the passages it rests on, the exact words cited, and a grounding score with
its reasons. Errors have one shape: what was wrong, what was expected, what to do. Every response
has the header `X-Correlation-ID`, which stands in each line of the server's log.
"""


def create_app(served: Served, rules: Rules) -> ASGIApp:
    """The application. It closes the house when the server ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await served.close()

    application = _routes(lifespan)
    application.state.served = served
    application.state.secret = bool(rules.secret)
    settings = served.house.settings.rooms
    door = Door(served.rooms, settings, rules.secret, local=bool(rules.hosts))
    application.router.routes.append(WebSocketRoute("/ws", door))
    return Guards(application, rules)


def openapi_document() -> dict[str, Any]:
    """The description of the interface; needs no house."""
    return _routes(None).openapi()


def _routes(lifespan: Any) -> FastAPI:
    application = FastAPI(
        title="Salon",
        version=__version__,
        description=_DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    application.include_router(api)
    application.include_router(rooms)
    application.include_router(root)
    application.exception_handler(SalonError)(_salon_error)
    application.exception_handler(RequestValidationError)(_invalid)
    application.exception_handler(HTTPException)(_http_error)
    application.exception_handler(ClientGone)(_nobody_waits)
    application.exception_handler(Exception)(_unexpected)
    return application


async def _salon_error(request: Request, error: SalonError) -> JSONResponse:
    return error_response(error, request.state.correlation_id)


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    """The first few faults of a body or a parameter, in words."""
    problem = _unreadable("; ".join(_fault(fault) for fault in error.errors()[:5]))
    return error_response(problem, request.state.correlation_id)


def _fault(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "json_invalid":
        return f"not JSON at character {fault['loc'][-1] + 1}: {fault['ctx']['error']}"
    place = ".".join(str(part) for part in fault["loc"] if part != "body")
    return f"{place or 'the body'}: {fault['msg']}"


def _unreadable(reason: str) -> InputError:
    return InputError(
        f"the request cannot be read: {reason}",
        expected='a JSON body such as {"question": "..."}, with the header '
        "Content-Type: application/json",
        cure="/openapi.json describes every field",
    )


async def _http_error(request: Request, error: HTTPException) -> JSONResponse:
    if error.status_code == 400:  # the framework's only one: parsing failed in another way
        problem = "not UTF-8, nested too deeply, or a number of too many digits"
        return error_response(_unreadable(problem), request.state.correlation_id)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http")
    problem = f"{request.method} {request.url.path}: {error.detail}"
    refusal = RefusedError(error.status_code, code, problem, cure="see /openapi.json")
    response = error_response(refusal, request.state.correlation_id)
    response.headers.update(error.headers or {})
    return response


async def _nobody_waits(request: Request, error: ClientGone) -> Response:
    return Response(status_code=CLIENT_GONE)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    return error_response(UnexpectedError(), request.state.correlation_id)
