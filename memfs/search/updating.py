"""Files written into the index, all in one commit, with a note beside it of how far that is, for other processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memfs.model import Stat
from memfs.search.cutting import Cutting, Tell
from memfs.search.planning import Content, Plan, plan_changes
from memfs.search.storage import Storage

INDEXING = "another process is indexing: some of what changed is not found yet"
_MANY = 100  # files: from here on it is noted how far they are
_NOTE = "indexing"


@dataclass(slots=True)
class Written:
    """What was done; ``everything``: whether that is all that the index holds.

    ``texts`` are what vectors are made of, by their keys.
    """

    plan: Plan
    everything: bool
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Updating:
    """Writes into ``storage`` what ``cutting`` makes of files; the writer's lock is the caller's."""

    storage: Storage
    cutting: Cutting
    meanings: bool  # whether the texts that vectors are made of are wanted

    def write(
        self, files: Mapping[str, Content], stats: Mapping[str, Stat], tell: Tell | None, *, rebuild: bool
    ) -> Written:
        """Write what changed. ``rebuild``: nothing that was there stays."""
        storage = self.storage
        everything = rebuild or not storage.fits()
        storage.prepare()
        plan = plan_changes(files, stats, {} if rebuild else storage.manifest.get(files))
        done = Written(plan, everything)
        if rebuild or plan.put or plan.drop:
            touched = [record.path for record in plan.put] + plan.drop
            storage.commit(touched, self._fields(done, tell), everything=everything)
            storage.manifest.change(plan.put, plan.drop, clear=rebuild)
        if plan.same:
            storage.manifest.refresh(plan.same)
        if storage.note(_NOTE) is not None:
            storage.write_note(_NOTE, None)
        return done

    def busy(self) -> tuple[str, ...]:
        """Say that another process writes, and how far it is where that takes long."""
        percent = self.storage.note(_NOTE)
        return (INDEXING, f"{percent} %") if isinstance(percent, int) else (INDEXING,)

    def _fields(self, done: Written, tell: Tell | None) -> Iterator[dict[str, Any]]:
        for chunk, fields in self.cutting.pieces(done.plan.texts, self._noting(tell)):
            if self.meanings:
                done.texts[fields["key"]] = chunk.meaning
            yield fields

    def _noting(self, tell: Tell | None) -> Tell:
        """What also notes how far many files are, once per cent."""
        noted = 0

        def note(done: int, count: int) -> None:
            nonlocal noted
            if count >= _MANY and (percent := 100 * done // count) > noted:
                noted = percent
                self.storage.write_note(_NOTE, percent)
            if tell is not None:
                tell(done, count)

        return note
