"""status, check, reindex, retry, ingest's reports."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import Git
from tests.interfaces.conftest import SAMPLES, Memfs, age, run_memfs

SESSION = {
    "source", "session", "identity", "turns", "added", "updated", "superseded", "kept", "dropped", "skipped_lines",
    "commit",
}  # fmt: skip


def test_status_tells_sources_identities_and_what_waits(memfs: Memfs, vault: Path) -> None:
    told = memfs("status", "--json").json
    assert told["vault"] == str(vault)
    assert told["branch"] == "main"
    assert [one["identity"] for one in told["identities"]] == ["coding-assistant", "home-aide"]
    assert all(one["last_run"] for one in told["identities"])
    files = [path for path in (vault / "inbox").glob("*/*") if not path.name.startswith(".")]
    assert sum(one["transcripts"] for one in told["sources"]) == len(files)
    assert "Extractor rules, as transcripts grow" in memfs("status").out


def test_status_says_why_nothing_can_be_committed(memfs: Memfs, vault: Path, git: Git) -> None:
    memfs("config", "git.branch", "main")
    git(vault, "switch", "-q", "-c", "other")
    assert "waits while other is checked out" in memfs("status", "--json").json["busy"]
    assert "waits: " in memfs("status").out


def test_status_counts_what_is_not_merged_yet(memfs: Memfs, vault: Path) -> None:
    shutil.copy(SAMPLES / "claude-code" / "sample.basic.jsonl", vault / "inbox" / "home-aide")
    assert sum(one["unmerged"] for one in memfs("status", "--json").json["sources"]) == 1
    assert "transcripts not merged yet: 1; memfs ingest" in memfs("status").out


def test_check_of_a_sound_vault_and_of_one_that_is_not(memfs: Memfs, vault: Path) -> None:
    sound = memfs("check")
    assert sound.code == 0
    assert sound.out.endswith("All is sound.\n")
    (vault / "memories/home-aide/broken.md").write_bytes(b"- caf\xe9\n")
    done = memfs("check", "--json")
    assert done.code == 10
    assert done.json["sound"] is False
    [finding] = [one for one in done.json["findings"] if one["level"] == "error"]
    assert (finding["path"], finding["line"]) == ("memories/home-aide/broken.md", 1)
    assert "wrong: memories/home-aide/broken.md:1: not UTF-8" in memfs("check").out


def test_reindex_builds_all_of_it(memfs: Memfs) -> None:
    done = memfs("reindex", "--json")
    assert done.code == 0
    assert done.json["indexed"] > 20
    assert memfs("search", "tide cache", "--json").json["hits"]


def test_retry_is_an_ingest_with_what_was_set_aside(memfs: Memfs) -> None:
    done = memfs("retry", "--json")
    assert done.code == 0
    told = {"retried", "failed", "learned", "unlearned", "sessions", "waiting", "problems", "left_out"}
    assert set(done.json) == told


def test_ingest_reports_each_session_in_the_fixed_shape(memfs: Memfs) -> None:
    sample = SAMPLES / "claude-code" / "sample.nasty.jsonl"
    done = memfs("ingest", sample, "--identity", "home-aide", "--json")
    [session] = done.json["sessions"]
    assert set(session) >= SESSION
    assert session["source"] == "claude-code"
    assert session["identity"] == "home-aide"
    assert session["skipped_lines"] > 0
    assert memfs("ingest", sample, "--identity", "home-aide").out == "Nothing new.\n"


def test_a_file_that_is_no_conversation_is_a_problem_not_a_crash(memfs: Memfs, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text('{"a": 1}', encoding="utf-8")
    done = memfs("ingest", tmp_path / "data.json", "--identity", "home-aide", "--json")
    assert done.code == 10
    assert len(done.json["problems"]) == 1
    assert done.err.startswith("problem: ")


def test_a_new_source_with_many_sessions_waits_for_a_choice(tmp_path: Path) -> None:
    vault, sessions = tmp_path / "vault", tmp_path / "sessions"
    run_memfs("init", vault, "--identity", "helper")
    sessions.mkdir()
    for number in range(21):
        chat = f"User: I prefer tea number {number} over coffee.\n\nAssistant: Noted.\n"
        (sessions / f"{number}.md").write_text(chat, encoding="utf-8")
    age(sessions)
    with (vault / "memfs.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[[sources]]\npath = "{sessions}"\nidentity = "helper"\n')
    asked = run_memfs("ingest", "--vault", vault, "--json")
    assert asked.code == 10
    assert "--backfill none|30d|all" in asked.json["waiting"][0]
    sources = run_memfs("status", "--vault", vault, "--json").json["sources"]
    assert [one["choice_needed"] for one in sources if one["path"] == str(sessions)] == [True]
    assert "choose with memfs ingest --backfill" in run_memfs("status", "--vault", vault).out
    named = run_memfs("ingest", "--vault", vault, sessions / "0.md", "--json")
    assert len(named.json["sessions"]) == 1
    done = run_memfs("ingest", "--vault", vault, "--backfill", "all", "--json")
    assert (done.code, len(done.json["sessions"])) == (0, 20)
