"""Kill -9 at every step of protocol 3.1, also during recovery: nothing acknowledged is lost, nothing happens twice."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.services.commit import open_transaction
from memfs.services.committing import failpoints
from memfs.services.opening import Vault
from tests.services.vaults import (
    IDENTITY,
    committed,
    copy_vault,
    document,
    git,
    merge,
    merge_commits,
    new_vault,
    note,
    proposal,
)

HAND = "- the person's own line, not committed yet"
SEED = 20261130
# Steps in which a commit with several documents comes by several times.
REPEATED = ("place.before", "place.exchanged", "place.displaced")
STEPS = [(step, 1) for step in failpoints.STEPS] + [(step, 2) for step in REPEATED]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with a merged note and decision, ready for a second merge that updates and adds."""
    folder = tmp_path_factory.mktemp("kill") / "vault"
    vault = new_vault(folder)
    merge(
        vault,
        note("The staging database listens on port 5433"),
        proposal("decisions", 1, topic="Queue", decision="Use RabbitMQ", reason="we know it"),
    )
    return folder


def edit_by_hand(vault: Vault) -> None:
    """A person's edit that waits, uncommitted, in a document the merge will touch."""
    notes = document(vault, "notes.md")
    notes.write_text(notes.read_text(encoding="utf-8") + HAND + "\n", encoding="utf-8")


def second_merge(vault: Vault) -> None:
    """Adds a note, supersedes a decision, makes a new document: three files that go through every step."""
    merge(
        vault,
        note("Deploys on Friday need a second reviewer", 4),
        proposal(
            "decisions", 5, topic="Queue", decision="Use Redis Streams", reason="operations run it already"
        ),
        proposal(
            "preferences", 6, topic="Code style", content="Prefers early returns to nested conditionals"
        ),
        session="s2",
    )


def run_and_kill(work: Callable[[], None], step: str, nth: int) -> bool:
    """Run ``work`` in a forked process that dies at the nth time it reaches ``step``. Whether it finished instead."""
    pid = os.fork()
    if pid == 0:
        left = itertools.count(1)

        def observer(reached: str) -> None:
            if reached == step and next(left) == nth:
                os.kill(os.getpid(), signal.SIGKILL)

        failpoints.observe(observer)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the worker failed by itself at {step}"
    return not os.WIFSIGNALED(status)


def recover(vault: Vault) -> None:
    """What the next memfs command does first."""
    with open_transaction(vault):
        pass


def check_person_can_commit(vault: Vault) -> None:
    """Between crash and recovery a person's own commit works, or fails on a lock only."""
    (vault.top / "Shopping.md").write_text("- oat milk\n", encoding="utf-8")
    done = subprocess.run(
        ["git", "-C", str(vault.top), "commit", "-q", "-m", "Note the shopping", "--only", "Shopping.md"],
        capture_output=True,
        text=True,
        check=False,
    )
    added = subprocess.run(
        ["git", "-C", str(vault.top), "add", "Shopping.md"], capture_output=True, check=False
    )
    if done.returncode != 0 and added.returncode == 0:
        done = subprocess.run(
            ["git", "-C", str(vault.top), "commit", "-q", "-m", "Note the shopping", "Shopping.md"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0 or ".lock" in done.stderr, done.stderr


def check_present(vault: Vault) -> None:
    """What was logged or acknowledged is in the files and in HEAD."""
    for name, line in LINES[:3]:
        assert line in document(vault, name).read_text(encoding="utf-8")
        assert line in committed(vault.top, vault.layout.document_rel(IDENTITY, name))


LINES = (
    ("notes.md", "Deploys on Friday need a second reviewer"),
    ("decisions.md", "Use Redis Streams"),
    ("preferences.md", "Prefers early returns to nested conditionals"),
    ("decisions.md", "Use RabbitMQ"),
    ("notes.md", "The staging database listens on port 5433"),
    ("notes.md", HAND),
)


def check_outcome(vault: Vault) -> None:
    """Everything once, the hand edit kept, the repository sound; a further merge of the same changes nothing."""
    second_merge(vault)
    before = git(vault.top, "rev-parse", "HEAD")
    second_merge(vault)
    assert git(vault.top, "rev-parse", "HEAD") == before
    for name, line in LINES:
        text = document(vault, name).read_text(encoding="utf-8")
        assert text.count(line) == 1, line
        assert committed(vault.top, vault.layout.document_rel(IDENTITY, name)) == text
    assert git(vault.top, "status", "--porcelain") in ("", "?? Shopping.md\n", "A  Shopping.md\n")
    assert len(merge_commits(vault.top)) == 2
    assert len(merge_commits(vault.top, "hand")) == 1
    fsck = subprocess.run(
        ["git", "-C", str(vault.top), "fsck", "--strict"], capture_output=True, text=True, check=False
    )
    assert fsck.returncode == 0, fsck.stderr
    assert not [path for path in vault.layout.memories.rglob(".memfs-*")]


def is_logged(step: str) -> bool:
    """Whether a commit killed at this step must be rolled forward."""
    return failpoints.STEPS.index(step) >= failpoints.STEPS.index("log.written")


@pytest.mark.parametrize(("step", "nth"), STEPS)
def test_a_kill_at_every_step_is_finished_by_the_next_start(
    template: Path, tmp_path: Path, step: str, nth: int
) -> None:
    vault = copy_vault(template, tmp_path / "vault")
    edit_by_hand(vault)
    run_and_kill(lambda: second_merge(vault), step, nth)
    recover(vault)
    if is_logged(step):
        check_present(vault)
    check_outcome(vault)


@pytest.mark.parametrize(("step", "nth"), STEPS)
def test_a_person_can_commit_after_a_kill_at_every_step(
    template: Path, tmp_path: Path, step: str, nth: int
) -> None:
    vault = copy_vault(template, tmp_path / "vault")
    edit_by_hand(vault)
    run_and_kill(lambda: second_merge(vault), step, nth)
    check_person_can_commit(vault)
    recover(vault)
    if is_logged(step):
        check_present(vault)
    check_outcome(vault)


PAIRS = [
    (first, second)
    for first in STEPS
    if is_logged(first[0])
    for second in STEPS
    if second[0] != "hand.indexed"
]


def kill_twice(template: Path, folder: Path, first: tuple[str, int], second: tuple[str, int]) -> None:
    """Kill a merge, kill its recovery, recover."""
    vault = copy_vault(template, folder)
    edit_by_hand(vault)
    run_and_kill(lambda: second_merge(vault), *first)
    run_and_kill(lambda: recover(vault), *second)
    recover(vault)
    check_present(vault)
    check_outcome(vault)
    shutil.rmtree(folder)


@pytest.mark.parametrize("group", range(16))
def test_a_kill_of_the_recovery_is_finished_by_the_next_start(
    template: Path, tmp_path: Path, group: int
) -> None:
    chosen = random.Random(SEED).sample(PAIRS, 256)
    for first, second in chosen[group::16]:
        kill_twice(template, tmp_path / "vault", first, second)


@pytest.mark.slow
def test_every_pair_of_kills_is_finished(template: Path, tmp_path: Path) -> None:
    for first, second in PAIRS:
        kill_twice(template, tmp_path / "vault", first, second)
