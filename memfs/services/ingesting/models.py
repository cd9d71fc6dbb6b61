"""Language models of a vault: the extractor that the settings name, its key, its prompt and its budget."""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import ConfigError, ModelUnavailable
from memfs.extraction.model.client import ModelClient, Patience
from memfs.extraction.model.extractor import Meter, ModelExtractor, Unmetered
from memfs.extraction.model.names import ModelName, parse_name
from memfs.extraction.model.prompts import Prompter
from memfs.extraction.model.provider import Endpoint
from memfs.model import Tokens
from memfs.services.resources import read_builtin_templates, read_vault_templates
from memfs.vault.local import LocalState
from memfs.vault.records import add_tokens, tokens_used

if TYPE_CHECKING:
    from memfs.extraction.model.pairing import PairReader
    from memfs.services.opening import Vault

TOOL_PROMPTS = ("journal", "trajectories")
OWN_KEY_VARIABLE = "MEMFS_API_KEY"
COMPACT_PROMPT = "daily"
_KEY_VARIABLES: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_REAL_TIME = Patience(time.sleep, time.monotonic, random.random)


class VaultMeter:
    """Counts tokens in the vault's local state, and holds paid models to the budget of an identity and day."""

    def __init__(self, vault: Vault, name: ModelName) -> None:
        self._vault = vault
        self._state = LocalState(vault.layout)
        self._limit = vault.config.extract.max_tokens_per_identity_per_day if name.paid else 0

    def require(self, identity: str, tokens: int) -> None:
        """Raises ModelUnavailable when the day's budget has not so many tokens left."""
        used = tokens_used(self._state, identity, self._today())
        if self._limit and used + tokens > self._limit:
            raise ModelUnavailable(
                f"the budget of {identity} for today is used up: {used:,} of {self._limit:,} tokens, "
                f"and the next call needs about {tokens:,}",
                hint="the rest is read tomorrow, or raise extract.max_tokens_per_identity_per_day",
            )

    def spend(self, identity: str, tokens: Tokens) -> None:
        """Add a reply's tokens to the day's."""
        add_tokens(self._state, identity, self._today(), tokens.input + tokens.output)

    def _today(self) -> str:
        return self._vault.now().date().isoformat()


def model_extractor(
    vault: Vault,
    *,
    prompt: str = "extract",
    environ: Mapping[str, str] | None = None,
    patience: Patience = _REAL_TIME,
) -> ModelExtractor:
    """The extractor of ``extract.model``, a language model. Nothing is imported or called before it is used.

    ``prompt``: the template that asks. Tokens count against the budget of the vault, where there is one.

    Raises:
        ConfigError: the model's name, its key or its prompt cannot be used.
    """
    client = model_client(vault, environ=environ, patience=patience)
    return ModelExtractor(client, prompter(vault, prompt), _meter(vault))


def pair_reader(
    vault: Vault, *, environ: Mapping[str, str] | None = None, patience: Patience = _REAL_TIME
) -> PairReader:
    """What asks the same model about pairs of entries, for ``memfs review``.

    Raises:
        ConfigError: as `model_extractor`.
    """
    from memfs.extraction.model.pairing import PairReader

    templates = {**read_builtin_templates("prompts"), **read_vault_templates(vault.layout, "prompts")}
    return PairReader(
        model_client(vault, environ=environ, patience=patience),
        templates.get("review", ""),
        _meter(vault),
        count=token_counter(),
        tag=lambda: secrets.token_hex(6),
        ceiling=vault.config.extract.max_tokens_per_call,
        zone=vault.zone,
        zh=vault.language == "zh",
    )


def model_client(
    vault: Vault, *, environ: Mapping[str, str] | None = None, patience: Patience = _REAL_TIME
) -> ModelClient:
    """The client of ``extract.model``. Raises ConfigError where name or key cannot be used."""
    settings = vault.config.extract
    name = parse_name(settings.model)
    key = find_key(vault, name, os.environ if environ is None else environ)
    return ModelClient(Endpoint(name, settings.base_url, key, float(settings.timeout_seconds)), patience)


def _meter(vault: Vault) -> Meter:
    """Counts against the budget of the vault, where there is one."""
    name = parse_name(vault.config.extract.model)
    return VaultMeter(vault, name) if vault.top.is_dir() else Unmetered()


def prompter(vault: Vault, name: str = "extract") -> Prompter:
    """What makes prompts of requests: the vault's template of that name, else the built-in one.

    The prompt ``daily`` is the one of compact mode: brief. Those of what was done show all tool calls.
    """
    templates = {**read_builtin_templates("prompts"), **read_vault_templates(vault.layout, "prompts")}
    return Prompter(
        templates.get(name, ""),
        count=token_counter(),
        tag=lambda: secrets.token_hex(4 if name == COMPACT_PROMPT else 6),
        ceiling=vault.config.extract.max_tokens_per_call,
        name=name,
        brief=name == COMPACT_PROMPT,
        tools=name in TOOL_PROMPTS,
    )


def find_key(vault: Vault, name: ModelName, environ: Mapping[str, str]) -> str:
    """The key for a model: ``MEMFS_API_KEY``, else the key file, else the provider's own variable.

    The provider's variable holds a key for the provider, so it is never sent to another server's address
    (`extract.base_url` is committed, and may come from someone else).

    Raises:
        ConfigError: there is none and the provider needs one, or the key file cannot be used.
    """
    if own := environ.get(OWN_KEY_VARIABLE, "").strip():
        return own
    if vault.config.extract.key_file:
        return _read_key(Path(vault.config.extract.key_file).expanduser(), vault.top)
    variable = _KEY_VARIABLES.get(name.provider)
    if variable is None or vault.config.extract.base_url:
        return ""
    key = environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"there is no key for {name}",
            key="extract.model",
            hint=f"set {variable} in the environment, or extract.key_file in memfs.local.toml",
        )
    return key


def _read_key(path: Path, top: Path) -> str:
    setting, where = "extract.key_file", str(path)
    if path.resolve().is_relative_to(top.resolve()):
        hint = "keep it where git never sees it"
        raise ConfigError("the key file lies in the vault", key=setting, path=where, hint=hint)
    try:
        key = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the key file cannot be read: {error}", key=setting, path=where) from error
    if len(key.split()) != 1:
        raise ConfigError("the key file must hold the key alone", key=setting, path=where)
    return key


@cache
def token_counter() -> Callable[[str], int]:
    """Counts tokens offline, by the word pieces of the built-in embedder; a word it has no pieces for by characters.

    Against the tokenizers of OpenAI's models it counts more and hardly ever less (docs/models.md has the
    measurement), so what keeps to a ceiling here keeps to it there.
    """
    from tokenizers import Tokenizer

    file = resources.files("memfs.search") / "data" / "minilm-tokenizer.json"
    tokenizer = Tokenizer.from_str(file.read_text("utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    unknown = tokenizer.token_to_id("[UNK]")

    def count(text: str) -> int:
        pieces = tokenizer.encode(text, add_special_tokens=False)
        spans = zip(pieces.ids, pieces.offsets, strict=True)
        return sum(1 if piece != unknown else max(1, end - start) for piece, (start, end) in spans)

    return count
