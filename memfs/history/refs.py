"""HEAD, branches and commits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from memfs.errors import HistoryError, RepositoryBusy
from memfs.history.runner import Git

State = Literal["merge", "rebase", "cherry-pick", "revert", "am", "bisect", "detached"]
OWN_IDENTITY = ("memfs", "memfs@localhost")
# What git strips from the ends of names; a name of nothing else is no name.
_CRUD = " .,:;<>\"\\'\n\t\r"

# An everyday branch; refs/heads/.invalid stands in the HEAD of other ref stores.
_BRANCH = re.compile(rb"ref: (refs/heads/[A-Za-z0-9_][A-Za-z0-9_/-]*)\n")


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is: the branch's full ref (None when detached), its commit (None before the first), and what
    is under way, if anything, that memfs must wait for."""

    ref: str | None
    commit: str | None
    state: State | None


def read_head(git: Git, git_dir: Path) -> Head:
    """Read HEAD, and whether a merge, rebase or the like is under way."""
    ref, commit = read_branch(git_dir), None
    if ref is not None:
        commit = read_ref(git, "HEAD")
    if commit is None:  # detached, unborn, damaged, or of another ref store: git knows
        symbolic = git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1, 128))
        ref = symbolic.out.decode("utf-8", "surrogateescape").strip() or None
        commit = read_ref(git, "HEAD") if symbolic.code != 128 else None
    if commit is None and (ref is None or _resolves(git, ref)):  # not merely a branch without commits
        raise HistoryError(
            "HEAD cannot be read: its ref is damaged",
            path=str(git_dir / "HEAD"),
            hint="`git reflog` may still know the branch's last commit",
        )
    return Head(ref, commit, operation_under_way(git_dir) or ("detached" if ref is None else None))


def read_branch(git_dir: Path) -> str | None:
    """The full ref of an everyday HEAD, a line in a file; None for any other, which only git can read."""
    with suppress(OSError):
        if found := _BRANCH.fullmatch((git_dir / "HEAD").read_bytes()):
            return found[1].decode("ascii")
    return None


def peek_tip(git_dir: Path, common_dir: Path) -> str | None:
    """The commit of an everyday HEAD, read from files without a child; None where only git can tell."""
    branch = read_branch(git_dir)
    if branch is None:
        return None
    with suppress(OSError, UnicodeDecodeError):
        return (common_dir / branch).read_text(encoding="ascii").strip()
    with suppress(OSError, UnicodeDecodeError):
        packed = (common_dir / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.partition(" ")[0] for line in packed if line.endswith(f" {branch}")), None)
    return None


def _resolves(git: Git, ref: str) -> bool:
    return git.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref, ok=(0, 1, 128)).code != 1


def operation_under_way(git_dir: Path) -> State | None:
    """The merge, rebase or the like that a person has begun and not finished."""
    if (git_dir / "rebase-merge").exists():
        return "rebase"
    if (git_dir / "rebase-apply").exists():
        return "am" if (git_dir / "rebase-apply" / "applying").exists() else "rebase"
    marks: tuple[tuple[str, State], ...] = (
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    )
    for name, state in marks:
        if (git_dir / name).exists():
            return state
    todo = git_dir / "sequencer" / "todo"  # between two picks of a series there is no ..._HEAD
    if todo.exists():
        return (
            "revert"
            if todo.read_text(encoding="utf-8", errors="replace").startswith("revert")
            else "cherry-pick"
        )
    return None


def read_ref(git: Git, ref: str) -> str | None:
    """The commit a ref names; None when it names none yet."""
    found = git.run(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)
    )
    return found.out.decode("ascii").strip() or None


def move_ref(git: Git, ref: str, new: str, old: str | None, *, reason: str, env: dict[str, str]) -> bool:
    """Move ``ref`` to ``new`` if it still is at ``old`` (None: does not exist); False if it is elsewhere."""
    if not ref.startswith("refs/"):
        raise HistoryError(f"not a full ref name: {ref}")
    expected = old if old is not None else "0" * len(new)
    moved = git.run(
        "update-ref",
        "--create-reflog",
        "-m",
        reason,
        ref,
        new,
        expected,
        ok=(0, 1, 128),
        env=env,
        record=True,
    )
    if moved.code == 0:
        return True
    if read_ref(git, ref) != old:
        return False
    if ".lock" in moved.err:
        raise RepositoryBusy(
            f"git holds a lock on {ref}",
            hint="finish the git command that runs, or remove the lock named by `memfs status` if none does",
        )
    raise HistoryError(f"{ref} could not be moved: {moved.err.removeprefix('fatal: ')}")


def read_person(git: Git) -> tuple[str, str] | None:
    """user.name and user.email as git would use them; None unless both are set."""
    told = git.run("config", "-z", "--get-regexp", r"^user\.(name|email)$", ok=(0, 1)).out
    values: dict[str, str] = {}
    for record in filter(None, told.decode("utf-8", "replace").split("\0")):
        key, _, value = record.partition("\n")
        values[key] = value.strip(_CRUD)
    name, email = values.get("user.name"), values.get("user.email")
    return (name, email) if name and email else None


def write_commit(
    git: Git,
    tree: str,
    parents: Sequence[str],
    message: str,
    *,
    author: tuple[str, str],
    committer: tuple[str, str],
    when: datetime,
) -> str:
    """Write a commit object; no ref moves. ``when`` must know its zone."""
    env = {**identity_variables("AUTHOR", author, when), **identity_variables("COMMITTER", committer, when)}
    sides = [part for parent in parents for part in ("-p", parent)]
    written = git.run("commit-tree", tree, *sides, stdin=message.encode("utf-8", "replace"), env=env)
    return written.out.decode("ascii").strip()


def identity_variables(role: str, identity: tuple[str, str], when: datetime) -> dict[str, str]:
    """The variables that tell git who (role AUTHOR or COMMITTER) and when."""
    if when.tzinfo is None:
        raise HistoryError("a commit's time needs a time zone")
    return {
        f"GIT_{role}_NAME": identity[0],
        f"GIT_{role}_EMAIL": identity[1],
        f"GIT_{role}_DATE": f"@{int(when.timestamp())} {when:%z}",
    }
