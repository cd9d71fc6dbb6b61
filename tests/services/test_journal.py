"""Working memory from transcript to commit, with the offline summary; and where policy does not allow it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.model import ToolCall
from memfs.services.audit import why
from memfs.services.checking import check
from memfs.services.context import context
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault
from memfs.services.recall import search
from memfs.services.undo import undo
from tests.services.talks import Talk, inbox, jsonl, put_talks, rows, talk
from tests.services.vaults import Clock, copy_vault, document, git, merge_commits, new_vault

DAY = "journal/2026-03-01.md"
SAID = ("Please fix the failing test in parser.py", "We go with PostgreSQL for the ledger.")
LATER = ("It still fails on Windows.",)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("working") / "vault").top


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


def told(vault: Vault, day: str = DAY) -> str:
    """The day's journal without ids; empty where there is none."""
    path = document(vault, day)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return "\n".join(line.rpartition(" ^")[0] or line for line in text.splitlines())


def run(vault: Vault, *talks: Talk) -> IngestReport:
    put_talks(vault, talks)
    return ingest(vault)


def grow(vault: Vault, *said: str, hours: int = 1) -> IngestReport:
    """The session s1 goes on."""
    begun = talk("s1", *SAID)
    later = Talk("s1", begun.began + timedelta(hours=hours), (*SAID, *said))
    with (inbox(vault) / "s1.jsonl").open("a", encoding="utf-8") as file:
        file.write(jsonl(rows(later, first=len(SAID))))
    return ingest(vault)


def settings(vault: Vault, text: str) -> None:
    path = vault.top / "memfs.toml"
    path.write_text(path.read_text(encoding="utf-8") + f"\n{text}\n", encoding="utf-8")


def test_a_role_line_heads_no_block(vault: Vault) -> None:
    chat = (
        "## User (2026-03-01 09:15)\n\nPlease fix the failing test in parser.py\n\n"
        "## Assistant (2026-03-01 09:16)\n\nNoted.\n"
    )
    (inbox(vault) / "chat.md").write_text(chat, encoding="utf-8")
    ingest(vault)
    assert "\n## 09:15 Please fix the failing test in parser.py\n" in told(vault)
    assert "User (" not in told(vault)


def test_it_stands_in_the_same_commit_and_grows_in_place(vault: Vault) -> None:
    report = run(vault, talk("s1", *SAID))
    assert report.sessions[0].added == 1, "lines of the journal are not counted as entries"
    assert "- Last said at 09:01: We go with PostgreSQL for the ledger." in told(vault)
    grow(vault, *LATER)
    text = told(vault)
    assert text.count("## 09:00 Please fix the failing test in parser.py") == 1
    assert "- Last said at 10:02: It still fails on Windows." in text
    assert "- Please fix the failing test in parser.py" in text
    assert "- [ ] It still fails on Windows." in text
    first, second = merge_commits(vault.top)[::-1]
    assert DAY in git(vault.top, "show", "--name-only", "--format=", first)
    assert ".cursors" in git(vault.top, "show", "--name-only", "--format=", first)
    undo(vault, second)
    assert "Windows" not in told(vault)
    assert "- Last said at 09:01: We go with PostgreSQL for the ledger." in told(vault)
    undo(vault, first)
    assert told(vault) == ""
    assert check(vault).sound


def test_reading_a_session_again_changes_nothing(vault: Vault) -> None:
    run(vault, talk("s1", *SAID))
    before = document(vault, DAY).read_bytes()
    (inbox(vault) / "s1.jsonl").write_text(jsonl(rows(talk("s1", *SAID))), encoding="utf-8")
    assert ingest(vault).sessions == ()
    assert document(vault, DAY).read_bytes() == before


def test_talk_of_nothing_leaves_no_block_and_no_commit(vault: Vault) -> None:
    run(vault, talk("s1", "Good morning, how are you?"))
    assert told(vault) == ""
    assert merge_commits(vault.top) == []


@pytest.mark.parametrize("where", ["settings", "identity", "session"])
def test_with_it_off_the_rest_goes_on(vault: Vault, where: str) -> None:
    if where == "settings":
        settings(vault, "[memory_policy.working_memory]\nenabled = false")
    elif where == "identity":
        path = document(vault, "identity.md")
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("type: identity\n", "type: identity\nmemory_working: false\n"), "utf-8")
    vault = copy_vault(vault.top, vault.top.with_name("again"))
    if where == "session":
        head = '{"memfs": 1, "id": "s1", "memory_policy": {"working_memory": {"enabled": false}}}\n'
        lines = [f'{{"role": "user", "text": "{text}", "id": "m{at}"}}\n' for at, text in enumerate(SAID)]
        (inbox(vault) / "s1.jsonl").write_text(head + "".join(lines), encoding="utf-8")
        ingest(vault)
    else:
        run(vault, talk("s1", *SAID))
    assert told(vault) == ""
    assert [view.type for view in list_entries(vault)] == ["decisions"]
    assert list((vault.top / "archive" / "transcripts").rglob("*.zst"))


