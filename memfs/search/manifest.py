"""What the index holds: per file, the hash of the content it was indexed from and how it lay on disk.

SQLite, because 20,000 records must load in milliseconds and change one at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memfs.model import Stat
from memfs.search.analysis import encodable


@dataclass(frozen=True, slots=True)
class Record:
    """One indexed file. ``stat`` None: not to be trusted. ``problem`` says why it has no chunks."""

    path: str
    hash: str
    stat: Stat | None
    problem: str | None = None


_SCHEMA = """
create table if not exists files (
    path text primary key, hash text not null, size int, mtime int, ctime int, inode int, problem text
) without rowid
"""


class Manifest:
    """The records, in one SQLite file. Every use opens it anew: processes share it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        """Say whether there is a manifest at all."""
        return self._path.exists()

    def records(self) -> dict[str, Record]:
        """Return every record by path."""
        if not self.exists():
            return {}
        with self._open() as database:
            rows = database.execute("select path, hash, size, mtime, ctime, inode, problem from files")
            return {row[0]: _record(row) for row in rows}

    def get(self, paths: Iterable[str]) -> dict[str, Record]:
        """Return the records of ``paths``; those that have none are left out."""
        if not self.exists():
            return {}
        query = "select path, hash, size, mtime, ctime, inode, problem from files where path = ?"
        with self._open() as database:
            rows = [database.execute(query, (encodable(path),)).fetchone() for path in paths]
        return {row[0]: _record(row) for row in rows if row}

    def stats(self) -> dict[str, tuple[int | None, ...]]:
        """Return only the stat parts, by path."""
        if not self.exists():
            return {}
        with self._open() as database:
            rows = database.execute("select path, size, mtime, ctime, inode from files")
            return {row[0]: row[1:] for row in rows}

    def change(self, put: Iterable[Record], drop: Iterable[str], *, clear: bool = False) -> None:
        """Write records and drop others in one transaction; ``clear`` empties the manifest first."""
        with self._open() as database, database:
            if clear:
                database.execute("delete from files")
            database.executemany("delete from files where path = ?", ((path,) for path in drop))
            database.executemany(
                "insert or replace into files values (?, ?, ?, ?, ?, ?, ?)",
                ((r.path, r.hash, *(r.stat or (None,) * 4), r.problem) for r in put),
            )

    def refresh(self, stats: Mapping[str, Stat | None]) -> None:
        """Write new stat parts of files whose content is the same."""
        with self._open() as database, database:
            database.executemany(
                "update files set size = ?, mtime = ?, ctime = ?, inode = ? where path = ?",
                ((*(stat or (None,) * 4), path) for path, stat in stats.items()),
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path, timeout=10)
        try:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = normal")
            database.execute(_SCHEMA)
            yield database
        finally:
            database.close()


def _record(row: tuple[str, str, int, int, int, int, str | None]) -> Record:
    stat = Stat(*row[2:6]) if row[2] is not None else None
    return Record(row[0], row[1], stat, row[6])
