"""A person's git command at every pause point of protocol 3.1: memory, cursor and hand edits right afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memfs.errors import RepositoryBusy
from memfs.services.committing import failpoints
from memfs.services.merging.reverts import absorb_reverts
from memfs.services.opening import Vault
from tests.services.person import (
    CURSOR,
    DIRTY,
    HAND,
    NEW,
    OLD,
    STAGED,
    Paused,
    check_cursor,
    check_sound,
    has_cursor,
    holds,
    is_pending,
    is_somewhere,
    make_template,
    recover,
    run,
    run_paused,
    second_merge,
    texts_at,
    texts_on_disk,
    work_by_hand,
)
from tests.services.vaults import IDENTITY, copy_vault, document, git

NOTES = f"memories/{IDENTITY}/notes.md"
SEED = 20261130
CI_CASES = 64
REPEATED = ("place.before", "place.exchanged", "place.displaced")
STEPS = [(step, 1) for step in failpoints.STEPS] + [(step, 2) for step in REPEATED]
# Squashes the second of two commits into the first.
SQUASH = {"GIT_SEQUENCE_EDITOR": "sed -i.bak 2s/^pick/fixup/", "GIT_EDITOR": "true"}


@dataclass(frozen=True)
class Action:
    """What the person does at the pause, and later.

    ``away``: HEAD is elsewhere until later. ``stashed``: uncommitted work is in the stash until later. ``rewinds``:
    a commit of memfs may be off the branch afterwards, its files staged.
    """

    name: str
    now: Callable[[Vault], object]
    later: Callable[[Vault], object] = lambda _: None
    away: bool = False
    stashed: bool = False
    rewinds: bool = False


def commit_other(vault: Vault) -> None:
    (vault.top / "Shopping.md").write_text("- oat milk\n", encoding="utf-8")
    run(vault, "add", "Shopping.md")
    run(vault, "commit", "-q", "-m", "Note the shopping")


def commit_document(vault: Vault) -> None:
    run(vault, "commit", "-q", "-m", "Commit the notes", "--", "memories/coding-assistant/notes.md")


def stage_document(vault: Vault) -> None:
    run(vault, "add", "memories/coding-assistant/notes.md", "memories/coding-assistant/decisions.md")
    run(vault, "commit", "-q", "-m", "Commit two documents")


def commit_all(vault: Vault) -> None:
    run(vault, "commit", "-q", "-a", "-m", "Commit all")


def add_all(vault: Vault) -> None:
    run(vault, "add", "-A")
    run(vault, "commit", "-q", "-m", "Commit all there is")


def commit_elsewhere(vault: Vault) -> None:
    run(vault, "checkout", "-q", "-b", "other")
    run(vault, "commit", "-q", "-a", "-m", "Commit all on another branch")


def stash_and_edit(vault: Vault) -> None:
    run(vault, "stash", "-q")
    decisions = document(vault, "decisions.md")
    if decisions.exists():
        decisions.write_text(
            decisions.read_text(encoding="utf-8") + "- written after the stash\n", encoding="utf-8"
        )


def merge_squash(vault: Vault) -> None:
    """A squash merge; where both sides changed a document, the person keeps what the branch has."""
    run(vault, "merge", "-q", "--squash", "topic")
    for path in git(vault.top, "diff", "--name-only", "--diff-filter=U").split():
        run(vault, "checkout", "-q", "--ours", "--", path)
        run(vault, "add", path)
    run(vault, "commit", "-q", "-m", "Take the topic in")


def merge_topic(vault: Vault) -> None:
    if not run(vault, "merge", "-q", "--no-edit", "topic"):
        run(vault, "merge", "--abort") if (vault.top / ".git" / "MERGE_HEAD").exists() else None


def home(vault: Vault) -> None:
    """Back to main; what stands in the way is committed where the person is."""
    if not run(vault, "switch", "-q", "main"):
        run(vault, "add", "-A")
        run(vault, "commit", "-q", "-m", "Leave it here")
        assert run(vault, "switch", "-q", "main")


def pop(vault: Vault) -> None:
    """Pop the stash; a conflict is resolved by keeping both sides."""
    run(vault, "stash", "pop", "-q")
    for path in git(vault.top, "diff", "--name-only", "--diff-filter=U").split():
        lines = (vault.top / path).read_text(encoding="utf-8").splitlines(keepends=True)
        (vault.top / path).write_text(
            "".join(line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))),
            encoding="utf-8",
        )
        run(vault, "add", path)


ACTIONS = (
    Action("commit of other work", commit_other),
    Action("commit of the document", commit_document),
    Action("commit of staged documents", stage_document),
    Action("commit -a", commit_all),
    Action("add -A, commit", add_all),
    Action("stash", lambda v: run(v, "stash", "-q"), pop, stashed=True),
    Action("stash -u", lambda v: run(v, "stash", "-q", "-u"), pop, stashed=True),
    Action("stash, edit", stash_and_edit, pop, stashed=True),
    Action("checkout -b", lambda v: run(v, "checkout", "-q", "-b", "other"), home, away=True),
    Action("switch", lambda v: run(v, "switch", "-q", "side"), home, away=True),
    Action("commit on a new branch", commit_elsewhere, home, away=True),
    Action("merge --squash", merge_squash),
    Action("merge", merge_topic),
    Action("commit --amend", lambda v: run(v, "commit", "-q", "--amend", "--no-edit"), rewinds=True),
    Action("reset --soft", lambda v: run(v, "reset", "-q", "--soft", "HEAD~1"), rewinds=True),
    Action("rebase -i", lambda v: run(v, "rebase", "-q", "-i", "HEAD~2", env=SQUASH), rewinds=True),
)

Case = tuple[Action, tuple[str, int], bool, bool]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("person") / "vault")


def play(template: Path, folder: Path, case: Case) -> None:
    action, (step, nth), hand, foreign = case
    vault = copy_vault(template, folder)
    work_by_hand(vault, hand=hand, foreign=foreign)
    staged = git(folder, "ls-files", "-s", STAGED)
    paused = run_paused(lambda: second_merge(vault), step, nth, lambda: action.now(vault) and None)
    check_right_afterwards(vault, action, paused, hand=hand, staged=staged)
    action.later(vault)
    check_next_start(vault, hand=hand, foreign=foreign)


def check_right_afterwards(vault: Vault, action: Action, paused: Paused, *, hand: bool, staged: str) -> None:
    here = git(vault.top, "symbolic-ref", "--short", "HEAD").strip()
    if paused.busy is None:
        rewound = action.rewinds and not holds(vault, texts_at(vault, "main"))
        assert holds(vault, texts_at(vault, ":" if rewound else "main")), (
            "acknowledged, but not in the branch"
        )
        assert here != "main" or holds(vault, texts_on_disk(vault)), "acknowledged, but not in the files"
    else:
        waits = is_pending(vault) or "partly staged" in paused.busy
        assert here != "main" or waits, f"nothing is in the way, but it was refused: {paused.busy}"
    if here == "main":
        check_cursor(vault, "main")
    assert not hand or is_somewhere(vault, NOTES, HAND), "the hand edit is lost"
    if not action.stashed:
        assert git(vault.top, "ls-files", "-s", STAGED) == staged
    check_sound(vault)


def check_next_start(vault: Vault, *, hand: bool, foreign: bool) -> None:
    recover(vault)
    try:
        second_merge(vault)
    except RepositoryBusy:  # a document is partly staged
        run(vault, "commit", "-q", "-a", "-m", "What was half staged")
        second_merge(vault)
    assert not is_pending(vault)
    check_cursor(vault)
    run(vault, "commit", "-q", "--allow-empty", "-m", "A plain commit")
    check_whole(vault)
    run(vault, "commit", "-q", "-a", "-m", "All there is")
    check_whole(vault)
    assert not hand or is_somewhere(vault, NOTES, HAND), "the hand edit is lost"
    if foreign:
        assert is_somewhere(vault, STAGED, "- sow beans")
        assert is_somewhere(vault, DIRTY, "- buy soil")
    head = git(vault.top, "rev-parse", "HEAD")
    second_merge(vault)
    assert git(vault.top, "rev-parse", "HEAD") == head, "merged twice"
    assert not [path for path in vault.layout.memories.rglob(".memfs-*")]
    check_sound(vault)


def check_whole(vault: Vault) -> None:
    """Every memory is in HEAD and in its file, once."""
    for texts in (texts_at(vault, "HEAD"), texts_on_disk(vault)):
        for name, line in (*NEW, *OLD):
            assert texts[vault.layout.document_rel(IDENTITY, name)].count(line) == 1, line
        assert texts[vault.layout.document_rel(IDENTITY, "notes.md")].count(HAND) <= 1
        assert CURSOR.session in "".join(path for path in texts if "/.cursors/" in path)


CASES: tuple[Case, ...] = tuple(
    (action, step, hand, foreign)
    for action in ACTIONS
    for step in STEPS
    for hand, foreign in ((True, True), (True, False), (False, True), (False, False))
    if hand or not step[0].startswith("hand.")
)


def name_of(case: Case) -> str:
    action, (step, nth), hand, foreign = case
    return f"{action.name} at {step}{'' if nth == 1 else ' again'}{', hand' * hand}{', foreign' * foreign}"


@pytest.mark.parametrize("case", random.Random(SEED).sample(CASES, CI_CASES), ids=name_of)
def test_a_person_uses_git_while_a_merge_stands_still(template: Path, tmp_path: Path, case: Case) -> None:
    play(template, tmp_path / "vault", case)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_command_at_every_step(template: Path, tmp_path: Path, case: Case) -> None:
    play(template, tmp_path / "vault", case)


@pytest.mark.parametrize(("step", "nth"), [step for step in STEPS if not step[0].startswith("hand.")])
def test_a_revert_of_a_merge_in_the_window_of_the_next(
    template: Path, tmp_path: Path, step: str, nth: int
) -> None:
    """What was reverted is gone, what was not is there; git declines while the files are half changed."""
    vault = copy_vault(template, tmp_path / "vault")
    reverted: list[str] = []

    def revert() -> None:
        second = holds(vault, texts_at(vault, "HEAD"))
        if run(vault, "revert", "--no-edit", "HEAD"):
            reverted.append("second" if second else "first")

    paused = run_paused(lambda: second_merge(vault), step, nth, revert)
    assert paused.reached
    recover(vault)
    absorb_reverts(vault)
    second_merge(vault)
    gone = {"first": OLD, "second": NEW}.get("".join(reverted), ())
    kept = [line for line in (*OLD, *NEW) if line not in gone]
    for texts in (texts_at(vault, "HEAD"), texts_on_disk(vault)):
        documents = "".join(text for path, text in texts.items() if "/." not in path)
        assert {line: documents.count(line) for _, line in kept} == {line: 1 for _, line in kept}
        assert not any(line in documents for _, line in gone), "a revert counts as undo"
        assert has_cursor(texts)
    check_sound(vault)
