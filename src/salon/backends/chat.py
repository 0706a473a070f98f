"""Chat models behind a server: hosted vendors and anything that speaks like OpenAI.

Vendors differ by a row of `VENDORS`; two wire formats carry them all. A failure before the first
word that asking again may cure (5xx, a lost connection) is tried once more; a 429 is told at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from salon.backends.refusals import (
    broke_off,
    json_text,
    missing_key,
    number,
    refused,
    said,
    too_slow,
    unreachable,
    wrote_nothing,
)
from salon.backends.vendors import VENDORS, Vendor
from salon.errors import ConfigError, ModelUnavailable
from salon.ports import BackendContext, ChatFactory, Registry
from salon.types import ChatDelta, ChatRequest, ModelCard, Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse

_TIMEOUT = 60.0
_CONNECT_TIMEOUT = 10.0
_ROOM = 32
"""Characters for a token that was asked for; whoever writes more does not heed the limit."""

_RETRY_PAUSE = 1.0
_OPTIONS = (
    *("url", "model", "api_key", "api_key_env", "timeout"),
    *("context_tokens", "evidence_tokens", "form"),
)


def register(registry: Registry) -> None:
    for vendor in VENDORS:
        registry.chat(vendor.kind, _factory(vendor), vendor.offer, _OPTIONS)


def _factory(vendor: Vendor) -> ChatFactory:
    def make(model: str, context: BackendContext) -> HostedChat:
        name = model or context.options.get("model", "") or vendor.model
        if not name:
            raise ConfigError(
                f"'{vendor.kind}' does not say which model",
                expected=f"{vendor.kind}:MODEL",
                cure="name a model that the service has",
            )
        if not (context.options.get("url") or vendor.url):
            raise ConfigError(
                f"the backend '{vendor.kind}' has no address",
                key=f"backends.{vendor.kind}.url",
                expected="the address of the server, as http://127.0.0.1:8080/v1",
            )
        return HostedChat(vendor, name, context.options)

    return make


def _card(vendor: Vendor, name: str, options: Mapping[str, str]) -> ModelCard:
    context, evidence = vendor.room
    return ModelCard(
        name=f"{vendor.kind}:{name}",
        context_tokens=int(number(options, vendor.kind, "context_tokens", context, 256)),
        evidence_tokens=int(number(options, vendor.kind, "evidence_tokens", evidence, 256)),
        form="quotes" if options.get("form") == "quotes" else "marks",
    )


_MODULES = {
    "openai": ("pydantic_ai.direct", "pydantic_ai.models.openai"),
    "anthropic": ("pydantic_ai.direct", "pydantic_ai.models.anthropic"),
}


def _load(wire: str) -> None:
    """Imports what a request needs, which takes seconds the first time: never on an event loop."""
    for module in _MODULES[wire]:
        import_module(module)


class HostedChat:
    """One model of one vendor. Nothing is imported or connected before the first request."""

    def __init__(self, vendor: Vendor, name: str, options: Mapping[str, str]) -> None:
        self._vendor, self._name = vendor, name
        self._key = options.get("api_key", "")
        self._url = (options.get("url") or vendor.url).rstrip("/")
        self._timeout = number(options, vendor.kind, "timeout", _TIMEOUT, 0.1)
        self._card = _card(vendor, name, options)
        self._who = f"{vendor.kind} ({name})"
        self._model: Model | None = None
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def card(self) -> ModelCard:
        return self._card

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        if self._vendor.needs_key and not self._key:
            raise missing_key(self._who, self._vendor.key_variable)
        await asyncio.to_thread(_load, self._vendor.wire)
        began = False
        try:
            async with aclosing(self._attempt(request)) as deltas:
                async for delta in deltas:
                    began = True
                    yield delta
            return
        except ModelUnavailable as problem:
            if began or not (problem.status >= 500 or isinstance(problem, _Lost)):
                raise
        await asyncio.sleep(_RETRY_PAUSE)
        async with aclosing(self._attempt(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        client, self._client, self._model = self._client, None, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _attempt(self, request: ChatRequest) -> AsyncGenerator[ChatDelta, None]:
        """One request. Text of a prompted schema is held back until its JSON is whole."""
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import AgentRunError

        model = self._open()
        parameters = _parameters(model, request)
        held = "" if parameters.output_mode == "prompted" else None
        wrote, room = False, _ROOM * request.max_tokens
        try:
            async with model_request_stream(
                model,
                _messages(request),
                model_settings=_settings(self._vendor, model, request),
                model_request_parameters=parameters,
            ) as response:
                async for text in _texts(response):
                    wrote = wrote or not text.isspace()
                    if held is None:
                        yield ChatDelta(text=text)
                    else:
                        held += text
                    room -= len(text)
                    if room < 0:
                        break
                reason = response.finish_reason if room >= 0 else "length"
                finish = self._finish(reason, wrote)
                usage = response.usage
        except AgentRunError as problem:
            raise self._meaning(problem, wrote) from problem
        if held is not None:
            yield ChatDelta(text=self._json(held))
        yield ChatDelta(finish=finish, usage=Usage(usage.input_tokens, usage.output_tokens))

    def _finish(self, reason: str | None, wrote: bool) -> Literal["stop", "length"]:
        if reason is None:
            raise broke_off(self._who) if wrote else wrote_nothing(self._who)
        if reason == "content_filter":
            raise ModelUnavailable(
                f"{self._who} declined to write this reply",
                cure="ask in other words, or name another model",
            )
        if not wrote:
            raise wrote_nothing(self._who, cut=reason == "length")
        return "length" if reason == "length" else "stop"

    def _json(self, text: str) -> str:
        found = json_text(text)
        if found is None:
            raise ModelUnavailable(
                f"{self._who} did not answer in the form that was asked for",
                expected="JSON",
                cure="ask again, or name another model",
            )
        return found

    def _open(self) -> Model:
        """The vendor's model with a client of this event loop, which connections belong to."""
        loop = asyncio.get_running_loop()
        if self._model is None or self._loop is not loop:
            _quiet()
            build = _anthropic if self._vendor.wire == "anthropic" else _openai
            self._model, self._client = build(
                self._vendor, self._name, self._url, self._key, self._timeout
            )
            self._loop = loop
        return self._model

    def _meaning(self, problem: Exception, wrote: bool) -> ModelUnavailable:
        from pydantic_ai import exceptions

        if isinstance(problem, exceptions.ModelTimeoutError):
            return too_slow(self._who, self._timeout)
        if isinstance(problem, exceptions.ModelHTTPError):
            return refused(
                self._who,
                problem.status_code,
                said(problem.body),
                retry_after=problem.retry_after or 0.0,
                key_variable=self._vendor.key_variable,
            )
        if isinstance(problem, exceptions.ModelConnectionError):
            if problem.phase == "read":
                return _Lost(broke_off(self._who))
            reason = str(problem.__cause__ or problem)
            return _Lost(unreachable(self._who, self._url, reason, self._vendor.start))
        if wrote:
            return broke_off(self._who)
        if isinstance(problem, exceptions.UnexpectedModelBehavior):
            return wrote_nothing(self._who)
        return ModelUnavailable(f"{self._who} failed: {problem}", cure="ask again")


