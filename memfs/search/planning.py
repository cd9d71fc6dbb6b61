"""What an update has to do: which files are new to the index, which are gone, which only lie differently.

Texts are cut up one after another while they are written, so that a whole vault is never held in pieces.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memfs.model import Stat
from memfs.search.analysis import encodable
from memfs.search.chunking import Chunk, chunk_document
from memfs.search.manifest import Record

Content = str | bytes | None
# Of a path and block ids in it: the day (ISO) that an entry was said on, where its own line does not tell.
Dates = Callable[[str, Collection[str]], Mapping[str, str]]
Cut = Callable[[str, str, str], Sequence[Chunk]]  # of a path, a text and the root: its chunks
Tell = Callable[[int, int], object]  # how many files of how many are done
_UNSETTLED_NS = 2_000_000_000  # a file written less than this before it was read may be written again unseen


@dataclass(slots=True)
class Plan:
    """Records to write, the texts to cut up, paths to drop, stats of unchanged files, names that are no text."""

    put: list[Record] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    drop: list[str] = field(default_factory=list)
    same: dict[str, Stat | None] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cutting:
    """How texts become chunks: what cuts them, under which root, and when entries were said."""

    root: str = ""
    dates: Dates | None = None
    cut: Cut = chunk_document

    def chunks(self, texts: Mapping[str, str], tell: Tell | None = None) -> Iterator[Chunk]:
        """Yield the chunks of texts by path; ``tell`` is told how far that is."""
        for done, (path, text) in enumerate(texts.items()):
            if tell is not None:
                tell(done, len(texts))
            found = self.cut(path, text, self.root)
            yield from _dated(path, found, self.dates) if self.dates else found


def plan_changes(
    files: Mapping[str, Content], stats: Mapping[str, Stat], known: Mapping[str, Record]
) -> Plan:
    """Compare ``files`` with what is ``known`` of them."""
    plan, now = Plan(), time.time_ns()
    for path, content in files.items():
        if path != encodable(path):
            plan.unnamed.append(path)
            continue
        if content is None:
            plan.drop.append(path)
            continue
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        stat = stats.get(path)
        if stat is not None and now - stat.ctime_ns < _UNSETTLED_NS:
            stat = None
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        if path in known and known[path].hash == digest:
            plan.same[path] = stat
            continue
        problem = None
        try:
            plan.texts[path] = data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"not UTF-8 text (byte {error.start})"
        plan.put.append(Record(path, digest, stat, problem))
    return plan


def _dated(path: str, chunks: Sequence[Chunk], dates: Dates) -> list[Chunk]:
    """The chunks, entries without a date of their own with the day that they were said on.

    The date of an action is the day it is due, so one without stays without.
    """
    undated = [c.view.id for c in chunks if c.view.id and not c.view.date and c.view.type != "actions"]
    told = dates(path, undated) if undated else {}
    days = {entry: told[entry] for entry in undated if entry in told}
    return [replace(c, view=replace(c.view, date=days.get(c.view.id or "", c.view.date))) for c in chunks]
