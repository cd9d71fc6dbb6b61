"""The journal as a language model writes it, over the real protocol: from transcript to the day's document."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.services.dryrun import estimate
from memfs.services.ingesting.reports import IngestReport
from memfs.services.undo import undo
from tests.extraction.model.conftest import Room
from tests.extraction.model.vaults import DECIDED, GOOD_FIRST, Desk
from tests.services.talks import Talk, jsonl, rows, talk
from tests.services.vaults import document, git, merge_commits, new_vault

DAY = "journal/2026-03-01.md"
SAID = ("We go with PostgreSQL for the ledger.", "Please move the 40 tables, src/migrate.py has the script.")
NOTHING: dict[str, Any] = {}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("journal") / "vault").top


@pytest.fixture
def desk(template: Path, tmp_path: Path, room: Room) -> Desk:
    shutil.copytree(template, tmp_path / "vault", symlinks=True)
    return Desk.set_up(tmp_path / "vault", room, journal=True)


def page(state: str = "The tables are being moved.", **lists: list[Any]) -> dict[str, Any]:
    """A good answer: whatever is not given is empty; a text alone names the first turn."""
    names = ("goals", "facts", "files", "errors", "issues", "solved")
    made = {name: [_item(each, name) for each in lists.get(name, [])] for name in names}
    return {"title": "Ledger move", "state": state, **made}


def _item(given: Any, name: str) -> Any:
    return {"text": given, "turns": [1]} if isinstance(given, str) and name != "solved" else given


FIRST = page(
    goals=[{"text": "Move the 40 tables of the ledger", "turns": [3]}],
    facts=["The ledger goes to PostgreSQL"],
    files=[{"text": "src/migrate.py: the migration script", "turns": [3]}],
    issues=[{"text": "Who moves the tables", "turns": [3]}],
)


def step(answer: object) -> dict[str, Any]:
    return {"content": answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)}


def ingest(desk: Desk, *answers: object) -> IngestReport:
    desk.room.script(*map(step, answers))
    return desk.ingest()


def begin(desk: Desk, *said: str) -> None:
    desk.path.parent.mkdir(parents=True, exist_ok=True)
    desk.path.write_text(jsonl(rows(talk("s1", *(said or SAID)))), encoding="utf-8")


def go_on(desk: Desk, *said: str, hours: int = 1) -> None:
    """The same session an hour later, or so."""
    begun = talk("s1", *SAID)
    later = Talk("s1", begun.began + timedelta(hours=hours), (*SAID, *said))
    with desk.path.open("a", encoding="utf-8") as file:
        file.write(jsonl(rows(later, first=len(SAID))))


def journal(desk: Desk, day: str = DAY) -> str:
    """The day's document without ids."""
    path = document(desk.vault, day)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return "\n".join(line.rpartition(" ^")[0] or line for line in text.splitlines())


def dropped(report: IngestReport) -> list[str]:
    return [each.reason for session in report.sessions for each in session.dropped if each.type == "journal"]


def test_a_batch_leaves_a_block_in_the_commit_of_its_merge(desk: Desk) -> None:
    begin(desk)
    report = ingest(desk, GOOD_FIRST, FIRST)
    assert (report.waiting, report.problems, dropped(report)) == ((), (), [])
    assert (
        journal(desk).partition("# 2026-03-01\n")[2]
        == """
## 09:00 Ledger move

- The tables are being moved.

### Task and goals

- Move the 40 tables of the ledger

### Key facts and decisions

- The ledger goes to PostgreSQL

### Files and context

- src/migrate.py: the migration script

### Open issues

- [ ] Who moves the tables"""
    )
    assert desk.texts() == DECIDED, "lines of the journal are no entries of their own"
    (commit,) = merge_commits(desk.vault.top)
    message = git(desk.vault.top, "log", "-1", "--format=%B", commit)
    assert message.startswith("coding-assistant: 1 decision from 2026-03-01 session\n")
    assert "Memfs-Tokens: 1400 in, 120 out" in message
    assert message.count(" added claude-code/s1#s1-prompt-1\n") == 3
    assert report.sessions[0].added == 1


