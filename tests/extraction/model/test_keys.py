"""Where a key is looked for, and where it is never sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import ConfigError
from memfs.extraction.model.names import parse_name
from memfs.services.ingesting.extracting import choose_extractor
from memfs.services.ingesting.models import find_key, model_extractor
from memfs.services.opening import Vault, open_vault
from tests.services.vaults import new_vault


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("keys") / "vault").top


def vault(top: Path, **settings: str) -> Vault:
    lines = [f'{key} = "{value}"' for key, value in settings.items()]
    (top / "memfs.local.toml").write_text("[extract]\n" + "\n".join(lines), encoding="utf-8")
    return open_vault(top, environ={})


OPENAI, CLAUDE, HOME = parse_name("openai:m"), parse_name("anthropic:m"), parse_name("ollama:m")
BOTH = {"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}


def test_each_provider_has_its_variable(top: Path) -> None:
    assert find_key(vault(top), OPENAI, BOTH) == "o"
    assert find_key(vault(top), CLAUDE, BOTH) == "a"
    assert find_key(vault(top), HOME, BOTH) == ""


def test_a_providers_key_never_goes_to_another_server(top: Path) -> None:
    elsewhere = vault(top, base_url="http://elsewhere.example/v1")
    assert find_key(elsewhere, OPENAI, BOTH) == ""
    assert find_key(elsewhere, CLAUDE, BOTH) == ""
    assert find_key(elsewhere, OPENAI, {**BOTH, "MEMFS_API_KEY": " own \n"}) == "own"


def test_a_key_file_outside_of_the_vault(top: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("  from-file\n", encoding="utf-8")
    assert find_key(vault(top, key_file=str(file)), OPENAI, BOTH) == "from-file"
    assert find_key(vault(top, key_file=str(file), base_url="http://x.example/v1"), OPENAI, {}) == "from-file"
    assert find_key(vault(top, key_file=str(file)), OPENAI, {"MEMFS_API_KEY": "own"}) == "own"


@pytest.mark.parametrize(
    ("content", "problem"), [(None, "cannot be read"), ("", "the key alone"), ("two words", "the key alone")]
)
def test_a_key_file_that_cannot_be_used(top: Path, tmp_path: Path, content: str | None, problem: str) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=problem) as caught:
        find_key(vault(top, key_file=str(file)), OPENAI, {})
    assert caught.value.key == "extract.key_file"


def test_a_key_file_in_the_vault_is_refused(top: Path) -> None:
    (top / "key.txt").write_text("k", encoding="utf-8")
    with pytest.raises(ConfigError, match="lies in the vault"):
        find_key(vault(top, key_file=str(top / "key.txt")), OPENAI, {})


def test_without_a_key_it_says_where_to_put_one(top: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        find_key(vault(top), CLAUDE, {"OPENAI_API_KEY": "o"})
    assert "ANTHROPIC_API_KEY" in (caught.value.hint or "")
    assert "memfs.local.toml" in (caught.value.hint or "")


def test_the_settings_choose_the_extractor(top: Path) -> None:
    assert choose_extractor(vault(top, model="")) is None
    for name in ("rules", "ollama:llama3.2"):
        chosen = choose_extractor(vault(top, model=name))
        assert chosen is not None
        assert chosen.name == name
    assert model_extractor(vault(top, model="openai:gpt-x"), environ=BOTH).name == "openai:gpt-x"


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "mistral:x", ":x"])
def test_names_without_a_known_provider_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        parse_name(name)
