"""Our errors as HTTP: one JSON shape, one status for each kind."""

from __future__ import annotations

import math

from fastapi.responses import JSONResponse

from salon.errors import (
    IndexError_,
    InputError,
    ModelFileError,
    ModelUnavailable,
    NotFoundError,
    RetrievalUnavailable,
    SalonError,
    StateError,
)
from salon.surfaces.http.schemas import ErrorBody, ErrorDetail

CORRELATION_HEADER = "X-Correlation-ID"


class BusyError(SalonError):
    """As many answers are being written as the house allows."""

    code = "busy"


class UnexpectedError(SalonError):
    """A fault of ours; what it was stands in the log, under the request's correlation id."""

    code = "unexpected"

    def __init__(self) -> None:
        super().__init__(
            "the server failed in a way it should not",
            cure="look for the correlation id in the server's log, and report what stands there",
        )


class RefusedError(SalonError):
    """A request that is turned away before it is looked at; `status` says how."""

    def __init__(
        self, status: int, code: str, problem: str, *, expected: str = "", cure: str = ""
    ) -> None:
        super().__init__(problem, expected=expected, cure=cure)
        self.status, self.code = status, code


_STATUS: tuple[tuple[type[SalonError], int], ...] = (
    (NotFoundError, 404),
    (InputError, 422),
    (IndexError_, 503),
    (RetrievalUnavailable, 503),
    (ModelUnavailable, 503),
    (ModelFileError, 503),
    (StateError, 503),
    (BusyError, 503),
)


def status_for(error: SalonError) -> int:
    """The HTTP status of `error`; 500 for what is wrong on our side and no request can mend."""
    if isinstance(error, RefusedError):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def error_body(error: SalonError, correlation_id: str) -> ErrorBody:
    detail = ErrorDetail(
        code=error.code, message=error.problem, expected=error.expected, cure=error.cure
    )
    return ErrorBody(error=detail, correlation_id=correlation_id)


def error_headers(error: SalonError) -> dict[str, str]:
    """Retry-After, in whole seconds, where the model's server or we know it."""
    if isinstance(error, ModelUnavailable) and error.retry_after > 0:
        return {"Retry-After": str(math.ceil(error.retry_after))}
    if isinstance(error, BusyError):
        return {"Retry-After": "5"}
    if isinstance(error, RefusedError) and error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    return {}


def error_response(error: SalonError, correlation_id: str) -> JSONResponse:
    return JSONResponse(
        error_body(error, correlation_id).model_dump(),
        status_code=status_for(error),
        headers={CORRELATION_HEADER: correlation_id, **error_headers(error)},
    )
