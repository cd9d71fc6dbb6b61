"""A person at the same repository: a merge that pauses at a step, the person's git command, and what must hold then."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memfs.errors import MemfsError, RepositoryBusy
from memfs.model import Cursor
from memfs.services.commit import open_transaction
from memfs.services.committing import failpoints
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.services.opening import Vault
from memfs.vault.intents import read_intent
from tests.services.vaults import IDENTITY, document, git, merge, new_vault, note, proposal

HAND = "- the person's own line, not committed yet"
TOPIC = "- a line of the topic branch"
# What the second merge writes, by document, and what stands there before it.
NEW = (
    ("decisions.md", "Use Redis Streams"),
    ("notes.md", "Deploys on Friday need a second reviewer"),
    ("preferences.md", "Prefers early returns to nested conditionals"),
)
OLD = (("decisions.md", "Use RabbitMQ"), ("notes.md", "The staging database listens on port 5433"))
CURSOR = Cursor("claude-code", "s2", 900, "s2-6", 900, "0" * 64, "0" * 64)
STAGED, DIRTY = "Garden.md", "Tasks.md"
# git declines a command rather than lose something; that is no fault of memfs.
DECLINES = (
    "would be overwritten",
    "nothing to commit",
    "nothing added to commit",
    "no changes added",
    "unstaged changes",
    "uncommitted changes",
    "could not apply",
    "CONFLICT",
    "No stash entries",
    "already exists, no checkout",
)


@dataclass(frozen=True)
class Paused:
    """How a merge ended that was paused: ``reached`` the step, and why it is ``busy`` (None: it committed)."""

    reached: bool
    busy: str | None


def make_template(folder: Path) -> Path:
    """A vault with one merge, and a person's own files: another branch, a tracked file, an older commit."""
    vault = new_vault(folder)
    (folder / DIRTY).write_text("- water the plants\n", encoding="utf-8")
    git(folder, "add", DIRTY)
    git(folder, "commit", "-q", "-m", "Begin the tasks")
    git(folder, "branch", "side")
    merge(
        vault,
        note("The staging database listens on port 5433"),
        proposal("decisions", 1, topic="Queue", decision="Use RabbitMQ", reason="we know it"),
    )
    git(folder, "switch", "-q", "-c", "topic")
    decisions = document(vault, "decisions.md")
    decisions.write_text(decisions.read_text(encoding="utf-8") + TOPIC + "\n", encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "Note what the topic is about")
    git(folder, "switch", "-q", "main")
    return folder


def work_by_hand(vault: Vault, *, hand: bool, foreign: bool) -> None:
    """The person's work that is under way: an edit in a document of the merge, a staged file, an unstaged one."""
    if hand:
        notes = document(vault, "notes.md")
        notes.write_text(notes.read_text(encoding="utf-8") + HAND + "\n", encoding="utf-8")
    if foreign:
        (vault.top / STAGED).write_text("- sow beans\n", encoding="utf-8")
        git(vault.top, "add", STAGED)
        (vault.top / DIRTY).write_text("- water the plants\n- buy soil\n", encoding="utf-8")


def second_merge(vault: Vault) -> None:
    """Adds a note, supersedes a decision, makes a new document, moves a cursor.

    RepositoryBusy also when a document has to wait.
    """
    work = MergeWork(
        IDENTITY,
        proposals=(
            note("Deploys on Friday need a second reviewer", 4, "s2"),
            proposal(
                "decisions", 5, "s2", topic="Queue", decision="Use Redis Streams", reason="it runs already"
            ),
            proposal(
                "preferences",
                6,
                "s2",
                topic="Code style",
                content="Prefers early returns to nested conditionals",
            ),
        ),
        cursors=(CURSOR,),
        source="claude-code/s2",
    )
    merged = merge_settled(vault, work)
    if merged.waiting:
        raise RepositoryBusy("; ".join(merged.waiting))


def run_paused(work: Callable[[], None], step: str, nth: int, meanwhile: Callable[[], None]) -> Paused:
    """Run ``work`` in a forked process that stands still the nth time at ``step`` until ``meanwhile`` is done."""
    there, here = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os._exit(_worker(work, step, nth, there[1], here[0]))
    os.close(there[1])
    os.close(here[0])
    told = os.read(there[0], 1)
    if told == b"!":
        meanwhile()
    os.write(here[1], b".") if told == b"!" else None
    message = bytearray()
    while part := os.read(there[0], 4096):
        message += part
    os.close(there[0])
    os.close(here[1])
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, message.decode()
    return Paused(told == b"!", message.decode().removeprefix("#") or None)


