"""Clones of a vault: both merged memory and are merged by the person; a shallow one goes on all the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound, EntryNotFound, RepositoryBusy
from memfs.history.cursors import parse_cursor
from memfs.memory.ledger import parse_ledger
from memfs.services.audit import log, why
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from memfs.services.undo import undo
from tests.services.person import check_sound, texts_at, texts_on_disk
from tests.services.talks import inbox, put_talks, talk
from tests.services.vaults import IDENTITY, document, far_clock, git, new_vault

SHARED = talk("s1", "We decided to use PostgreSQL for the ledger because operations run it already.")
GROWN = talk("s1", *SHARED.said, "I prefer small commits with one reason each.")
GROWN_ON = talk("s1", *GROWN.said, "Remember that the mail relay listens on port 2525.")
HERE = talk("s2", "I prefer early returns to nested conditionals.", day=1)
THERE = talk("s3", "Remember that the staging database listens on port 5433.", day=2)
BOTH = (
    "use PostgreSQL for the ledger",
    "prefer early returns",
    "staging database listens on port 5433",
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones") / "vault"
    vault = new_vault(folder)
    put_talks(vault, [SHARED])
    ingest(vault)
    return folder


@pytest.fixture
def here(template: Path, tmp_path: Path) -> Vault:
    return clone(template, tmp_path / "here")


@pytest.fixture
def there(template: Path, tmp_path: Path) -> Vault:
    return clone(template, tmp_path / "there")


def clone(source: Path, folder: Path, *options: str) -> Vault:
    """A clone, whose transcripts are the same ones."""
    git(source, "clone", "-q", *options, f"file://{source}", str(folder))
    shutil.copytree(source / "inbox", folder / "inbox", dirs_exist_ok=True)
    return open_vault(folder, environ={}, clock=far_clock())


def pull(here: Vault, there: Vault) -> list[str]:
    """The person merges the other clone's branch. Returns the paths in conflict."""
    git(here.top, "fetch", "-q", str(there.top), "main")
    git(here.top, "merge", "-q", "--no-edit", "FETCH_HEAD", check=False)
    return git(here.top, "diff", "--name-only", "--diff-filter=U").split()


def keep_both(here: Vault, path: str) -> None:
    """Resolve a conflict as a person does who wants all of it: front matter once, every line once."""
    lines = (here.top / path).read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    (here.top / path).write_text("".join(kept), encoding="utf-8")
    git(here.top, "add", path)


def count(texts: dict[str, str], line: str) -> int:
    return sum(text.count(line) for path, text in texts.items() if path.endswith(".md") and "/." not in path)


def check(vault: Vault, *lines: str) -> None:
    for texts in (texts_on_disk(vault), texts_at(vault, "HEAD")):
        assert {line: count(texts, line) for line in lines} == dict.fromkeys(lines, 1)
    check_sound(vault)


def added(vault: Vault) -> int:
    """How many entries an ingest adds, with nothing derived left."""
    shutil.rmtree(vault.layout.derived, ignore_errors=True)
    return sum(session.added for session in ingest(vault).sessions)


def test_clones_that_merged_different_sessions_are_united(here: Vault, there: Vault) -> None:
    put_talks(here, [HERE])
    put_talks(there, [THERE])
    assert (added(here), added(there)) == (1, 1)
    assert pull(here, there) == []
    put_talks(here, [THERE])
    assert added(here) == 0, "the cursor of the other clone counts"
    check(here, *BOTH)
    put_talks(here, [GROWN])
    assert added(here) == 1
    check(here, *BOTH, "prefer small commits")


def test_clones_that_added_to_one_document_wait_until_the_person_resolved(here: Vault, there: Vault) -> None:
    put_talks(
        here, [talk("s2", "We decided to use Redis Streams for the queue because it runs already.", day=1)]
    )
    put_talks(
        there, [talk("s3", "We decided to use Terraform for the network because audits ask for it.", day=2)]
    )
    assert (added(here), added(there)) == (1, 1)
    conflicts = pull(here, there)
    assert conflicts == [here.layout.document_rel(IDENTITY, "decisions.md")], (
        "the records unite by themselves"
    )
    put_talks(here, [GROWN])
    before = texts_on_disk(here)
    with pytest.raises(RepositoryBusy, match="a merge is under way"):
        ingest(here)
    assert texts_on_disk(here) == before
    keep_both(here, conflicts[0])
    git(here.top, "commit", "-q", "--no-edit")
    assert added(here) == 1
    check(
        here,
        "use PostgreSQL",
        "use Redis Streams for the queue",
        "use Terraform for the network",
        "prefer small commits",
    )
    ledger = here.layout.ledger_file(IDENTITY, "decisions.md").read_text(encoding="utf-8")
    assert len({record.id for record in parse_ledger(ledger)[0]}) == 3