def test_nothing_but_the_journal_is_a_commit_that_says_so(desk: Desk) -> None:
    begin(desk)
    ingest(desk, NOTHING, FIRST)
    (commit,) = merge_commits(desk.vault.top)
    assert (
        git(desk.vault.top, "log", "-1", "--format=%s", commit) == "coding-assistant: journal of 2026-03-01\n"
    )
    assert undo(desk.vault, commit).commit is not None
    assert journal(desk) == ""


def test_the_prompt_shows_the_block_so_far_and_the_new_turns_alone(desk: Desk) -> None:
    begin(desk)
    ingest(desk, NOTHING, FIRST)
    go_on(desk, "Priya moves the tables.")
    ingest(desk, NOTHING, page("Priya is at it.", solved=["Who moves the tables"]))
    asked = desk.sent()[-1]
    for line in (
        "state: The tables are being moved.",
        "facts: The ledger goes to PostgreSQL",
        "issues: Who moves the tables",
        "[1] 2026-03-01 10:02 user: Priya moves the tables.",
    ):
        assert line in asked
    assert "We go with PostgreSQL for the ledger." not in asked
    told = journal(desk)
    assert "- Priya is at it." in told
    assert "- [x] Who moves the tables" in told
    assert "- The ledger goes to PostgreSQL" in told, "a fact that the model left out is not lost"
    assert told.count("## 09:00 Ledger move") == 1


def test_an_issue_the_model_forgets_is_restored_once_and_errors_only_grow(desk: Desk) -> None:
    begin(desk)
    ingest(desk, NOTHING, page(errors=["The migration failed on table 7"], issues=["Who moves the tables"]))
    go_on(desk, "It works now.")
    ingest(desk, NOTHING, page("Done."))
    assert "- [ ] Who moves the tables (no longer mentioned)" in journal(desk)
    go_on(desk, "It works now.", "Thanks.", hours=2)
    ingest(desk, NOTHING, page("Done."))
    assert "Who moves the tables" not in journal(desk)
    assert "- The migration failed on table 7" in journal(desk)


def test_what_no_user_said_is_no_fact(desk: Desk) -> None:
    begin(desk)
    report = ingest(
        desk,
        NOTHING,
        page(
            facts=[
                {"text": "The office moves to Lisbon", "turns": [2]},
                {"text": "Nobody likes MySQL anyway", "turns": []},
                {"text": "PostgreSQL holds the ledger", "turns": []},
            ]
        ),
    )
    assert dropped(report) == [
        "no user turn proves it: The office moves to Lisbon",
        "no user turn proves it: Nobody likes MySQL anyway",
    ]
    assert "- PostgreSQL holds the ledger" in journal(desk)
    assert "Lisbon" not in journal(desk)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"content": "I have written your journal."}, "no JSON that can be read"),
        ({"content": '{"title": "x", "sta', "finish": "length"}, "cut off"),
        ({"content": "[1, 2]"}, "none of the parts"),
        ({"status": 500}, "does not answer"),
    ],
)
def test_a_failed_summary_is_told_and_written_offline(
    desk: Desk, answer: dict[str, Any], reason: str
) -> None:
    begin(desk)
    desk.room.script(step(GOOD_FIRST), answer)
    report = desk.ingest()
    assert report.waiting == ()
    (told,) = dropped(report)
    assert reason in told
    assert desk.texts() == DECIDED
    assert desk.offset() == desk.path.stat().st_size, "extraction went on"
    assert "- Please move the 40 tables, src/migrate.py has the script." in journal(desk)
    assert reason in git(desk.vault.top, "log", "-1", "--format=%b")


