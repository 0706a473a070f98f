"""What every body is made of, and the bodies of errors and of health."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SpanBody(Body):
    """Half-open character offsets in the cleaned source."""

    start: int
    end: int


class ErrorDetail(Body):
    """`code` is stable; the rest is for a person: what was wrong, expected, and to be done."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["there is no persona 'frankln'"])
    expected: str = Field(examples=["one of franklin, host"])
    cure: str = Field(examples=["did you mean 'franklin'?"])


class ErrorBody(Body):
    """The one shape of every failure."""

    error: ErrorDetail
    correlation_id: str


class HealthBody(Body):
    status: Literal["ok"]
    version: str


class ReadyBody(Body):
    """`reasons` says for each persona why its search cannot run; empty when all can."""

    ready: bool
    reasons: dict[str, str]


def span_body(start: int, end: int) -> SpanBody:
    return SpanBody(start=start, end=end)
