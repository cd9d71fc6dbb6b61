"""The outlines of all documents: what they link to and what can be linked to in them; kept, and read as they change."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import VaultError
from memfs.markdown.outline import Outline, PlacedLink, outline
from memfs.model import Stat
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_VERSION = 1  # goes up with what `outline` reads
_SCHEMA = f"create table if not exists outlines_{_VERSION} (path text primary key, stat text, data text)"
_UNSETTLED_NS = 2_000_000_000  # a file of this moment may be written again unseen


def read_outlines(vault: Vault) -> Mapping[str, Outline]:
    """The outline of each document of the vault, by path."""
    stats = scan_documents(vault.layout).documents
    folder = vault.layout.derived / "links"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _kept(vault.top, folder / "outlines.sqlite", stats)
    except (sqlite3.DatabaseError, ValueError, TypeError):  # derived: what cannot be read is made anew
        (folder / "outlines.sqlite").unlink(missing_ok=True)
    except OSError as error:
        raise VaultError(error.strerror or "cannot be written", path=str(folder)) from error
    return {path: _read(vault.top / path) for path in stats}


def _kept(top: Path, file: Path, stats: Mapping[str, Stat]) -> Mapping[str, Outline]:
    with closing(sqlite3.connect(file, timeout=30)) as database, database:
        database.execute("pragma synchronous = off")
        database.execute(_SCHEMA)
        rows = database.execute(f"select path, stat, data from outlines_{_VERSION}").fetchall()
        known = {path: (stat, data) for path, stat, data in rows}
        found = {
            path: _load(known[path][1])
            for path, stat in stats.items()
            if path in known and known[path][0] == json.dumps(stat)
        }
        fresh = {path: _read(top / path) for path in stats if path not in found}
        gone = [(path,) for path in known if path not in stats]
        database.executemany(f"delete from outlines_{_VERSION} where path = ?", gone)
        database.executemany(
            f"insert or replace into outlines_{_VERSION} values (?, ?, ?)", _rows(fresh, stats)
        )
    return {path: found.get(path) or fresh[path] for path in stats}


def _rows(fresh: Mapping[str, Outline], stats: Mapping[str, Stat]) -> Iterator[tuple[str, str | None, str]]:
    now = time.time_ns()
    for path, one in fresh.items():
        if path.isprintable():  # a name that is no text cannot be kept
            settled = now - stats[path].ctime_ns >= _UNSETTLED_NS
            yield path, json.dumps(stats[path]) if settled else None, json.dumps(astuple(one))


def _load(data: str) -> Outline:
    links, headings, blocks, aliases = json.loads(data)
    placed = tuple(PlacedLink(*link) for link in links)
    return Outline(placed, tuple(headings), tuple(blocks), tuple(aliases))


def _read(path: Path) -> Outline:
    try:
        return outline(path.read_bytes().decode("utf-8", "replace"))
    except OSError:  # it went away, or may not be read: nothing is known of it
        return Outline()