def test_of_two_cursors_for_one_session_the_furthest_counts(here: Vault, there: Vault) -> None:
    put_talks(here, [GROWN])
    put_talks(there, [GROWN_ON])
    assert (added(here), added(there)) == (1, 2)
    for path in pull(here, there):
        git(here.top, "checkout", "-q", "--theirs", "--", path)
        git(here.top, "add", path)
    git(here.top, "commit", "-q", "--no-edit", check=False)
    cursors = [
        text for path, text in texts_at(here, "HEAD").items() if path.endswith("/s1") and "/.cursors/" in path
    ]
    assert len({cursor.offset for cursor in parse_cursor(cursors[0])[0]}) == 2
    put_talks(here, [GROWN_ON])
    assert added(here) == 0
    check(here, "use PostgreSQL", "prefer small commits", "listens on port 2525")


def test_of_two_cursors_one_that_does_not_fit_is_passed_over(here: Vault, there: Vault) -> None:
    other = talk("s1", SHARED.said[0], "I prefer long commits that tell the whole story of the day at once.")
    put_talks(here, [GROWN])
    put_talks(there, [other])
    assert added(here) == added(there) == 1
    for path in pull(here, there):
        keep_both(here, path)
    git(here.top, "commit", "-q", "--no-edit", check=False)
    put_talks(here, [GROWN_ON])
    ingest(here)
    check(here, "use PostgreSQL", "listens on port 2525")


def test_clones_that_merged_the_same_session_agree(here: Vault, there: Vault) -> None:
    for vault in (here, there):
        put_talks(vault, [GROWN_ON])
        assert added(vault) == 2
    assert pull(here, there) == []
    assert added(here) == 0
    check(here, "use PostgreSQL", "prefer small commits", "listens on port 2525")


def test_gi_17_a_conflict_leaves_the_state_unchanged_and_says_so(here: Vault, there: Vault) -> None:
    for vault, words in ((here, "- said here\n"), (there, "- said there\n")):
        decisions = document(vault, "decisions.md")
        decisions.write_text(decisions.read_text(encoding="utf-8") + words, encoding="utf-8")
        git(vault.top, "commit", "-q", "-a", "-m", "Say something")
    assert pull(here, there)
    put_talks(here, [GROWN_ON])
    head, status = git(here.top, "rev-parse", "HEAD"), git(here.top, "status", "--porcelain")
    with pytest.raises(RepositoryBusy, match="a merge is under way") as caught:
        ingest(here)
    assert "finish it with git" in str(caught.value.hint)
    assert (git(here.top, "rev-parse", "HEAD"), git(here.top, "status", "--porcelain")) == (head, status)


def test_gi_18_unrelated_histories_are_the_persons_to_join(here: Vault, tmp_path: Path) -> None:
    other = new_vault(tmp_path / "other", "writing-assistant")
    git(here.top, "fetch", "-q", str(other.top), "main")
    git(here.top, "merge", "-q", "--allow-unrelated-histories", "--no-edit", "FETCH_HEAD", check=False)
    for path in git(here.top, "diff", "--name-only", "--diff-filter=U").split():
        git(here.top, "checkout", "-q", "--ours", "--", path)
        git(here.top, "add", path)
    git(here.top, "commit", "-q", "--no-edit", check=False)
    put_talks(here, [GROWN])
    assert added(here) == 1
    check(here, "use PostgreSQL", "prefer small commits")


def test_a_shallow_clone_goes_on_and_answers_from_what_is_there(here: Vault, tmp_path: Path) -> None:
    put_talks(here, [HERE])
    ingest(here)
    shallow = clone(here.top, tmp_path / "shallow", "--depth", "1")
    assert shallow.repository.is_shallow()
    assert added(shallow) == 0
    put_talks(shallow, [GROWN])
    assert added(shallow) == 1
    check(shallow, "use PostgreSQL", "prefer early returns", "prefer small commits")
    entries = {view.text: view.id or "" for view in list_entries(shallow)}
    for text, entry in entries.items():
        known = "small commits" in text or "early returns" in text
        assert bool(why(shallow, entry).reasons) == known, text
    assert [entry.kind for entry in log(shallow)] == ["merge", "merge"]
    with pytest.raises(CommitNotFound):
        undo(shallow, "HEAD~1")  # what it began from is not here
    undo(shallow, "HEAD")
    check(shallow, "use PostgreSQL", "prefer early returns")
    with pytest.raises(EntryNotFound):
        why(shallow, entries[next(text for text in entries if "small commits" in text)])
    assert inbox(shallow).is_dir()