def test_with_no_memory_type_it_is_summed_up_all_the_same(vault: Vault) -> None:
    settings(vault, '[memory_policy]\nmemory_types = ["experiences"]')
    vault = copy_vault(vault.top, vault.top.with_name("again"))
    run(vault, talk("s1", *SAID))
    assert "- Please fix the failing test in parser.py" in told(vault)
    assert list(list_entries(vault)) == []
    assert git(vault.top, "log", "-1", "--format=%s") == "coding-assistant: journal of 2026-03-01\n"


def test_a_journal_that_cannot_be_written_stops_nothing_and_is_told(vault: Vault) -> None:
    run(vault, talk("s1", *SAID))
    path = document(vault, DAY)
    path.write_bytes(b"---\nidentity: x\nkeys: [broken\n---\n" + b"\xff\xfe not UTF-8\n")
    before = path.read_bytes()
    report = grow(vault, *LATER, "My name is Priya.")
    assert report.waiting == ()
    assert [each.type for each in report.sessions[0].dropped if "journal/" in each.reason] == ["journal"]
    assert path.read_bytes() == before
    assert "profile" in [view.type for view in list_entries(vault)]


def test_context_shows_the_day_with_its_headings_and_search_finds_it(vault: Vault) -> None:
    run(vault, talk("s1", *SAID, *LATER))
    assert isinstance(vault.clock, Clock)
    vault.clock.now = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)
    shown = context(vault, budget=2000).text
    assert "- Task and goals: Please fix the failing test in parser.py (memories/" in shown
    assert "- Open issues: It still fails on Windows. (" in shown
    path = document(vault, DAY)
    path.write_text(path.read_text(encoding="utf-8").replace("- [ ] It still", "- [x] It still"), "utf-8")
    assert "- Open issues: " not in context(vault, budget=2000).text, "what is ticked is open no more"
    (hit, *_) = search(vault, "fails on Windows").hits
    assert (hit.view.type, hit.view.date) == ("journal", "2026-03-01")
    assert hit.view.id is not None
    told_why = why(vault, hit.view.id)
    assert (told_why.entry.type, told_why.entry.status) == ("journal", "done")
    assert [said.turn.text for reason in told_why.reasons for said in reason.turns if said.turn] == [LATER[0]]


def test_a_session_put_off_the_record_is_taken_out_of_the_journal(vault: Vault) -> None:
    run(vault, talk("s1", *SAID))
    assert told(vault)
    grow(vault, "This whole conversation is off the record.")
    assert told(vault) == ""


def test_secrets_and_what_is_private_stay_out(vault: Vault) -> None:
    key = "ghp_" + "a1B2" * 9
    run(
        vault,
        talk(
            "s1",
            f"Please deploy with {key} to staging",
            "<private>Please book the clinic for me</private> Please rename parser.py",
        ),
    )
    assert key not in told(vault)
    assert "clinic" not in told(vault)
    assert "- Please rename parser.py" in told(vault)


def test_two_days_are_two_documents(vault: Vault) -> None:
    run(vault, talk("s1", *SAID))
    grow(vault, "Please rename parser.py to reader.py", hours=30)
    assert "reader.py" not in told(vault)
    assert "- Please rename parser.py to reader.py" in told(vault, "journal/2026-03-02.md")


def test_failed_tools_are_told_by_name(vault: Vault) -> None:
    assert ToolCall("1", "Bash", {}, "exit code 2", is_error=True).is_error
    made = rows(talk("s1", *SAID))
    made[1]["message"]["content"] = [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
    ]
    answer = {
        **made[2],
        "uuid": "s1-result-0",
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "exit code 2: boom"}
            ],
        },
    }
    inbox(vault).mkdir(parents=True, exist_ok=True)
    (inbox(vault) / "s1.jsonl").write_text(jsonl([*made[:2], answer, *made[2:]]), encoding="utf-8")
    ingest(vault)
    assert "- Bash failed: exit code 2" in told(vault)


def test_search_tells_the_origin_of_its_lines_as_the_ledger_does(vault: Vault) -> None:
    run(vault, talk("s1", *SAID))
    for at in (None, "HEAD"):
        line = next(hit.view for hit in search(vault, "failing test parser", type="journal", at=at).hits)
        assert (line.type, line.origin, line.trust) == ("journal", "extracted", "user")
    assert why(vault, line.id or "").entry.origin == "extracted"
