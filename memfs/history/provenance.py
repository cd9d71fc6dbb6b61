"""Where entries come from: a derived index of the trailers, entry id -> commits.

One append-only file of JSON lines and a small file that says up to which commit it is filled. It grows by
`git log old..new`; when history was rewritten, or anything about the files is odd, it is made anew.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memfs.history.log import LogEntry, is_ancestor, read_log
from memfs.history.repository import Repository
from memfs.model import Tokens

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Provenance:
    """What one commit did to one entry, and on what evidence."""

    commit: str
    time: datetime
    action: str
    kind: str
    source: str | None
    messages: tuple[str, ...]
    extractor: str | None
    tokens: Tokens | None


@dataclass(frozen=True, slots=True)
class ProvenanceIndex:
    """The index in ``folder`` (derived: it may be deleted at any time) of one repository."""

    folder: Path
    repository: Repository

    def find(self, entry_id: str) -> tuple[Provenance, ...]:
        """What happened to an entry, oldest first; () when no commit that is here tells.

        In a shallow clone (`Repository.is_shallow`) the ledger may know more.
        """
        data = self._updated()
        needle = json.dumps(entry_id).encode("ascii")
        lines = (line for line in _lines_with(data, needle))
        records = [record for record in map(json.loads, lines) if record["id"] == entry_id]
        return tuple(sorted((_provenance(record) for record in records), key=lambda found: found.time))

    def latest(self) -> Mapping[str, tuple[str, str | None]]:
        """The commit that last wrote each entry, and its source: id -> (commit, source)."""
        records = (json.loads(line) for line in self._updated().splitlines())
        return {record["id"]: (record["commit"], record["source"]) for record in records}

    def rebuild(self) -> None:
        """Forget everything and read the whole history again."""
        with self._locked():
            self._write(b"", None)
        self._updated()

    def _updated(self) -> bytes:
        """Bring the index to HEAD and return its lines."""
        head = self.repository.head().commit
        with self._locked():
            data, filled = self._read()
            if filled == head:
                return data
            fresh = filled is None or head is None or not is_ancestor(self.repository, filled, head)
            log = read_log(self.repository, tip=head, after=None if fresh else filled) if head else ()
            data = (b"" if fresh else data) + b"".join(_lines(reversed(log)))
            self._write(data, head)
        return data

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> tuple[bytes, str | None]:
        """The lines, and the commit they are filled up to; nothing when the files do not fit each other."""
        try:
            state = json.loads((self.folder / "head.json").read_text(encoding="utf-8"))
            data = (self.folder / "entries.jsonl").read_bytes()
            if state["version"] == _VERSION and state["size"] <= len(data):
                return data[: state["size"]], state["commit"]
        except (OSError, ValueError, KeyError, TypeError):
            pass  # derived: what cannot be read is made anew
        return b"", None

    def _write(self, data: bytes, commit: str | None) -> None:
        state = {"version": _VERSION, "commit": commit, "size": len(data)}
        for name, content in (("entries.jsonl", data), ("head.json", json.dumps(state).encode("ascii"))):
            temporary = self.folder / f"{name}.new"
            temporary.write_bytes(content)
            os.replace(temporary, self.folder / name)


def filled_to(folder: Path) -> str | None:
    """The commit that the notes are filled up to; no git is asked."""
    try:
        commit = json.loads((folder / "head.json").read_text(encoding="utf-8"))["commit"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return commit if isinstance(commit, str) else None


def read_known(folder: Path, ids: Iterable[str]) -> dict[str, tuple[str, str | None]]:
    """The same as `ProvenanceIndex.latest` for some ids, from what is noted so far: no git is asked."""
    try:
        data = (folder / "entries.jsonl").read_bytes()
    except OSError:
        return {}
    found: dict[str, tuple[str, str | None]] = {}
    for entry in ids:
        # a line begins with its id; elsewhere in it an id is evidence for another entry
        position = data.rfind(b'{"id": ' + json.dumps(entry).encode("ascii"))
        if position >= 0:
            line = data[data.rfind(b"\n", 0, position) + 1 : data.find(b"\n", position)]
            with suppress(ValueError, KeyError, TypeError):  # derived, and damaged: it is made anew in time
                record = json.loads(line)
                if record["id"] == entry:
                    found[entry] = record["commit"], record["source"]
    return found


def _lines(log: Iterable[LogEntry]) -> Iterator[bytes]:
    for entry in log:
        for group in entry.groups:
            for change in group.entries:
                record: dict[str, Any] = {
                    "id": change.id,
                    "commit": entry.commit,
                    "time": entry.time.isoformat(),
                    "action": change.action,
                    "kind": group.kind,
                    "source": change.source or group.source,
                    "messages": change.messages,
                    "extractor": group.extractor,
                    "tokens": [group.tokens.input, group.tokens.output] if group.tokens else None,
                }
                yield json.dumps(record).encode("ascii") + b"\n"


def _lines_with(data: bytes, needle: bytes) -> Iterator[bytes]:
    position = data.find(needle)
    while position >= 0:
        start, end = data.rfind(b"\n", 0, position) + 1, data.find(b"\n", position)
        yield data[start:end]
        position = data.find(needle, end)


def _provenance(record: Any) -> Provenance:
    return Provenance(
        commit=record["commit"],
        time=datetime.fromisoformat(record["time"]),
        action=record["action"],
        kind=record["kind"],
        source=record["source"],
        messages=tuple(record["messages"]),
        extractor=record["extractor"],
        tokens=Tokens(*record["tokens"]) if record["tokens"] else None,
    )
