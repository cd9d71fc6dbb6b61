"""The name of a language model: who provides it, and what it is called there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from memfs.errors import ConfigError

Provider = Literal["openai", "anthropic", "ollama"]
OLLAMA_URL = "http://localhost:11434/v1"


@dataclass(frozen=True, slots=True)
class ModelName:
    """``provider:model`` as the setting ``extract.model`` has it; any OpenAI-compatible server is ``openai``."""

    provider: Provider
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def paid(self) -> bool:
        """Whether tokens cost money as far as the name tells; a model of Ollama runs at home."""
        return self.provider != "ollama"


def parse_name(text: str) -> ModelName:
    """Read ``provider:model``. Raises ConfigError."""
    provider, _, model = text.partition(":")
    if provider not in get_args(Provider) or not model.strip():
        raise ConfigError(
            f"the extractor {text!r} cannot be used",
            key="extract.model",
            hint='set it to "rules", "openai:NAME", "anthropic:NAME", "ollama:NAME", or "" to turn extraction off',
        )
    return ModelName(cast(Provider, provider), model.strip())
