"""What a command says is so: what waits is told, what is dropped comes with its reason, and nothing is claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.interfaces.cli.messages import message
from memfs.services.agent_files import AgentFiles
from memfs.services.ingesting.reports import SessionReport, describe
from memfs.services.opening import open_vault
from tests.conftest import Git
from tests.interfaces.conftest import Memfs, age, run_memfs

CHAT = "User: I prefer rye bread over wheat bread.\n\nAssistant: Noted.\n"
MISSING = "the document is missing; commit its removal, or put it back"


def chat(vault: Path, name: str = "bread.md", text: str = CHAT) -> Path:
    file = vault / "inbox/home-aide" / name
    file.write_text(text, encoding="utf-8")
    age(file.parent)
    return file


def preferences(memfs: Memfs, vault: Path) -> Path:
    """A document of memfs's that is committed."""
    assert memfs("remember", "Short answers", "--type", "preferences", "--identity", "home-aide").code == 0
    age(vault / "memories/home-aide")
    return vault / "memories/home-aide/preferences.md"


def test_what_waits_is_not_called_nothing(memfs: Memfs, vault: Path) -> None:
    document = preferences(memfs, vault)
    text = document.read_text("utf-8")
    document.write_text(f"{text}\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", encoding="utf-8")
    chat(vault)
    done = memfs("ingest")
    assert done.code == 10
    assert "nothing recorded yet, something waits" in done.out
    assert "nothing to record" not in done.out + done.err
    assert ": waits" in done.err


