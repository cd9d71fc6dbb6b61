"""Changing a key: comments survive, bad values are never written, the file is replaced in one step."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.config.changing import set_setting
from memfs.config.reading import load_config
from memfs.config.settings import SETTINGS
from memfs.errors import ConfigError

COMMENTED = """\
# My vault
language = "en"   # for now

[extract]
# wait longer on this machine
delay_seconds = 120
when  =  "live"

[[sources]]
path = "chats" # from the old phone
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "memfs.toml").write_text(COMMENTED, encoding="utf-8")
    return tmp_path


def test_only_the_value_changes(top: Path) -> None:
    path = set_setting(top, "extract.delay_seconds", "5")
    assert path.read_text(encoding="utf-8") == COMMENTED.replace("120", "5")
    set_setting(top, "language", "zh")
    assert path.read_text(encoding="utf-8") == COMMENTED.replace("120", "5").replace('"en" ', '"zh" ')


def test_new_keys_join_their_table_and_top_keys_stay_above_the_tables(top: Path) -> None:
    for key, value in [
        ("timezone", "Asia/Shanghai"),
        ("extract.model", ""),
        ("memory_policy.self.enabled", "off"),
        ("memory_policy.memory_types", "decisions, notes"),
        ("search.include", '["a, b/*.md", "**/*.md"]'),
    ]:
        set_setting(top, key, value)
    config = load_config(top, {})
    assert (config.timezone, config.extract.model, config.extract.delay_seconds) == ("Asia/Shanghai", "", 120)
    assert config.memory_policy.self_enabled is False
    assert config.memory_policy.memory_types == ("decisions", "notes")
    assert config.search.include == ("a, b/*.md", "**/*.md")
    assert [source.path for source in config.sources] == ["chats"]
    text = (top / "memfs.toml").read_text(encoding="utf-8")
    assert all(line in text for line in COMMENTED.splitlines())
    assert text.count("[extract]") == 1


def test_none_removes_a_key(top: Path) -> None:
    set_setting(top, "extract.delay_seconds", None)
    set_setting(top, "memory_policy.self.enabled", None)
    assert load_config(top, {}).extract.delay_seconds == 90
    assert "# wait longer" in (top / "memfs.toml").read_text(encoding="utf-8")


def test_local_goes_to_the_local_file(top: Path) -> None:
    set_setting(top, "embeddings.engine", "none", local=True)
    assert (top / "memfs.toml").read_text(encoding="utf-8") == COMMENTED
    assert load_config(top, {}).origins["embeddings.engine"] == "memfs.local.toml"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("extract.delay_seconds", "4", "must be 5 to 3,600"),
        ("extract.delay_seconds", "soon", "must be a whole number"),
        ("transcripts.keep", "maybe", "must be true or false"),
        ("language", "fr", "must be one of en, zh"),
        ("archive.roots", "[1]", "must be a list of texts"),
        ("extract.model", "sk-abcdefghijklmnopqrstuvwx", "OPENAI_API_KEY"),
        ("extract.delay", "5", "did you mean extract."),
    ],
)
def test_a_bad_value_is_refused_and_nothing_written(top: Path, key: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        set_setting(top, key, value)
    assert (top / "memfs.toml").read_text(encoding="utf-8") == COMMENTED
    assert sorted(path.name for path in top.iterdir()) == ["memfs.toml"]


def test_a_file_that_is_already_wrong_is_not_touched(top: Path) -> None:
    broken = COMMENTED + "\nlangauge = 1\n"
    (top / "memfs.toml").write_text(broken, encoding="utf-8")
    with pytest.raises(ConfigError, match="langauge"):
        set_setting(top, "language", "zh")
    assert (top / "memfs.toml").read_text(encoding="utf-8") == broken


def test_mode_link_line_endings_and_byte_order_mark_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_bytes('\ufeff# hi\r\nlanguage = "en"\r\n[extract]\r\nwhen = "live"\r\n'.encode())
    real.chmod(0o600)
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "memfs.toml").symlink_to(real)
    set_setting(vault, "extract.when", "daily")
    assert real.read_bytes() == '\ufeff# hi\r\nlanguage = "en"\r\n[extract]\r\nwhen = "daily"\r\n'.encode()
    assert os.stat(real).st_mode & 0o777 == 0o600
    assert (vault / "memfs.toml").is_symlink()


_TYPED = {
    "extract.delay_seconds": st.integers(5, 3600).map(str),
    "watch.rescan_seconds": st.integers(1, 86400).map(str),
    "archive.delete_originals": st.sampled_from(["true", "false", "yes", "off"]),
    "extract.instructions": st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40),
    "embeddings.model": st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20),
    "memory_policy.peer.enabled": st.sampled_from(["true", "false"]),
    "memory_policy.working_memory.enabled": st.sampled_from(["true", "false"]),
    "archive.roots": st.lists(st.from_regex(r"[a-z/]{1,9}", fullmatch=True), max_size=3).map(", ".join),
    "git.branch": st.sampled_from(["main", "notes/记忆"]),
    "timezone": st.sampled_from(["", "UTC", "Asia/Shanghai"]),
}
_CHANGES = st.lists(
    st.sampled_from(sorted(_TYPED)).flatmap(lambda key: st.tuples(st.just(key), st.none() | _TYPED[key])),
    max_size=8,
)


@given(changes=_CHANGES)
def test_any_changes_in_any_order_read_back(tmp_path_factory: pytest.TempPathFactory, changes: list) -> None:
    top = tmp_path_factory.mktemp("vault")
    (top / "memfs.toml").write_text(COMMENTED, encoding="utf-8")
    expected: dict[str, str | None] = {}
    for key, value in changes:
        set_setting(top, key, value)
        expected[key] = value
    config = load_config(top, {})
    for key, value in expected.items():
        setting = SETTINGS[key]
        found = setting.value(config)
        if value is None:
            assert found == setting.default
        elif isinstance(found, bool):
            assert found == (value in {"true", "yes"})
        elif isinstance(found, tuple):
            assert ", ".join(found) == value
        else:
            assert str(found) == value
    text = (top / "memfs.toml").read_text(encoding="utf-8")
    assert "# My vault" in text
    assert "# from the old phone" in text
    assert tomllib.loads(text)["sources"] == [{"path": "chats"}]
