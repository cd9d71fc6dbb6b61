"""remember, forget, move, accept, reject, undo, log, why, diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.interfaces.library import open_memory
from memfs.model import Trust
from tests.conftest import Git
from tests.interfaces.conftest import Memfs, age, edit, run_memfs

DECISIONS = "memories/coding-assistant/decisions.md"
CHAT = """\
## User (2026-11-30 09:15)

We decided to keep the tide cache in DuckDB, because the harbours ask for yearly reports.

## Assistant (2026-11-30 09:16)

Noted.
"""


def the_decision(memfs: Memfs) -> str:
    [entry] = [
        e for e in memfs("list", "--type", "decisions", "--json").json if e["id"] and "SQLite" in e["text"]
    ]
    return str(entry["id"])


@pytest.fixture
def suggestion(memfs: Memfs, vault: Path) -> str:
    """The id of an entry that was edited by hand and then said differently."""
    entry = the_decision(memfs)
    edit(vault / DECISIONS, "We decided to use SQLite", "We use SQLite, one file per harbour,")
    chat = vault / "inbox/coding-assistant/2026-11-30-again.md"
    chat.write_text(CHAT, encoding="utf-8")
    age(chat.parent)
    assert memfs("ingest").code == 0
    return entry


def test_remember_gives_id_path_and_commit(memfs: Memfs, git: Git, vault: Path) -> None:
    done = memfs("remember", "The staging database is reset on Mondays", "--identity", "home-aide", "--json")
    assert set(done.json) == {"id", "path", "action", "commit"}
    assert done.json["path"] == "memories/home-aide/notes.md"
    assert git(vault, "rev-parse", "HEAD").strip() == done.json["commit"]
    [entry] = [e for e in memfs("list", "--json").json if e["id"] == done.json["id"]]
    assert entry["origin"] == "remembered"
    assert memfs(
        "remember", "The staging database is reset on Mondays", "--identity", "home-aide"
    ).out.startswith("known already: ")


def test_remember_reads_standard_input_and_fields(memfs: Memfs) -> None:
    done = memfs(
        "remember", "-", "--identity", "home-aide", "--type", "actions",
        "--field", "priority=high", "--field", "due=2026-12-04", stdin="Renew the certificate\n",
    )  # fmt: skip
    assert done.code == 0
    [entry] = [e for e in memfs("list", "--type", "actions", "--json").json if "certificate" in e["text"]]
    assert entry["status"] == "pending"
    assert "due 2026-12-04" in memfs("show", entry["id"]).out
    tagged = memfs(
        "remember", "Ulla has a key", "--identity", "home-aide", "--field", "tags=home,keys", "--json"
    ).json
    assert "#home #keys" in memfs("show", tagged["id"]).out


def test_a_name_that_is_no_identity_is_refused_with_one_that_could_be(memfs: Memfs) -> None:
    for command in (("remember", "x", "--identity"), ("list", "--identity"), ("move", "m-x", "--to")):
        done = memfs(*command, "José / notes")
        assert (done.code, done.out) == (2, "")
        assert "cannot name an identity" in done.err
        assert "try: jose-notes" in done.err
    assert "try: " not in memfs("list", "--identity", "林晓").err.splitlines()[0]


def test_a_peer_goes_by_any_name(memfs: Memfs) -> None:
    assert memfs("remember", "Likes tea", "--identity", "home-aide", "--peer", "林晓").code == 0
    [entry] = [e for e in memfs("list", "--peer", "林晓", "--json").json if e["text"] == "Likes tea"]
    assert entry["path"] == "memories/home-aide/peers/林晓/notes.md"


def test_remember_never_writes_a_secret(memfs: Memfs, vault: Path, git: Git) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    memfs("remember", f"the key is {secret}", "--identity", "home-aide", "--field", f"tags={secret}")
    assert secret not in git(vault, "log", "-p", "--all")


@pytest.mark.parametrize(
    "arguments",
    [("remember", "x"), ("remember", " ", "--identity", "home-aide"), ("remember", "x", "--field", "tags"),
     ("remember", "x", "--identity", "home-aide", "--type", "nosuch")],
)  # fmt: skip
def test_what_cannot_be_remembered_is_code_2(memfs: Memfs, arguments: tuple[str, ...]) -> None:
    done = memfs(*arguments)
    assert (done.code, done.out) == (2, "")


def test_forget_takes_the_entry_out_and_it_stays_out(memfs: Memfs, vault: Path) -> None:
    entry = the_decision(memfs)
    assert memfs("forget", f"^{entry}").out.startswith(f"forgotten: {DECISIONS} ^{entry}\n")
    assert entry not in (vault / DECISIONS).read_text("utf-8").replace(f"{entry}-", "")
    assert memfs("ingest", "--json").json["sessions"] == []
    assert memfs("why", entry).code == 6


def test_forget_with_purge_leaves_no_word_in_history(memfs: Memfs, vault: Path, git: Git) -> None:
    done = memfs("remember", "the clinic appointment is on Friday", "--identity", "home-aide", "--json")
    edit(vault / "memories/home-aide/profile.md", "Mara", "Mara L")
    purged = memfs("forget", done.json["id"], "--purge", "--json")
    assert purged.code == 0
    assert purged.json["left"] == []
    assert purged.json["objects"] > 0
    assert "clinic" not in git(vault, "log", "-p", "--all")


def test_move_gives_the_entry_to_another_identity(memfs: Memfs) -> None:
    entry = the_decision(memfs)
    moved = memfs("move", entry, "--to", "home-aide", "--json").json
    assert moved["path"] == "memories/home-aide/decisions.md"
    assert moved["id"] != entry
    assert memfs("show", entry).code == 6
    assert "SQLite" in memfs("show", moved["id"]).out


def test_accept_puts_the_offered_wording_in_place(memfs: Memfs, suggestion: str) -> None:
    assert "DuckDB" in memfs("list", "--type", "decisions").out
    assert memfs("accept", suggestion).code == 0
    [entry] = [e for e in memfs("list", "--json").json if e["id"] == suggestion]
    assert "DuckDB" in entry["text"]


def test_reject_takes_the_offered_wording_away(memfs: Memfs, suggestion: str) -> None:
    assert memfs("reject", f"^{suggestion}-q").code == 0
    assert "DuckDB" not in memfs("list").out
    done = memfs("reject", suggestion)
    assert done.code == 6
    assert done.err.startswith(f"error: nothing is offered for {suggestion}\n")


def test_why_quotes_the_turn_and_names_session_and_commit(memfs: Memfs) -> None:
    entry = the_decision(memfs)
    answer = memfs("why", entry, "--json").json
    assert answer["entry"]["id"] == entry
    [reason] = answer["reasons"]
    assert reason["source"].startswith("claude-code/")
    [turn] = reason["turns"]
    assert "SQLite" in turn["text"]
    assert turn["role"] == "user"
    shown = memfs("why", entry).out
    assert reason["commit"][:8] in shown
    assert "    We decided to use SQLite" in shown


@pytest.mark.parametrize(
    ("trust", "words"), [("user", "told outright on "), ("agent", "an agent asked to keep it on ")]
)
def test_why_of_what_was_told_by_a_call_says_so_and_when(
    memfs: Memfs, vault: Path, trust: Trust, words: str
) -> None:
    done = open_memory(vault).remember("The office closes at five", identity="home-aide", trust=trust)
    [reason] = memfs("why", done.id, "--json").json["reasons"]
    assert (reason["source"], reason["kind"], reason["turns"]) == ("remembered", "remember", [])
    shown = memfs("why", done.id).out
    assert words + reason["time"][:10] in shown
    assert "there is no transcript" in shown
    assert "no copy" not in shown


def test_why_of_a_persons_own_line_names_the_person(memfs: Memfs, vault: Path, git: Git) -> None:
    path = vault / "memories/home-aide/notes.md"
    path.write_text(path.read_text("utf-8") + "\n- The meter stands in the hall ^meter\n", encoding="utf-8")
    git(vault, "commit", "-q", "-a", "-m", "Note the meter")
    answer = memfs("why", "meter", "--json").json
    assert (answer["author"], answer["reasons"]) == ("Robin Person", [])
    assert "written by hand: Robin Person" in memfs("why", "^meter").out


def test_log_tells_what_happened_newest_first(memfs: Memfs) -> None:
    memfs("remember", "x marks the spot", "--identity", "home-aide")
    entries = memfs("log", "--json").json
    assert [entry["kind"] for entry in entries][:2] == ["remember", "merge"]
    assert entries[-1]["kind"] == "init"
    assert {"commit", "time", "author", "subject", "identity", "source", "entries"} <= set(entries[0])
    assert len(memfs("log", "--limit", "1").out.splitlines()) == 1
    assert {e["identity"] for e in memfs("log", "--identity", "home-aide", "--json").json} == {"home-aide"}
    assert memfs("log", "--until", "2020-01-01").out == "Nothing was committed yet.\n"
    assert "Start from the sample vault" in memfs("log", "--all").out
    assert "Start from the sample vault" not in memfs("log").out


def test_diff_shows_memory_and_none_of_memfss_records(memfs: Memfs) -> None:
    patch = memfs("diff", "--json").json["diff"]
    assert "+- " in patch
    assert ".ledger" not in patch
    assert ".cursors" not in patch
    assert memfs("diff", "HEAD", "--until", "HEAD").out == "Nothing changed.\n"


def test_undo_takes_back_one_merge_and_keeps_hand_edits(memfs: Memfs, vault: Path) -> None:
    merge = next(e for e in memfs("log", "--json").json if any("m-" in c["id"] for c in e["entries"]))
    first = merge["entries"][0]["id"]
    undone = memfs("undo", merge["commit"], "--json").json
    assert undone["undone"] == merge["commit"]
    assert first in {entry["id"] for entry in undone["entries"]}
    assert memfs("ingest", "--json").json["sessions"] == []
    assert "nothing is left to take back" in memfs("undo", merge["commit"]).out
    assert vault.exists()


def test_undo_of_a_persons_commit_is_refused_with_the_way_to_do_it(
    memfs: Memfs, vault: Path, git: Git
) -> None:
    git(vault, "commit", "-q", "--allow-empty", "-m", "mine")
    done = memfs("undo", "HEAD")
    assert done.code == 2
    assert "git revert" in done.err
    assert run_memfs("undo", "--vault", vault, "nosuch").code == 6


def test_init_says_what_names_an_identity(tmp_path: Path) -> None:
    done = run_memfs("init", tmp_path / "记忆", "--language", "zh", "--identity", "助手")
    assert done.code == 2
    assert "use letters a-z, digits, '-', '_', '.' and one '@', as in home-assistant" in done.err
    assert not (tmp_path / "记忆").exists()
    assert "memfs init ~/记忆 --language zh --identity assistant" in run_memfs("init", "--help").out