def test_a_model_that_does_not_answer_is_not_nothing_new(
    memfs: Memfs, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(vault)
    monkeypatch.setenv("MEMFS_EXTRACT_MODEL", "openai:test")
    monkeypatch.setenv("MEMFS_EXTRACT_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("MEMFS_EXTRACT_TIMEOUT_SECONDS", "5")
    done = memfs("ingest")
    assert done.code == 10
    assert "Nothing new." not in done.out
    assert "wait" in done.out
    assert message("zh", "nothing_merged").startswith("没有合并")


def test_a_line_says_that_it_waits_in_both_languages() -> None:
    report = SessionReport("s", "1", "home-aide", 2, waiting=("why",))
    assert describe(report).endswith(": waits")
    assert describe(report, "zh").endswith("：等待中")
    assert describe(SessionReport("s", "1", "home-aide", 2)).endswith(": nothing to record")


def test_a_document_deleted_whole_is_told_until_it_is_committed(memfs: Memfs, vault: Path, git: Git) -> None:
    document = preferences(memfs, vault)
    assert MISSING not in memfs("status").out
    document.unlink()
    checked, told = memfs("check"), memfs("status").out
    assert checked.code == 10
    assert f"wrong: memories/home-aide/preferences.md: {MISSING}" in checked.out
    assert "All is sound." not in checked.out
    assert f"memories/home-aide/preferences.md: {MISSING}" in told
    assert "Nothing waits." not in told
    git(vault, "add", "-A", "memories")
    git(vault, "commit", "-q", "-m", "by hand")
    assert MISSING not in memfs("check").out + memfs("status").out


def test_a_document_that_moved_is_not_missing(memfs: Memfs, vault: Path) -> None:
    document = preferences(memfs, vault)
    document.rename(document.with_name("tastes.md"))
    assert MISSING not in memfs("check").out + memfs("status").out


def test_reasons_are_given_once_and_the_rest_counted(memfs: Memfs, vault: Path) -> None:
    chat(vault)
    assert memfs("ingest").code == 0
    [entry] = [e["id"] for e in memfs("list", "--json").json if "rye bread" in e["text"]]
    assert memfs("forget", entry).code == 0
    chat(vault, "again.md", f"User: Hello there.\n\n{CHAT}")
    done = memfs("ingest")
    assert "dropped preferences: this text was deleted, rejected or undone\n" in done.err
    assert "memfs extract FILE" not in done.err
    assert message("zh", "dropped_line", type="notes", reason="x") == "舍弃 notes：x"


def test_undo_of_a_redaction_by_hand_names_file_and_line(memfs: Memfs, vault: Path, git: Git) -> None:
    diary = vault / "diary.md"
    diary.write_text("# Diary\n\nthe key is AKIAIOSFODNN7EXAMPLE\n", encoding="utf-8")
    git(vault, "add", "diary.md")
    git(vault, "commit", "-q", "-m", "by hand")
    done = memfs("redact", "--hand")
    assert "what was committed stays in history" in done.err
    refused = memfs("undo", "HEAD")
    assert (refused.code, refused.out) == (2, "")
    assert "it would bring a secret (" in refused.err
    assert "back into diary.md:3" in refused.err
    assert "[redacted: " in diary.read_text("utf-8")


def test_undo_of_a_redaction_of_what_was_never_committed_is_refused_too(
    memfs: Memfs, vault: Path, git: Git
) -> None:
    diary = vault / "diary.md"
    diary.write_text("# Diary\n", encoding="utf-8")
    git(vault, "add", "diary.md")
    git(vault, "commit", "-q", "-m", "by hand")
    diary.write_text("# Diary\n\nthe key is AKIAIOSFODNN7EXAMPLE\n", encoding="utf-8")
    done = memfs("redact", "--hand")
    assert done.code == 0, done.err
    assert "history still holds it" not in done.err
    refused = memfs("undo", "HEAD")
    assert refused.code == 2
    assert "out of diary.md:3 that was never committed; no undo brings it back" in refused.err


def test_unset_says_that_there_was_nothing_to_remove(memfs: Memfs) -> None:
    assert "extract.delay_seconds removed from " in memfs("config", "extract.delay_seconds", "--unset").out
    assert "extract.delay_seconds is not set in " in memfs("config", "extract.delay_seconds", "--unset").out
    memfs("config", "extract.delay_seconds", "30")
    assert "extract.delay_seconds removed from " in memfs("config", "extract.delay_seconds", "--unset").out
    assert message("zh", "was_unset", key="k", path="p") == "p 中未设置 k"


def test_the_past_that_is_left_out_is_counted(tmp_path: Path) -> None:
    vault, sessions = tmp_path / "vault", tmp_path / "sessions"
    run_memfs("init", vault, "--identity", "helper")
    sessions.mkdir()
    for number in range(21):
        (sessions / f"{number}.md").write_text(CHAT.replace("rye", f"rye {number}"), encoding="utf-8")
    age(sessions)
    with (vault / "memfs.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[[sources]]\npath = "{sessions}"\nidentity = "helper"\n')
    done = run_memfs("ingest", "--vault", vault, "--backfill", "none")
    assert (done.code, done.out) == (0, "Nothing new.\n")
    assert "Old sessions left out: 21; memfs ingest --backfill 30d|all takes them up" in done.err
    assert "21" in message("zh", "left_out", n=21)
    taken = run_memfs("ingest", "--vault", vault, "--backfill", "all", "--json").json
    assert (len(taken["sessions"]), taken["left_out"]) == (21, 0)


@pytest.mark.parametrize(
    "command",
    [
        ("remember", "x", "--identity", "home-aid"),
        ("relay", "add", "The meter was read today", "--channel", "cli", "--identity", "home-aid"),
        ("context", "--identity", "home-aid"),
    ],
)
def test_a_mistyped_identity_is_refused_in_both_languages(
    memfs: Memfs, vault: Path, command: tuple[str, ...]
) -> None:
    there = {path.name for path in (vault / "memories").iterdir()}
    refused = run_memfs(*command, "--vault", vault)
    assert refused.code == 2
    assert refused.err == (
        "error: no identity is called home-aid\n"
        "  try: one of home-aide, coding-assistant; memfs init . --identity home-aid makes a new one\n"
    )
    assert memfs("config", "language", "zh").code == 0
    chinese = run_memfs(*command, "--vault", vault).err
    assert "没有名为 home-aid 的身份" in chinese
    assert "现有：home-aide, coding-assistant；新建：memfs init . --identity home-aid" in chinese
    assert {path.name for path in (vault / "memories").iterdir()} == there


def test_move_to_a_mistyped_identity_makes_none(memfs: Memfs, vault: Path) -> None:
    entry = memfs("remember", "Tide soup", "--identity", "home-aide", "--json").json["id"]
    refused = memfs("move", entry, "--to", "coding-asistant")
    assert (refused.code, "one of coding-assistant, home-aide" in refused.err) == (2, True)
    assert not (vault / "memories/coding-asistant").exists()


def test_the_help_of_hook_says_when_it_answers() -> None:
    told = " ".join(run_memfs("hook", "--help").out.split())
    assert "JSON always" not in told
    assert "session-start answers with JSON where memory has something to tell" in told


def test_undo_of_an_agents_change_says_what_became_of_the_file(memfs: Memfs, vault: Path) -> None:
    AgentFiles(open_vault(vault), "home-aide").create("/memories/plan.md", "- one\n")
    path = "memories/home-aide/plan.md"
    assert memfs("undo", "HEAD").out.splitlines()[1] == f"  removed  {path}"
    assert memfs("undo", "HEAD").out.splitlines()[1] == f"  added  {path} (brought back)"
