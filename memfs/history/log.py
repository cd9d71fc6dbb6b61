"""Reading history: the audit log, commits by name or date, what a commit changed.

One `git log` child gives the whole log with its messages. GitPython would start from the same list and then
ask for each commit on its own, which 100,000 commits do not allow; so this goes through the runner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from memfs.errors import CommitNotFound
from memfs.history.messages import CommitMessage, parse_groups, parse_message, reverted_commits
from memfs.history.objects import chunks
from memfs.history.repository import Repository
from memfs.history.trees import Blob

_FIELDS = ("%H", "%P", "%ct", "%ci", "%an", "%ae", "%B")
_FORMAT = "--format=tformat:" + "%x00".join(_FIELDS)
_HINT = "the log lists the commits there are"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit. ``message`` is None unless memfs made it; ``groups`` also holds those a squash repeats.

    ``kind`` is memfs's kind, "squash" for a squash of memfs commits, "revert" for a person's revert, else
    "other". ``reverts`` names the commits that a person's `git revert` took back.
    """

    commit: str
    parents: tuple[str, ...]
    time: datetime
    author: str
    email: str
    subject: str
    kind: str
    text: str
    message: CommitMessage | None
    groups: tuple[CommitMessage, ...]
    reverts: tuple[str, ...]


def read_log(
    repository: Repository,
    *,
    tip: str | None = None,
    after: str | None = None,
    paths: Sequence[str] = (),
    identity: str | None = None,
    kinds: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> tuple[LogEntry, ...]:
    """The commits that ``tip`` (default HEAD) reaches, newest first; none when nothing is committed yet.

    ``after`` leaves out what that commit reaches. ``identity`` and ``kinds`` choose commits by their trailers
    (kinds as in `LogEntry`); ``since`` and ``until`` go by commit time.
    """
    start = tip or repository.head().commit
    if start is None:
        return ()
    filtered = identity is not None or bool(kinds)
    options = ["-z", _FORMAT, "--no-color", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8"]
    options += [f"--since=@{int(since.timestamp())} +0000"] if since else []
    options += [f"--until=@{int(until.timestamp())} +0000"] if until else []
    options += [f"-n{limit}"] if limit is not None and not filtered else []
    if identity is not None:  # git throws most commits away at once; the trailers decide afterwards
        options += ["--fixed-strings", f"--grep=Memfs-Identity: {identity}"]
    asked = [start, *([f"^{after}"] if after else [])]
    out = repository.git.run("log", *options, "--end-of-options", *asked, "--", *paths, seconds=120).out
    entries = (entry for entry in _entries(out) if _wanted(entry, identity, kinds))
    return tuple(islice(entries, limit))


def read_commit(repository: Repository, name: str) -> LogEntry:
    """One commit by its id, a prefix of at least four digits, or a branch's or tag's name."""
    commit = find_commit(repository, name)
    return read_log(repository, tip=commit, limit=1)[0]


def find_commit(repository: Repository, name: str) -> str:
    """The id of the commit that a person names. Raises CommitNotFound, also when a prefix fits several."""
    name = name.strip()
    if not name or name.startswith("-") or "\0" in name or "\n" in name:
        raise CommitNotFound(f"not a commit: {name!r}", hint=_HINT)
    found = repository.git.run(
        "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}", ok=(0, 1, 128)
    )
    if found.code != 0:
        several = "ambiguous" in found.err
        reason = f"{name} fits several commits" if several else f"no commit {name}"
        raise CommitNotFound(reason, hint="give more of its digits" if several else _HINT)
    return found.out.decode("ascii").strip()


def commit_at(repository: Repository, moment: datetime, *, tip: str | None = None) -> str:
    """The commit that the branch was at at that moment. Raises CommitNotFound when it began later."""
    start = tip or repository.head().commit
    found = b""
    if start is not None:
        before = f"--before=@{int(moment.timestamp())} +0000"
        options = ("-n1", "--first-parent", before, "--end-of-options", start)
        found = repository.git.run("rev-list", *options).out.strip()
    if not found:
        raise CommitNotFound(f"nothing was committed yet on {moment.date().isoformat()}", hint=_HINT)
    return found.decode("ascii")


def is_ancestor(repository: Repository, old: str, new: str) -> bool:
    """Whether ``new`` builds on ``old``; False too when ``old`` is gone (rewritten history)."""
    told = repository.git.run("merge-base", "--is-ancestor", old, new, ok=(0, 1, 128))
    return told.code == 0


def merge_base(repository: Repository, one: str, other: str) -> str | None:
    """The newest commit that both build on; None when they share none, or either is gone."""
    told = repository.git.run("merge-base", "--end-of-options", one, other, ok=(0, 1, 128))
    return told.out.decode("ascii").strip() or None


def changed_blobs(
    repository: Repository, old: str | None, new: str, paths: Sequence[str] = ()
) -> Mapping[str, tuple[Blob | None, Blob | None]]:
    """What differs between two commits (``old`` None: from nothing): path -> its blob before and after."""
    first = old or repository.empty_tree
    changes: dict[str, tuple[Blob | None, Blob | None]] = {}
    for portion in chunks(paths) if paths else [()]:
        options = ("-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--end-of-options", first, new)
        changes |= _raw_changes(repository.git.run("diff-tree", *options, "--", *portion).out)
    return changes


def staged_blobs(repository: Repository, commit: str | None, folder: str) -> Mapping[str, Blob | None]:
    """What the index holds under ``folder`` that the commit does not: path -> blob, None where it is removed.

    Paths in conflict are left out.
    """
    options = ("--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", commit or repository.empty_tree)
    out = repository.git.run("diff-index", *options, "--", folder).out
    return {path: blob for path, (_, blob) in _raw_changes(out).items()}


def _raw_changes(out: bytes) -> dict[str, tuple[Blob | None, Blob | None]]:
    fields, changes = out.split(b"\0"), {}
    for head, name in zip(fields[0::2], fields[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, status = head.decode("ascii").removeprefix(":").split(" ")
        if status != "U":
            path = name.decode("utf-8", "surrogateescape")
            changes[path] = _blob(old_mode, old_oid), _blob(new_mode, new_oid)
    return changes


def last_changes(repository: Repository, paths: Sequence[str]) -> Mapping[str, LogEntry]:
    """The newest commit that touched each path; paths without one are left out."""
    logs = {path: read_log(repository, paths=[path], limit=1) for path in paths}
    return {path: log[0] for path, log in logs.items() if log}


def _blob(mode: str, oid: str) -> Blob | None:
    return None if set(mode) == {"0"} else (mode, oid)


def _wanted(entry: LogEntry, identity: str | None, kinds: Sequence[str]) -> bool:
    if identity is not None and all(group.identity != identity for group in entry.groups):
        return False
    return not kinds or entry.kind in kinds


def _entries(out: bytes) -> Iterator[LogEntry]:
    fields = out.decode("utf-8", "replace").split("\0")
    size = len(_FIELDS)
    return (_entry(*fields[place : place + size]) for place in range(0, len(fields) - size, size))


def _entry(commit: str, parents: str, stamp: str, shown: str, author: str, email: str, text: str) -> LogEntry:
    message, groups, reverts = parse_message(text), parse_groups(text), reverted_commits(text)
    kind = message.kind if message else "squash" if groups else "revert" if reverts else "other"
    return LogEntry(
        commit=commit,
        parents=tuple(parents.split()),
        time=datetime.fromtimestamp(int(stamp), _zone(shown)),
        author=author,
        email=email,
        subject=text.partition("\n")[0],
        kind=kind,
        text=text,
        message=message,
        groups=groups,
        reverts=reverts if message is None else (),
    )


def _zone(shown: str) -> timezone:
    found = re.search(r"([+-])(\d\d)(\d\d)$", shown)
    if found is None or int(found.group(2)) > 23 or int(found.group(3)) > 59:
        return UTC
    offset = timedelta(hours=int(found.group(2)), minutes=int(found.group(3)))
    return timezone(-offset if found.group(1) == "-" else offset)
