"""One call of a model, once: the only module that speaks with a provider, through pydantic-ai.

Everything a provider or its library can do wrong comes out as `CallFailed`, which says whether another try helps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from memfs.errors import ConfigError, MemfsError, extra_hint
from memfs.extraction.model.names import OLLAMA_URL, ModelName
from memfs.model import Tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

Mode = Literal["json_schema", "json_object", "text"]
_BROKEN_STATUS = (408, 409, 425, 429)
_OF_FORMAT = re.compile(
    r"response.?format|json.?schema|json.?object|output.?format|structured|grammar|schema|unsupported.{0,40}format",
    re.IGNORECASE,
)
_FORMAT_STATUS = (400, 404, 415, 422, 500, 501)
# What the library lets through when a server's JSON is not what the protocol says (an empty list of choices).
_MISREAD = (LookupError, AttributeError, TypeError, ValueError)
# A tag that no answer holds: pydantic-ai must not take `<think>` out of answers, `answers` knows better when to.
_NO_TAGS = ("<\x00memfs", "</\x00memfs")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and how to reach it. ``base_url`` empty: the provider's own; ``timeout`` in seconds."""

    name: ModelName
    base_url: str = ""
    key: str = ""
    timeout: float = 120.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: instructions, the data, and the schema of the answer (None: any JSON object)."""

    system: str
    user: str
    schema: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. ``cut``: the ceiling ended it; ``refused``: the provider's filter did."""

    text: str
    tokens: Tokens
    cut: bool = False
    refused: bool = False


