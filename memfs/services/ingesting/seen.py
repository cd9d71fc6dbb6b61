"""Which messages an identity has been given already, whatever file they came from. Derived; rebuilt from cursors.

Sessions that are forked, resumed or copied repeat message ids; a turn is merged once per identity all the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memfs.model import Stat

_SCHEMA = """
create table if not exists messages (
    identity text, message text, session text, primary key (identity, message)) without rowid;
create table if not exists sessions (
    identity text, session text, offset integer, primary key (identity, session)) without rowid;
create table if not exists files (path text primary key, stat text, cursors text) without rowid;
create table if not exists stamps (identity text primary key, commit_id text) without rowid;
"""
_CHUNK = 500


class SeenMessages:
    """The messages merged so far, by identity. Opened for one piece of work; see `open_seen`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def known(self, identity: str, messages: Iterable[str]) -> frozenset[str]:
        """Those of ``messages`` that were merged into the identity."""
        names = list(dict.fromkeys(messages))
        found: set[str] = set()
        for start in range(0, len(names), _CHUNK):
            part = names[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            rows = self._db.execute(
                f"select message from messages where identity = ? and message in ({marks})", [identity, *part]
            )
            found.update(row[0] for row in rows)
        return frozenset(found)

    def add(self, identity: str, session: str, offset: int, messages: Iterable[str]) -> None:
        """Note the messages of a session that was read up to ``offset``."""
        with self._db:
            self._db.executemany(
                "insert or ignore into messages values (?, ?, ?)",
                [(identity, message, session) for message in messages],
            )
            self._db.execute("insert or replace into sessions values (?, ?, ?)", (identity, session, offset))

    def rewind(self, identity: str, session: str, offset: int) -> None:
        """Forget what a session brought when it is noted beyond ``offset``, the furthest of its cursors now.

        A person took the merge back together with its cursor (`git reset`): what it read is new again.
        """
        row = self._db.execute(
            "select offset from sessions where identity = ? and session = ?", [identity, session]
        ).fetchone()
        if row is not None and row[0] > offset:
            with self._db:
                self._db.execute(
                    "delete from sessions where identity = ? and session = ?", [identity, session]
                )
                self._db.execute(
                    "delete from messages where identity = ? and session = ?", [identity, session]
                )

    def offsets(self, identity: str) -> Mapping[str, int]:
        """How far each session is noted."""
        return dict(self._db.execute("select session, offset from sessions where identity = ?", [identity]))

    def note_file(self, path: str, stat: Stat, cursors: Mapping[str, str]) -> None:
        """Note that a file as it lay on disk is merged, and the cursors (place -> text) that say so."""
        with self._db:
            self._db.execute(
                "insert or replace into files values (?, ?, ?)", (path, json.dumps(stat), json.dumps(cursors))
            )

    def file_cursors(self, path: str, stat: Stat) -> Mapping[str, str] | None:
        """The cursors noted for a file, None when it is not noted or lies otherwise on disk now."""
        row = self._db.execute("select stat, cursors from files where path = ?", [path]).fetchone()
        return json.loads(row[1]) if row and row[0] == json.dumps(stat) else None

    def stamp(self, identity: str) -> str | None:
        """The commit whose cursors are all noted."""
        row = self._db.execute("select commit_id from stamps where identity = ?", [identity]).fetchone()
        return row[0] if row else None

    def set_stamp(self, identity: str, commit: str) -> None:
        """Say that all cursors of ``commit`` are noted."""
        with self._db:
            self._db.execute("insert or replace into stamps values (?, ?)", (identity, commit))


@contextmanager
def open_seen(folder: Path) -> Iterator[SeenMessages]:
    """Open the notes in ``folder`` (the vault's ``.memfs``); a file that cannot be read is begun anew."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "seen.sqlite"
    connection = _connect(path)
    try:
        yield SeenMessages(connection)
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    try:
        return _prepared(path)
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
        return _prepared(path)


def _prepared(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30.0)
    try:
        # Derived data: losing the last transaction in a crash only costs reading a transcript's start again.
        connection.execute("pragma synchronous = off")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