def test_a_failed_extraction_does_not_stop_the_summary_when_its_turns_are_passed(desk: Desk) -> None:
    begin(desk)
    for _ in range(2):
        report = ingest(desk, "no JSON")
        assert report.waiting
        assert journal(desk) == "", "turns that come again are summed up then"
    ingest(desk, "no JSON", FIRST)
    assert "- The ledger goes to PostgreSQL" in journal(desk)
    assert desk.entries() == []


def test_with_working_memory_off_it_is_extracted_and_not_summed_up(desk: Desk) -> None:
    desk = Desk.set_up(desk.vault.top, desk.room)
    begin(desk)
    ingest(desk, GOOD_FIRST)
    assert (desk.texts(), journal(desk), len(desk.sent())) == (DECIDED, "", 1)
    assert list((desk.vault.top / "archive" / "transcripts").rglob("*.zst")), "and kept all the same"


def test_the_settings_can_have_it_written_offline_at_no_cost(desk: Desk) -> None:
    desk = Desk.set_up(desk.vault.top, desk.room, '[journal]\nwriter = "rules"', journal=True)
    begin(desk)
    ingest(desk, GOOD_FIRST)
    assert len(desk.sent()) == 1
    assert "- Please move the 40 tables, src/migrate.py has the script." in journal(desk)


def test_a_prompt_of_the_vault_that_is_broken_stops_nothing(desk: Desk) -> None:
    prompts = desk.vault.layout.templates / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "journal.md").write_text("{% if %}", encoding="utf-8")
    begin(desk)
    report = ingest(desk, GOOD_FIRST)
    assert "journal does not parse" in dropped(report)[0]
    assert desk.texts() == DECIDED
    assert "Please move the 40 tables" in journal(desk)


def test_each_day_of_a_session_has_its_own_block(desk: Desk) -> None:
    begin(desk)
    go_on(desk, "Priya moves the tables.", hours=24)
    ingest(desk, NOTHING, NOTHING, FIRST, page("Priya is at it.", facts=["Priya moves the tables"]))
    assert "## 09:00 Ledger move" in journal(desk)
    assert "- Priya moves the tables" not in journal(desk)
    assert "## 09:02 Ledger move\n\n- Priya is at it." in journal(desk, "journal/2026-03-02.md")


def test_secrets_reach_neither_the_model_nor_the_journal(desk: Desk) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 6
    begin(desk, f"The key is {key}, please deploy src/app.py with it.")
    ingest(
        desk, NOTHING, page(f"Deploys with {key}", files=[{"text": f"src/app.py uses {key}", "turns": [1]}])
    )
    assert key not in "\n".join(desk.sent())
    assert "[redacted: " in journal(desk)
    assert key not in journal(desk) + git(desk.vault.top, "log", "-p", "--all")


def test_a_chinese_vault_asks_and_writes_in_chinese(desk: Desk) -> None:
    (desk.vault.top / "memfs.toml").write_text('language = "zh"\n[git]\nbranch = "main"\n', encoding="utf-8")
    desk = Desk.set_up(desk.vault.top, desk.room, journal=True)
    begin(desk, "账本用 PostgreSQL，请把 40 张表迁过去。")
    ingest(desk, NOTHING, page("正在迁移。", facts=["账本用 PostgreSQL"], issues=["谁来迁表"]))
    assert "你为 coding-assistant 写工作日志" in desk.room.calls()[-1]["messages"][0]["content"]
    told = journal(desk)
    assert "### 关键事实与决定\n\n- 账本用 PostgreSQL" in told
    assert git(desk.vault.top, "log", "-1", "--format=%s") == "coding-assistant：2026-03-01 的日志\n"


def test_an_estimate_counts_the_journals_calls_too(desk: Desk) -> None:
    begin(desk)
    with_it = estimate(desk.vault, desk.path)
    without = estimate(Desk.set_up(desk.vault.top, desk.room).vault, desk.path)
    assert (with_it.calls, without.calls) == (2, 1)
    assert with_it.tokens.input > without.tokens.input
    assert desk.sent() == []
