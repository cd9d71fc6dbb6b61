"""Settings files and environment: what is read, and how errors point at the place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memfs.config.reading import find_line, load_config
from memfs.config.settings import SETTINGS, Config
from memfs.errors import ConfigError


def write(top: Path, text: str, name: str = "memfs.toml") -> Path:
    path = top / name
    path.write_bytes(text.encode("utf-8"))
    return path


def failure(top: Path, text: str, name: str = "memfs.toml") -> ConfigError:
    write(top, text, name)
    with pytest.raises(ConfigError) as caught:
        load_config(top, {})
    return caught.value


def test_no_files_give_the_defaults(tmp_path: Path) -> None:
    config = load_config(tmp_path, {})
    assert config == Config()
    assert config.extract.model == "rules"
    assert config.extract.delay_seconds == 90
    assert config.extract.min_interval_seconds == 300
    assert config.memory_policy.memory_types is None
    assert config.search.include == ("**/*.md",)
    assert config.origins == {}


def test_every_default_satisfies_its_own_rule(tmp_path: Path) -> None:
    lines = []
    for setting in SETTINGS.values():
        if setting.default is not None:
            value = list(setting.default) if isinstance(setting.default, tuple) else setting.default
            lines.append(f"{setting.key} = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    write(tmp_path, "\n".join(lines).replace("'", '"'))
    config = load_config(tmp_path, {})
    assert config == Config()
    assert all(setting.value(config) == setting.default for setting in SETTINGS.values())


def test_all_forms_of_toml_reach_their_place(tmp_path: Path) -> None:
    write(
        tmp_path,
        'language = "zh"\nmemory_policy.self.enabled = false\nembeddings = { engine = "none" }\n'
        "[memory_policy.peer]\nenabled = false\n[extract]\ndelay_seconds = 0\n"
        'instructions = """\nbe\nbrief"""\n',
    )
    config = load_config(tmp_path, {})
    assert config.language == "zh"
    assert (config.memory_policy.self_enabled, config.memory_policy.peer_enabled) == (False, False)
    assert config.embeddings.engine == "none"
    assert config.extract.delay_seconds == 0
    assert config.extract.instructions == "be\nbrief"
    assert config.origins["extract.delay_seconds"] == "memfs.toml"


def test_environment_wins_over_local_over_shared(tmp_path: Path) -> None:
    write(tmp_path, 'language = "zh"\n[embeddings]\nmodel = "a"\n[extract]\nwhen = "daily"\n')
    write(tmp_path, '[embeddings]\nmodel = "b"\n[extract]\nmodel = ""\n', "memfs.local.toml")
    config = load_config(tmp_path, {"MEMFS_EXTRACT_MODEL": "rules", "MEMFS_VAULT": "/elsewhere"})
    assert (config.language, config.embeddings.model, config.extract.model) == ("zh", "b", "rules")
    assert config.extract.when == "daily"
    assert config.origins == {
        "language": "memfs.toml",
        "embeddings.model": "memfs.local.toml",
        "extract.model": "MEMFS_EXTRACT_MODEL",
        "extract.when": "memfs.toml",
    }


def test_sources_of_both_files_are_joined_by_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        '[[sources]]\nname = "claude"\npath = "/team"\n[[sources]]\npath = "chats"\nme = ["Robin", "罗宾"]\n',
    )
    write(
        tmp_path,
        '[[sources]]\nname = "claude"\npath = "~/.claude/projects"\narchive = true\n',
        "memfs.local.toml",
    )
    claude, chats = load_config(tmp_path, {}).sources
    assert (claude.path, claude.archive) == ("~/.claude/projects", True)
    assert (chats.path, chats.me, chats.identity) == ("chats", ("Robin", "罗宾"), "")


def test_byte_order_mark_and_crlf_are_read(tmp_path: Path) -> None:
    write(tmp_path, '\ufefflanguage = "zh"\r\n[extract]\r\nwhen = "daily"\r\n')
    assert load_config(tmp_path, {}).extract.when == "daily"


@pytest.mark.parametrize(
    ("text", "key", "line", "words"),
    [
        ('# hello\nlangauge = "en"\n', "langauge", 2, "did you mean language?"),
        (
            "[extract]\n\n# wait\ndelay_second = 3\n",
            "extract.delay_second",
            4,
            "did you mean extract.delay_seconds?",
        ),
        ('[extrat]\nmodel = "x"\n', "extrat", 1, "did you mean extract"),
        ("delay_seconds = 5\n", "delay_seconds", 1, "did you mean extract.delay_seconds?"),
        ("[memory_policy.slf]\nenabled = true\n", "memory_policy.slf", 1, "did you mean memory_policy.self"),
        (
            '[extract]\nwhen = "dayly"\n',
            "extract.when",
            2,
            "must be one of live, daily (did you mean daily?)",
        ),
        ("[extract]\ndelay_seconds = 3\n", "extract.delay_seconds", 2, "must be 5 to 3,600, or 0, not 3"),
        ("[extract]\ndelay_seconds = true\n", "extract.delay_seconds", 2, "must be a whole number"),
        ("[extract]\nmin_interval_seconds = 86401\n", "extract.min_interval_seconds", 2, "0 to 86,400"),
        ('[archive]\ndelete_originals = "yes"\n', "archive.delete_originals", 2, "must be true or false"),
        ('[archive]\nroots = "here"\n', "archive.roots", 2, "must be a list of texts"),
        ('[archive]\nroots = [\n  "a",\n  3,\n]\n', "archive.roots", 2, "must be a list of texts"),
        (f'extract.instructions = "{"x" * 1001}"\n', "extract.instructions", 1, "at most 1,000 characters"),
        (
            'extract.base_url = "localhost:1"\n',
            "extract.base_url",
            1,
            "must be an http:// or https:// address",
        ),
        ('timezone = "Europe/Madird"\n', "timezone", 1, "did you mean Europe/Madrid?"),
        ('daily.schedule = "59 23 * * *"\n', "daily.schedule", 1, "six fields"),
        ('daily.schedule = "0 61 23 * * *"\n', "daily.schedule", 1, "(bad minute)"),
        ('root = "../up"\n', "root", 1, "a path inside the vault"),
        ('root = "/abs"\n', "root", 1, "a path inside the vault"),
        (
            '[[sources]]\npath = "a"\n[[sources]]\nidentity = "b"\n',
            "sources.path",
            3,
            "a source needs a path",
        ),
        ('[[sources]]\npath = "a"\nidenty = "b"\n', "sources.identy", 3, "did you mean sources.identity?"),
        ('[[sources]]\npath = ""\n', "sources.path", 2, "must not be empty"),
        ('[sources]\npath = "a"\n', "sources", 1, "[[sources]] blocks"),
    ],
)
def test_errors_name_file_key_line_and_remedy(
    tmp_path: Path, text: str, key: str, line: int, words: str
) -> None:
    error = failure(tmp_path, text)
    assert (error.key, error.line) == (key, line)
    assert error.path == str(tmp_path / "memfs.toml")
    assert words in str(error)


@pytest.mark.parametrize("name", ["memfs.toml", "memfs.local.toml"])
@pytest.mark.parametrize(
    "text",
    [
        '[extract]\napi_key = "anything"\n',
        '[extract]\nmodel = "sk-abcdefghijklmnopqrstuvwx"\n',
        '[openai]\nAPIKEY = "x"\n',
        '\nopenai_api_key = "x"\n',
    ],
)
def test_a_key_in_a_settings_file_is_an_error_that_says_where_to_put_it(
    tmp_path: Path, text: str, name: str
) -> None:
    error = failure(tmp_path, text, name)
    assert error.path == str(tmp_path / name)
    if "[openai]" not in text:
        assert error.line == 2
        assert "environment" in str(error)
        assert "OPENAI_API_KEY" in str(error)
    assert "abcdefghij" not in str(error)


def test_broken_toml_and_other_encodings_name_file_and_line(tmp_path: Path) -> None:
    assert failure(tmp_path, 'language = "en"\n[extract\n').line == 2
    assert failure(tmp_path, 'language = "en').line == 1
    (tmp_path / "memfs.toml").write_bytes("语言 = 1".encode("gb18030"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_config(tmp_path, {})


def test_a_wrong_environment_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MEMFS_LANGUAGE must be one of en, zh") as caught:
        load_config(tmp_path, {"MEMFS_LANGUAGE": "fr"})
    assert caught.value.key == "language"
    with pytest.raises(ConfigError, match="MEMFS_EXTRACT_DELAY_SECONDS must be a whole number"):
        load_config(tmp_path, {"MEMFS_EXTRACT_DELAY_SECONDS": "soon"})
    assert load_config(tmp_path, {"MEMFS_EXTRACT_DELAY_SECONDS": "7"}).extract.delay_seconds == 7


def test_lines_are_found_in_every_form() -> None:
    text = 'a = [\n 1,\n]\n\n# c\n"b".c = 1\n[t]\nx = """\ny = 1\n"""\ny = 2\n[[s]]\n[[s]]\nk = { z = 1 }\n'
    places = {
        ("a",): 1,
        ("b", "c"): 6,
        ("t",): 7,
        ("t", "x"): 8,
        ("t", "y"): 11,
        ("s", 0): 12,
        ("s", 1): 13,
        ("s", 1, "k", "z"): 14,
        ("nowhere",): None,
    }
    assert {trail: find_line(text, trail) for trail in places} == places


def test_reading_imports_no_toml_writer_and_no_pydantic() -> None:
    code = (
        "import sys, memfs.config\n"
        "print([name for name in ('tomlkit', 'pydantic', 'yaml', 'git') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_belongs_to_one_machine_is_refused_in_the_committed_file(tmp_path: Path) -> None:
    write(tmp_path, '[extract]\nkey_file = "~/.keys/openai"\n')
    with pytest.raises(ConfigError, match=r"memfs\.local\.toml") as caught:
        load_config(tmp_path, {})
    assert (caught.value.key, caught.value.line) == ("extract.key_file", 2)
    write(tmp_path, "")
    write(tmp_path, '[extract]\nkey_file = "~/.keys/openai"\n', "memfs.local.toml")
    assert load_config(tmp_path, {}).extract.key_file == "~/.keys/openai"


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "openai:a b", "gemini:x"])
def test_a_model_is_named_with_its_provider(tmp_path: Path, name: str) -> None:
    write(tmp_path, f'[extract]\nmodel = "{name}"\n')
    with pytest.raises(ConfigError, match="openai:NAME"):
        load_config(tmp_path, {})