def _worker(work: Callable[[], None], step: str, nth: int, tell: int, wait: int) -> int:
    count = 0

    def observer(reached: str) -> None:
        nonlocal count
        count += reached == step
        if reached == step and count == nth:
            os.write(tell, b"!")
            os.read(wait, 1)

    failpoints.observe(observer)
    try:
        work()
    except MemfsError as error:
        os.write(tell, f"#{error}".encode())
    except BaseException as error:  # noqa: BLE001  # the parent must hear of it, whatever it is
        import traceback

        os.write(tell, "".join(traceback.format_exception(error)).encode())
        return 1
    return 0


def run(vault: Vault, *arguments: str, env: dict[str, str] | None = None) -> bool:
    """The person's git command; False when git declines it. Any other failure is a failure of the test."""
    done = subprocess.run(
        ["git", "-C", str(vault.top), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    told = done.stdout + done.stderr
    assert done.returncode == 0 or any(words in told for words in DECLINES), f"git {arguments}: {told}"
    return done.returncode == 0


def recover(vault: Vault) -> None:
    """What the next memfs command does first."""
    with open_transaction(vault):
        pass


def is_pending(vault: Vault) -> bool:
    """Whether a merge waits in the log."""
    return read_intent(vault.layout) is not None


def texts_at(vault: Vault, commit: str) -> dict[str, str]:
    """The text of every memory file in a commit (``:`` the index)."""
    where = vault.layout.rel(vault.layout.memories)
    if commit == ":":
        listed = [line.split("\t")[1] for line in git(vault.top, "ls-files", "-s", "--", where).splitlines()]
    else:
        listed = git(vault.top, "ls-tree", "-r", "--name-only", commit, "--", where).splitlines()
    asked = "".join(f"{'' if commit == ':' else commit}:{path}\n" for path in listed)
    out = subprocess.run(
        ["git", "-C", str(vault.top), "cat-file", "--batch"],
        input=asked.encode(),
        capture_output=True,
        check=True,
    ).stdout
    texts = {}
    for path in listed:
        head, _, out = out.partition(b"\n")
        size = int(head.split()[2])
        texts[path] = out[:size].decode()
        out = out[size + 1 :]
    return texts


def texts_on_disk(vault: Vault) -> dict[str, str]:
    """The text of every memory file as it lies there."""
    files = (path for path in vault.layout.memories.rglob("*") if path.is_file())
    return {vault.layout.rel(path): path.read_text(encoding="utf-8") for path in files}


def holds(vault: Vault, texts: dict[str, str], lines: tuple[tuple[str, str], ...] = NEW) -> bool:
    """Whether these files hold every line of a merge."""
    return all(line in texts.get(vault.layout.document_rel(IDENTITY, name), "") for name, line in lines)


def has_cursor(texts: dict[str, str]) -> bool:
    """Whether the second merge's cursor is in these files."""
    return any("/.cursors/" in path and '"offset": 900' in text for path, text in texts.items())


def check_cursor(vault: Vault, ref: str = "HEAD") -> None:
    """The cursor is never ahead of the memory: neither in a commit, nor in the index, nor on disk."""
    for name, texts in (
        (ref, texts_at(vault, ref)),
        ("index", texts_at(vault, ":")),
        ("disk", texts_on_disk(vault)),
    ):
        assert not has_cursor(texts) or holds(vault, texts), f"the cursor is ahead in {name}"


def check_sound(vault: Vault) -> None:
    """`git fsck --strict` has nothing to say, and nothing lies about."""
    fsck = subprocess.run(
        ["git", "-C", str(vault.top), "fsck", "--strict"], capture_output=True, text=True, check=False
    )
    assert fsck.returncode == 0, fsck.stderr
    assert not list((vault.top / ".git").glob("*.lock"))


def is_somewhere(vault: Vault, path: str, line: str) -> bool:
    """Whether a line of the person's is in its file, in the index, in a branch or in the stash."""
    file = vault.top / path
    if file.exists() and line in file.read_text(encoding="utf-8"):
        return True
    refs = git(vault.top, "for-each-ref", "--format=%(refname)").split()
    return any(line in git(vault.top, "show", f"{ref}:{path}", check=False) for ref in ("", *refs))