class _Lost(ModelUnavailable):
    """The connection was lost or never made; asking again may help."""

    def __init__(self, error: ModelUnavailable) -> None:
        super().__init__(error.problem, cure=error.cure)


def _quiet() -> None:
    """Models that take no temperature are no news to the person who asked."""
    import warnings

    from pydantic_ai.exceptions import UnsupportedSettingWarning

    warnings.filterwarnings("ignore", category=UnsupportedSettingWarning)


async def _texts(response: StreamedResponse) -> AsyncIterator[str]:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    async for event in response:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            text = event.part.content
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            text = event.delta.content_delta
        else:
            continue
        if text:
            yield text


def _messages(request: ChatRequest) -> list[ModelMessage]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    messages: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "assistant":
            messages.append(ModelResponse(parts=[TextPart(message.content)]))
        elif message.role == "system":
            messages.append(ModelRequest(parts=[SystemPromptPart(message.content)]))
        else:
            messages.append(ModelRequest(parts=[UserPromptPart(message.content)]))
    return messages


def _parameters(model: Model, request: ChatRequest) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if request.schema is None:
        return ModelRequestParameters()
    native = bool(model.profile.get("supports_json_schema_output", False))
    return ModelRequestParameters(
        output_mode="native" if native else "prompted",
        output_object=OutputObjectDefinition(json_schema=dict(request.schema), name="reply"),
    )


def _settings(vendor: Vendor, model: Model, request: ChatRequest) -> Any:
    # Thinking is turned off, or down as far as a model allows: answers here are short and rest on
    # the passages, and hidden thinking would use up their length.
    settings: dict[str, Any] = {
        "max_tokens": request.max_tokens,
        "thinking": False,
    }
    if not model.profile.get("anthropic_disallows_sampling_settings", False):
        settings["temperature"] = request.temperature
    if vendor.wire == "anthropic":
        return settings | {"anthropic_cache_instructions": True}
    return settings


def _openai(vendor: Vendor, name: str, url: str, key: str, timeout: float) -> tuple[Model, Any]:
    from openai import AsyncOpenAI, Timeout
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(
        base_url=url,
        api_key=key or "none",
        max_retries=0,
        timeout=Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
    )
    provider: OpenAIProvider | OpenAICompatibleProvider
    # Without a finish reason a reply that was cut off would pass for a whole one.
    ours = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if vendor.kind == "openai":
        provider = OpenAIProvider(openai_client=client)
    else:
        provider = OpenAICompatibleProvider(vendor.kind, openai_client=client)
        ours |= OpenAIModelProfile(
            supports_json_schema_output=vendor.schemas,
            openai_chat_supports_max_completion_tokens=False,
        )
    profile = merge_profile(provider.model_profile(name), ours)
    return OpenAIChatModel(name, provider=provider, profile=profile), client


def _anthropic(vendor: Vendor, name: str, url: str, key: str, timeout: float) -> tuple[Model, Any]:
    from anthropic import AsyncAnthropic, Timeout
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        base_url=url,
        api_key=key,
        max_retries=0,
        timeout=Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client)), client
