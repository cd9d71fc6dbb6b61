"""Check: every kind of finding once; what is derived is mended, and all else stays byte for byte."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.services.checking import Finding, check
from memfs.services.finding.indexing import open_index
from memfs.services.opening import Vault
from memfs.services.recall import search
from memfs.vault.local import LocalState
from memfs.vault.records import add_tokens
from tests.services.lexical import hashes, lexical_vault, reopened, the_entry
from tests.services.vaults import IDENTITY, document, git, merge, note, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "v")
    merge(
        vault,
        note("Deploys need a reviewer", 1),
        proposal("decisions", 2, topic="Queue", decision="Use Redis"),
    )
    search(vault, "deploys")
    return vault


def told(vault: Vault) -> list[Finding]:
    return list(check(vault).findings)


def test_a_sound_vault_has_no_findings(vault: Vault) -> None:
    before = hashes(vault.top)
    done = check(vault)
    assert done.findings == ()
    assert done.sound
    assert (done.documents, done.entries) == (3, 2)
    assert hashes(vault.top) == before
    assert git(vault.top, "status", "--short") == ""


def write(name: str, data: bytes) -> Callable[[Vault], None]:
    def do(vault: Vault) -> None:
        path = vault.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return do


def append(name: str, data: bytes) -> Callable[[Vault], None]:
    def do(vault: Vault) -> None:
        path = vault.layout.identity_dir(IDENTITY) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(data)

    return do


def doubled(vault: Vault) -> None:
    path = document(vault, "notes.md")
    path.write_text(path.read_text() + path.read_text().splitlines(keepends=True)[-1])


def copied(vault: Vault) -> None:
    entry = the_entry(vault, "Deploys").id
    document(vault, "other.md").write_text(f"# Other\n\n- Deploys need a reviewer ^{entry}\n")


def twins(vault: Vault) -> None:
    for name in ("caf\u00e9.md", "cafe\u0301.md"):
        (vault.top / name).write_text("x\n", encoding="utf-8")


def linked(vault: Vault) -> None:
    (vault.top.parent / "outside.md").write_text("outside\n")
    (vault.top / "link.md").symlink_to(vault.top.parent / "outside.md")


def locked(vault: Vault) -> None:
    (vault.layout.git_dir / "index.lock").write_bytes(b"")


def hostile(vault: Vault) -> None:
    git(vault.top, "config", "core.fsmonitor", "/bin/evil")


def hooked(vault: Vault) -> None:
    hook = vault.layout.git_dir / "hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")


def elsewhere(vault: Vault) -> None:
    git(vault.top, "switch", "-q", "-c", "draft")


def merging(vault: Vault) -> None:
    git(vault.top, "switch", "-q", "-c", "draft")
    git(vault.top, "commit", "-q", "--allow-empty", "-m", "Draft")
    git(vault.top, "switch", "-q", "main")
    git(vault.top, "merge", "-q", "--no-ff", "--no-commit", "draft")


def lost_object(vault: Vault) -> None:
    oid = git(vault.top, "rev-parse", "HEAD:memories/coding-assistant/notes.md").strip()
    (vault.layout.git_dir / "objects" / oid[:2] / oid[2:]).unlink()


def damaged_intent(vault: Vault) -> None:
    (vault.layout.local / "intent.json").write_text("{")


OWN = f"memories/{IDENTITY}"
COPY = "n (conflicted copy).md"
FOUND: list[tuple[str, Callable[[Vault], None], str, str, str | None, int | None]] = [
    ("broken header", write("a.md", b"---\nx: 1\ntitle: tea : green\n---\n"), "warning", "", "a.md", 3),
    ("template", write("t.md", b"---\ncreated: {{date}}\n---\nx\n"), "warning", "", "t.md", 2),
    ("latin", write("l.md", b"one\ncaf\xe9\n"), "warning", "not UTF-8", "l.md", 2),
    ("own latin", append("own.md", b"one\ncaf\xe9\n"), "error", "not UTF-8", f"{OWN}/own.md", 2),
    ("own header", append("own.md", b"---\na: [\n---\n"), "error", "", f"{OWN}/own.md", None),
    ("conflict copy", write(COPY, b"x\n"), "warning", "sync conflict", COPY, None),
    ("twins", twins, "warning", "Unicode form", "cafe\u0301.md", None),
    ("doubled id", doubled, "warning", "copy counts as yours", f"{OWN}/notes.md", 12),
    ("copied id", copied, "warning", "copy counts as yours", f"{OWN}/other.md", 3),
    ("link", linked, "warning", "symbolic link", "link.md", None),
    ("ledger", append(".ledger/notes.md", b"<<<<<<< HEAD\n"), "warning", "", f"{OWN}/.ledger/notes.md", None),
    ("marks", append(".forgotten", b"junk\n"), "warning", "", f"{OWN}/.forgotten", None),
    ("cursor", append(".cursors/a/00/b", b"junk\n"), "warning", "", f"{OWN}/.cursors/a/00/b", None),
    ("type", write("templates/types/recipes.md", b"---\nfields: 3\n---\n"), "error", "recipes", None, None),
    ("lock", locked, "warning", "git lock", None, None),
    ("hostile", hostile, "warning", "core.fsmonitor runs a program", None, None),
    ("hook", hooked, "warning", "hook post-commit", None, None),
    ("branch", elsewhere, "warning", "draft is checked out", None, None),
    ("merge", merging, "warning", "a merge is under way", None, None),
    ("object", lost_object, "error", "git fsck", None, None),
    ("intent", damaged_intent, "error", "intent log cannot be read", None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("provoke", "level", "message", "path", "line"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND]
)
def test_what_is_a_persons_is_reported_and_left(
    vault: Vault,
    provoke: Callable[[Vault], None],
    level: str,
    message: str,
    path: str | None,
    line: int | None,
) -> None:
    provoke(vault)
    fresh = reopened(vault)
    before = hashes(fresh.top), git(fresh.top, "for-each-ref")
    found = [each for each in told(fresh) if each.level != "mended"]
    fitting = [each for each in found if message in each.message and path in (None, each.path)]
    assert [each.level for each in fitting][:1] == [level], found
    assert line in (None, fitting[0].line)
    assert check(fresh).sound == (level != "error")
    assert (hashes(fresh.top), git(fresh.top, "for-each-ref")) == before


def test_fm_02_a_broken_header_among_many_is_named_by_file_and_line(vault: Vault) -> None:
    for number in range(40):
        (vault.top / f"note{number}.md").write_text(f"---\ntitle: t{number}\n---\nx\n")
    (vault.top / "note7.md").write_text("---\ntitle: t\ntags: [a\n---\nx\n")
    found = [(each.level, each.path, each.line is not None) for each in told(vault)]
    assert found == [("warning", "note7.md", True)]
    assert check(vault).sound


def test_a_note_that_is_not_utf_8_is_named_once(vault: Vault) -> None:
    (vault.top / "l.md").write_bytes(b"one\ncaf\xe9\n")
    assert [(each.level, each.path, each.line) for each in told(vault)] == [("warning", "l.md", 2)]


def test_fm_08_null_values_are_no_finding(vault: Vault) -> None:
    (vault.top / "null.md").write_text("---\ntype:\ntitle:\n---\nx\n")
    assert [each for each in told(vault) if each.level != "mended"] == []


def test_fm_37_a_latin_note_is_never_written(vault: Vault) -> None:
    path = document(vault, "notes.md")
    path.write_bytes(path.read_bytes() + "- caf\u00e9 \u2013".encode("cp1252"))
    before = path.read_bytes()
    merged = merge(vault, note("Staging is reset on Monday", 3))
    assert [outcome.action for outcome in merged.outcomes] == ["deferred"]
    assert "not UTF-8" in merged.waiting[0]
    check(vault)
    assert path.read_bytes() == before


def test_gi_15_md_25_conflict_markers_are_reported_and_nothing_is_merged_there(vault: Vault) -> None:
    path = document(vault, "notes.md")
    path.write_text(path.read_text() + "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n")
    before = path.read_bytes()
    assert [(each.level, each.path) for each in told(vault) if each.level != "mended"] == [
        ("error", "memories/coding-assistant/notes.md")
    ]
    merged = merge(vault, note("Staging is reset on Monday", 3))
    assert [outcome.action for outcome in merged.outcomes] in (["deferred"], ["refused"])
    assert path.read_bytes() == before


def test_a_missing_root_folder_is_an_error_and_is_not_made_anew(vault: Vault) -> None:
    shutil.move(vault.top / "memories", vault.top.parent / "away")
    done = check(reopened(vault))
    assert [(each.level, each.path) for each in done.findings] == [("error", "memories")]
    assert not (vault.top / "memories").exists()
    shutil.move(vault.top.parent / "away", vault.top / "memories")
    assert check(reopened(vault)).sound


def test_a_file_that_cannot_be_read_stops_nothing(vault: Vault) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser reads everything")
    (vault.top / "secret.md").write_text("x\n")
    (vault.top / "secret.md").chmod(0)
    assert [each.path for each in told(vault)] == ["secret.md"]


def mended(vault: Vault) -> list[str]:
    return [each.message for each in told(vault) if each.level == "mended"]


def test_a_stale_index_is_brought_up_and_that_is_no_finding(vault: Vault) -> None:
    (vault.top / "New.md").write_text("new deploys\n")
    assert told(vault) == []
    assert "New.md" in [hit.view.path for hit in search(vault, "deploys").hits]


@pytest.mark.parametrize("pattern", ["meta.json", "*.store", "manifest.sqlite", "stamp.json"])
def test_a_damaged_index_is_built_anew(vault: Vault, pattern: str) -> None:
    hits = search(vault, "deploys").hits
    for path in (vault.layout.derived / "index").rglob(pattern):
        path.write_bytes(b"junk")
    # A stamp that does not fit is what an index of another version has: that one is made anew as a matter of course.
    assert len(mended(vault)) == (pattern != "stamp.json")
    assert mended(vault) == []
    assert search(vault, "deploys").hits == hits


def test_damaged_provenance_and_seen_notes_are_made_anew(vault: Vault) -> None:
    for name in ("provenance/entries.jsonl", "provenance/head.json", "seen.sqlite"):
        path = vault.layout.derived / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"junk")
    assert check(vault).sound
    assert the_entry(vault, "Deploys").source == "claude-code/s1"


def test_damaged_local_state_is_set_aside_once(vault: Vault) -> None:
    state = LocalState(vault.layout)
    add_tokens(state, IDENTITY, "2026-03-01", 5)
    path = vault.layout.local / "state/tokens.json"
    path.write_bytes(b"\0\0")
    assert mended(vault) == ["local state tokens was damaged and begun anew"]
    assert mended(vault) == []
    assert path.with_suffix(".damaged").read_bytes() == b"\0\0"
    assert add_tokens(state, IDENTITY, "2026-03-01", 5) == 5


def test_an_interrupted_commit_is_finished(vault: Vault) -> None:
    from memfs.services.committing import failpoints
    from tests.services.test_commit_kill import run_and_kill

    step = failpoints.STEPS[len(failpoints.STEPS) // 2]
    finished = run_and_kill(lambda: merge(vault, note("Staging is reset on Monday", 3)), step, 1)
    assert not finished
    done = [each.message for each in told(reopened(vault))]
    assert "a commit that a crash had interrupted was finished" in done
    assert the_entry(vault, "Staging").origin == "extracted"
    assert git(vault.top, "status", "--short") == ""


def test_vectors_that_are_missing_are_made(vault: Vault) -> None:
    vault.layout.local_config.write_text("")
    whole = reopened(vault)
    assert open_index(whole).vectors_missing()
    assert check(whole).sound
    assert not open_index(whole).vectors_missing()
