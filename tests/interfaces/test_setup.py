"""init, config, types, and the languages of a vault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Git
from tests.interfaces.conftest import SAMPLES, Memfs, run_memfs


def test_init_makes_a_vault_and_says_what_to_do_next(tmp_path: Path, git: Git) -> None:
    done = run_memfs("init", tmp_path / "new", "--identity", "helper", "--identity", "cook")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith(f"The vault is ready: {tmp_path / 'new'}\n")
    assert "Identities: cook, helper\n" in done.out
    assert "inbox/cook/" in done.out
    assert git(tmp_path / "new", "status", "--porcelain") == ""
    again = run_memfs("init", tmp_path / "new")
    assert again.code == 0
    assert again.out.startswith("The vault was ready already: ")


def test_init_as_json_and_in_chinese(tmp_path: Path) -> None:
    made = run_memfs("init", tmp_path / "新", "--language", "zh", "--json").json
    assert set(made) == {"vault", "identities", "created", "taken", "commit"}
    assert run_memfs("init", tmp_path / "新").out.startswith("记忆库早已就绪：")


def test_init_inside_a_repository_is_refused_and_names_its_top(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    done = run_memfs("init", tmp_path / "deep")
    assert done.code == 4
    assert str(tmp_path) in done.err


def test_config_shows_changes_and_unsets(memfs: Memfs, vault: Path) -> None:
    assert "extract.delay_seconds" in memfs("config").out
    assert memfs("config", "extract.delay_seconds").out == "0\n"
    assert memfs("config", "extract.delay_seconds", "30").code == 0
    assert memfs("config", "extract.delay_seconds", "--json").json["value"] == 30
    assert "# built in and offline" in (vault / "memfs.toml").read_text("utf-8")
    assert memfs("config", "extract.delay_seconds", "--unset").code == 0
    shown = memfs("config", "extract.delay_seconds", "--json").json
    assert (shown["value"], shown["origin"]) == (90, None)
    memfs("config", "timezone", "Asia/Shanghai", "--local")
    assert "Asia/Shanghai" in (vault / "memfs.local.toml").read_text("utf-8")
    everything = memfs("config", "--json").json
    assert everything["sources"][0]["me"] == ["Mara", "玛拉"]


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (("extract.delay_second", "1"), 3, "extract.delay_seconds"),
        (("extract.delay_second",), 3, "extract.delay_seconds"),
        (("extract.delay_seconds", "9999"), 3, ""),
        (("language", "zh", "--unset"), 2, "config --help"),
        (("--local",), 2, "config --help"),
    ],
)  # fmt: skip
def test_config_says_what_is_wrong(memfs: Memfs, arguments: tuple[str, ...], code: int, hint: str) -> None:
    done = memfs("config", *arguments)
    assert (done.code, done.out) == (code, "")
    assert hint in done.err


def test_types_come_with_fields_and_a_broken_one_is_named(memfs: Memfs, vault: Path) -> None:
    folder = vault / "templates" / "types"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipes.md").write_text("no frontmatter", encoding="utf-8")
    done = memfs("types", "--json")
    assert done.code == 0
    decisions = next(one for one in done.json["types"] if one["name"] == "decisions")
    assert decisions["key"] == ["topic"]
    assert "reason" in {field["name"] for field in decisions["fields"]}
    assert done.err.startswith("problem: memory type recipes is skipped: ")
    assert "decisions.md" in memfs("types").out


CHINESE = [
    (("ingest",), "没有新内容。"),
    (("list", "--peer", "nobody"), "没有条目。"),
    (("search", "zyxwv"), "没有找到。"),
    (("status",), "记忆库 "),
    (("check",), "一切正常。"),
    (("remember", "钥匙在门厅", "--identity", "home-aide"), "已记住："),
    (("config", "extract.when", "live"), "memfs.toml 中 extract.when = live"),
    (("log", "--until", "2020-01-01"), "还没有任何提交。"),
    (("types",), "类型"),
]


@pytest.mark.parametrize(
    ("arguments", "said"), CHINESE, ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_a_chinese_vault_answers_in_chinese(memfs: Memfs, arguments: tuple[str, ...], said: str) -> None:
    memfs("config", "language", "zh")
    done = memfs(*arguments)
    assert done.code == 0
    assert said in done.out


def test_progress_in_a_chinese_vault_is_chinese(memfs: Memfs) -> None:
    memfs("config", "language", "zh")
    done = memfs("ingest", SAMPLES / "claude-code" / "sample.basic.jsonl", "--identity", "home-aide")
    assert done.err.startswith("home-aide：5 条消息（claude-code/")
    assert done.out.startswith("会话 1，消息 5；新增 ")


def test_errors_of_a_chinese_vault_have_chinese_labels(memfs: Memfs) -> None:
    memfs("config", "language", "zh")
    first, second = memfs("why", "m-nothere").err.splitlines()
    assert first.startswith("错误：")
    assert second.startswith("  可以试试：")
