"""Taking a text out of all history. Rewrites commits: only for `memfs forget --purge`, asked for outright.

`git fast-export` writes the history of all branches and tags as one stream; the text is replaced in it, and
`git fast-import` reads it back. Commits before the text's first appearance keep their ids. Then everything
unreachable is pruned, and every object that is left is searched for the text: the proof.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from memfs.errors import HistoryError
from memfs.history.repository import Repository
from memfs.history.runner import OVERRIDES, git_binary, scrubbed_environment

PLACEHOLDER = b"[purged]"
_DATA = re.compile(rb"data (\d+)\n")
_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did: the refs that moved, how many objects were searched afterwards, and where the text still is
    (nowhere, when it succeeded)."""

    moved: tuple[str, ...]
    objects: int
    left: tuple[str, ...]


def find_text(repository: Repository, texts: Sequence[bytes]) -> tuple[tuple[str, ...], int]:
    """The objects (``type id``) that hold one of the texts, and how many objects there are."""
    found: list[str] = []
    count = 0
    for kind, oid, data in _all_objects(repository):
        count += 1
        if any(text in data for text in texts):
            found.append(f"{kind} {oid}")
    return tuple(found), count


def purge_texts(repository: Repository, texts: Sequence[bytes]) -> Purged:
    """Replace the texts in every commit of every local branch and tag, drop the old commits, and prove it.

    The tip of the current branch must hold none of them, so that files and index stay right.

    Raises:
        HistoryError: a file of the tip still holds the text, the repository is of a kind that cannot be rewritten, or
            git could not do it; refs are then as before.
    """
    wanted = sorted((text for text in texts if text.strip()), key=len, reverse=True)
    require_rewritable(repository)
    _require_clean_tip(repository, wanted)
    before = _refs(repository)
    _rewrite(repository, wanted)
    moved = tuple(sorted(ref for ref, oid in _refs(repository).items() if before.get(ref) != oid))
    repository.git.run(
        "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all", seconds=_SECONDS
    )
    repository.git.run("gc", "--quiet", "--prune=now", seconds=_SECONDS, record=True)
    left, count = find_text(repository, wanted)
    return Purged(moved, count, left)


def require_rewritable(repository: Repository) -> None:
    """Raise HistoryError where a rewrite would lose something of the person's, or could not reach all of history."""
    if repository.is_shallow():
        raise HistoryError(
            "this clone is shallow, so it lacks what would have to be rewritten", hint="purge a full clone"
        )
    if repository.read_ref("refs/stash") is not None:
        raise HistoryError(
            "there is work in the stash, which a rewrite of history would lose",
            hint="git stash pop (or drop) first, then try again",
        )


def _refs(repository: Repository) -> dict[str, str]:
    told = repository.git.run("for-each-ref", "--format=%(refname) %(objectname)").out.decode(
        "utf-8", "surrogateescape"
    )
    return {name: oid for name, _, oid in (line.partition(" ") for line in told.splitlines())}


def _require_clean_tip(repository: Repository, texts: Sequence[bytes]) -> None:
    listed = repository.git.run("ls-tree", "-r", "-z", "--full-tree", "HEAD").out
    for record in filter(None, listed.split(b"\0")):
        head, _, name = record.partition(b"\t")
        kind, oid = head.decode("ascii").split(" ")[1:]
        if kind == "blob":
            data = repository.read_object(oid)
            if any(text in data for text in texts):
                raise HistoryError(
                    "the text stands in this file too, so it was not taken out of history",
                    path=name.decode("utf-8", "surrogateescape"),
                    hint="take it out of the file, commit, and try again",
                )


def _rewrite(repository: Repository, texts: Sequence[bytes]) -> None:
    exporter = _start(
        repository,
        "fast-export",
        "--all",
        "--use-done-feature",
        "--signed-tags=strip",
        "--tag-of-filtered-object=rewrite",
        "--reencode=no",
    )
    importer = _start(repository, "fast-import", "--force", "--quiet", "--done", stdin=subprocess.PIPE)
    assert exporter.stdout is not None
    assert importer.stdin is not None
    try:
        for part in _replaced(exporter.stdout, texts):
            importer.stdin.write(part)
        importer.stdin.close()
    except OSError as error:
        raise HistoryError(f"the history could not be rewritten: {error}") from error
    finally:
        exporter.stdout.close()
        codes = exporter.wait(), importer.wait()
    if any(codes):
        raise HistoryError(f"the history could not be rewritten (git exited with {codes[0]} and {codes[1]})")


def _replaced(stream: IO[bytes], texts: Sequence[bytes]) -> Iterator[bytes]:
    """The stream with the texts replaced in what it carries as data: file contents and messages."""
    for line in stream:
        size = _DATA.fullmatch(line)
        if size is None:
            yield line
            continue
        data = stream.read(int(size.group(1)))
        for text in texts:
            data = data.replace(text, PLACEHOLDER)
        yield b"data %d\n" % len(data)
        yield data


def _all_objects(repository: Repository) -> Iterator[tuple[str, str, bytes]]:
    child = _start(repository, "cat-file", "--batch-all-objects", "--batch", "--unordered")
    assert child.stdout is not None
    for header in child.stdout:
        oid, kind, size = header.decode("ascii").split()
        data = child.stdout.read(int(size))
        child.stdout.read(1)
        yield kind, oid, data
    child.stdout.close()
    if child.wait():
        raise HistoryError("the objects could not be read")


def _start(
    repository: Repository, *arguments: str, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """A git child whose output is read as a stream; hardened as every other one."""
    settings = [part for key, value in OVERRIDES for part in ("-c", f"{key}={value}")]
    places = [f"--git-dir={repository.git_dir}", f"--work-tree={repository.top}"]
    return subprocess.Popen(
        [git_binary(), *places, "--no-pager", *settings, *arguments],
        cwd=repository.top,
        env=scrubbed_environment(),
        stdin=stdin,
        stdout=subprocess.PIPE if arguments[0] != "fast-import" else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