class CallFailed(MemfsError):
    """A call without an answer. ``again``: another try may help, not before ``wait`` seconds where it is said.

    ``of_format``: the provider does not know the way the answer was asked for.
    """

    def __init__(
        self,
        message: str,
        *,
        again: bool = False,
        wait: float | None = None,
        of_format: bool = False,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.again, self.wait, self.of_format = again, wait, of_format


def call_model(endpoint: Endpoint, question: Question, mode: Mode, ceiling: int) -> Reply:
    """Ask once, for at most ``ceiling`` tokens of answer.

    Raises:
        CallFailed: there is no answer.
        ConfigError: the libraries are not installed.
    """
    import asyncio

    try:
        return asyncio.run(_call(endpoint, question, mode, ceiling))
    except ImportError as error:
        raise ConfigError(
            f"the model {endpoint.name} needs more than the core of memfs",
            key="extract.model",
            hint=extra_hint("models"),
        ) from error


async def _call(endpoint: Endpoint, question: Question, mode: Mode, ceiling: int) -> Reply:
    import warnings

    import httpx2
    from pydantic_ai import exceptions
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
    from pydantic_ai.settings import ModelSettings

    # A model that takes no temperature is asked without one, which is no news to anybody.
    warnings.filterwarnings("ignore", message="Sampling parameters .*temperature", category=UserWarning)
    settings = ModelSettings(
        temperature=0.0,
        max_tokens=ceiling,
        timeout=endpoint.timeout,
        request_timeout=endpoint.timeout,
        max_retries=0,
    )
    async with httpx2.AsyncClient(timeout=httpx2.Timeout(endpoint.timeout, connect=10.0)) as http:
        model = _model(endpoint, http)
        try:
            response = await model_request(
                model,
                [ModelRequest([SystemPromptPart(question.system), UserPromptPart(question.user)])],
                model_settings=settings,
                model_request_parameters=_parameters(question, _usable(model, mode)),
                instrument=False,
            )
        except exceptions.ModelAPIError as error:
            raise _failure(endpoint, error) from error
        except httpx2.HTTPError as error:
            raise CallFailed(f"the connection broke: {_short(error)}", again=True) from error
        except (exceptions.AgentRunError, exceptions.UserError, *_MISREAD) as error:
            raise CallFailed(f"its server sent no completion: {_short(error)}", again=True) from error
    return _reply(response)


def _model(endpoint: Endpoint, http: Any) -> Model[Any]:
    name = endpoint.name
    if name.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        there = AnthropicProvider(api_key=endpoint.key, base_url=endpoint.base_url or None, http_client=http)
        return AnthropicModel(name.model, provider=there)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    base_url = endpoint.base_url or (OLLAMA_URL if name.provider == "ollama" else "")
    profile = OpenAIModelProfile(thinking_tags=_NO_TAGS)
    if base_url:  # the common tongue of compatible servers
        profile.update(
            OpenAIModelProfile(
                supports_json_schema_output=True,
                supports_json_object_output=True,
                openai_chat_supports_max_completion_tokens=False,
                openai_supports_strict_tool_definition=False,
            )
        )
    provider = OpenAIProvider(
        base_url=base_url or "https://api.openai.com/v1", api_key=endpoint.key or "none", http_client=http
    )
    return OpenAIChatModel(name.model, provider=provider, profile=profile)


def _usable(model: Model[Any], mode: Mode) -> Mode:
    """The mode, or the nearest one that the model is known to have."""
    if mode == "json_schema" and not model.profile.get("supports_json_schema_output", False):
        mode = "json_object"
    if mode == "json_object" and not model.profile.get("supports_json_object_output", False):
        mode = "text"
    return mode


def _parameters(question: Question, mode: Mode) -> Any:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if mode == "text":
        return ModelRequestParameters()
    return ModelRequestParameters(
        output_mode="native" if mode == "json_schema" else "prompted",
        output_object=OutputObjectDefinition(
            json_schema=dict(question.schema or {"type": "object"}), name="memories", strict=True
        ),
        prompted_output_template=False,  # the prompt itself describes the answer
    )


def _reply(response: ModelResponse) -> Reply:
    from pydantic_ai.messages import TextPart, ToolCallPart

    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    if not texts:  # a model that was made for tools may answer by calling one
        texts = [part.args_as_json_str() for part in response.parts if isinstance(part, ToolCallPart)]
    tokens = Tokens(response.usage.input_tokens, response.usage.output_tokens)
    return Reply(
        "".join(texts),
        tokens,
        cut=response.finish_reason == "length",
        refused=response.finish_reason == "content_filter",
    )


def _failure(endpoint: Endpoint, error: Any) -> CallFailed:
    from pydantic_ai import exceptions

    if not isinstance(error, exceptions.ModelHTTPError):
        timed_out = isinstance(error, exceptions.ModelTimeoutError | exceptions.ModelRequestTimeout)
        what = (
            f"no answer within {endpoint.timeout:g} seconds"
            if timed_out
            else f"the connection broke: {_short(error)}"
        )
        return CallFailed(what, again=True)
    status, body = error.status_code, _short(error.body if error.body is not None else error)
    message = f"HTTP {status}: {body}"
    if isinstance(error, exceptions.ModelContextWindowExceededError):
        return CallFailed(message, hint="lower extract.max_tokens_per_call to what the model can read")
    if isinstance(error, exceptions.ModelQuotaExceededError):
        return CallFailed(message, hint="the account with the provider has no credit left")
    if status in (401, 403):
        return CallFailed(
            message, hint="the provider does not accept the key; docs/models.md says where it is looked for"
        )
    of_format = status in _FORMAT_STATUS and _OF_FORMAT.search(body) is not None
    again = status in _BROKEN_STATUS or status >= 500
    hint = "is the model's name right, and extract.base_url?" if status == 404 else None
    return CallFailed(message, again=again, wait=error.retry_after, of_format=of_format, hint=hint)


def _short(error: object) -> str:
    """What a provider said, on one line, without anything that looks like a key."""
    from memfs.extraction.redaction import redact_text

    words = cast(str, error.get("message", error)) if isinstance(error, dict) else error
    return redact_text(" ".join(str(words).split())[:300]).text
