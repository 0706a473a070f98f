"""What a remote model's refusal means for the person who asked: one sentence and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping

from salon.errors import ConfigError, ModelUnavailable

_DETAIL_CHARACTERS = 300


def refused(
    who: str, status: int, detail: str = "", *, retry_after: float = 0.0, key_variable: str = ""
) -> ModelUnavailable:
    """The error for an HTTP status. `who` names service and model, `detail` is what it said."""
    problem, cure = _meaning(status, retry_after, key_variable)
    said = f": {detail[:_DETAIL_CHARACTERS]}" if detail else ""
    return ModelUnavailable(
        f"{who} {problem} ({status}){said}", status=status, retry_after=retry_after, cure=cure
    )


def _meaning(status: int, retry_after: float, key_variable: str) -> tuple[str, str]:
    if status in (401, 403):
        key = f"set {key_variable} to a key that may use" if key_variable else "check the access to"
        return "refused the access", f"{key} this model"
    if status == 402:
        return (
            "says that the account has no credit",
            "add credit to the account, or name another model",
        )
    if status == 404:
        return "does not know this model or address", "check the model's name and the url"
    if status == 413:
        return "says that the request is too long", "ask a shorter question, or give fewer passages"
    if status == 429:
        wait = f"in {retry_after:.0f} s" if retry_after else "in a minute"
        return "is refusing more requests for now", f"ask again {wait}, or name another model"
    if status >= 500:
        return "failed on its side", "ask again in a moment, or name another model"
    return "refused the request", "check the model's name and its options"


def missing_key(who: str, key_variable: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{who} needs a key, and none is set",
        status=401,
        cure=f"set the environment variable {key_variable}",
    )


def unreachable(who: str, url: str, reason: str, cure: str = "") -> ModelUnavailable:
    return ModelUnavailable(
        f"{who} cannot be reached at {url}: {reason}",
        cure=cure or "check that address, and that the server is running",
    )


def too_slow(who: str, seconds: float) -> ModelUnavailable:
    return ModelUnavailable(
        f"{who} sent nothing for {seconds:.0f} s",
        cure="ask again, or raise the backend's option 'timeout'",
    )


def broke_off(who: str) -> ModelUnavailable:
    return ModelUnavailable(f"{who} broke off in the middle of its reply", cure="ask again")


def wrote_nothing(who: str, *, cut: bool = False) -> ModelUnavailable:
    """`cut`: the limit of the reply's length was used up by something that is not text."""
    if cut:
        return ModelUnavailable(
            f"{who} used up the length of the reply without writing any text",
            cure="raise 'max_tokens' of the persona's models",
        )
    return ModelUnavailable(f"{who} wrote nothing", cure="ask again, in other words")


def said(body: object) -> str:
    """The message inside an error's body, as the common formats carry it."""
    if isinstance(body, bytes | str):
        try:
            body = json.loads(body)
        except ValueError:
            return body.decode(errors="replace") if isinstance(body, bytes) else str(body)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            inner = inner.get("message", "")
        return str(inner) if inner else str(body.get("detail", ""))
    return ""


def json_text(text: str) -> str | None:
    """The JSON of a reply that was asked for JSON, without a fence; None when there is none."""
    start, end = text.find("{"), text.rfind("}")
    inside = text[start : end + 1]
    try:
        json.loads(inside)
    except ValueError:
        return None
    return inside


def number(
    options: Mapping[str, str], kind: str, option: str, default: float, least: float = 0.0
) -> float:
    """A numeric option; ConfigError when it is not a number or below `least`."""
    text = options.get(option, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not value >= least:
        raise ConfigError(
            f"'{text}' does not fit",
            key=f"backends.{kind}.{option}",
            expected=f"a number, at least {least:g}",
        )
    return value
