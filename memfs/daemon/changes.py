"""Change sets: what the watcher yields."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfs.daemon.wording import Notice, notice
from memfs.model import Stat

if TYPE_CHECKING:
    from memfs.daemon.areas import Difference
    from memfs.daemon.places import DocumentArea, SourceArea
    from memfs.services.ingesting.sources import TranscriptFile


@dataclass(slots=True)
class ChangeSet:
    """What changed. ``documents``, relative to the vault, with how they lie on disk (None: gone).

    ``transcripts`` are new or grew.

    ``settled``: transcripts to be read again, since they were written in the moment in which they were read.
    ``renamed``: transcripts under a new name, with the old path. ``gone``: transcripts that are no more.
    ``complete``: everything was looked at. ``notices`` are for people.
    """

    documents: dict[str, Stat | None] = field(default_factory=dict)
    transcripts: list[TranscriptFile] = field(default_factory=list)
    settled: list[TranscriptFile] = field(default_factory=list)
    renamed: list[tuple[str, TranscriptFile]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    settings: bool = False
    complete: bool = False
    notices: list[Notice] = field(default_factory=list)

    def add_documents(self, area: DocumentArea, difference: Difference) -> None:
        """Add what a look at the documents found."""
        renamed = [path for pair in difference.renamed for path in pair]
        paths = (*difference.changed, *difference.settled, *difference.gone, *renamed)
        self.documents |= {area.name(path): area.known.get(path) for path in paths}
        self._add_renames(difference)
        self.notices += [notice("conflict", path=path) for path in area.last.conflicts]
        self.notices += [notice("twins", paths=", ".join(twins)) for twins in area.last.twins]

    def add_transcripts(self, area: SourceArea, difference: Difference) -> None:
        """Add what a look at a source found."""
        moved = {new for _, new in difference.renamed}
        self.transcripts += [area.file(path) for path in difference.changed if path not in moved]
        self.settled += [area.file(path) for path in difference.settled]
        self.renamed += [(old, area.file(new)) for old, new in difference.renamed]
        self.gone += difference.gone
        self._add_renames(difference)
        if area.question:
            self.notices.append(notice("choose", source=area.source.name, reason=area.question))

    def _add_renames(self, difference: Difference) -> None:
        names = [(os.path.basename(old), os.path.basename(new)) for old, new in difference.renamed]
        self.notices += [notice("renamed", old=old, new=new) for old, new in names]
