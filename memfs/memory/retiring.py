"""An experience that a later one replaces: it stays, under the heading of what was superseded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import parse_document
from memfs.markdown.edits import remove_block
from memfs.markdown.inserts import insert_item, insert_paragraph
from memfs.memory.desk import block_hash
from memfs.memory.headings import heading, is_superseded_heading
from memfs.memory.ids import entry_id
from memfs.memory.ledger import as_utc
from memfs.memory.meeting import Round
from memfs.memory.slugs import slug
from memfs.memory.snapshot import Outcome
from memfs.memory.views import section_path
from memfs.memory.writing import known_section
from memfs.model import Dropped, Evidence

_TYPE = "experiences"


@dataclass(frozen=True, slots=True)
class Retirement:
    """That the experience ``name`` is replaced. A person's, or one that a person edited, stays as it is."""

    identity: str
    name: str
    evidence: Evidence

    @property
    def documents(self) -> tuple[str, ...]:
        """The experience's document, below the identity."""
        return (f"{_TYPE}/{slug(self.name)}.md",)

    def apply(self, merge: Round, waiting: Mapping[str, str]) -> tuple[list[Outcome], list[Dropped]]:
        """Put it under its heading."""
        desk, entry = merge.desk, entry_id(self.identity, None, _TYPE, [self.name])
        found = desk.owned(entry)
        if found is None or block_hash(found[1]) != desk.records[entry].hash:
            return [], [Dropped(_TYPE, f"{self.name!r} is not memfs's to replace, so it stays")]
        path, block = found
        if reason := waiting.get(path):
            return [], [Dropped(_TYPE, f"{path}: {reason}")]
        if is_superseded_heading(section_path(desk.document(path), block)):
            return [], []
        try:
            with desk.attempt():
                left = parse_document(remove_block(desk.document(path), block))
                section = known_section(left, (heading("Superseded", merge.language),))
                line = f"{' '.join(block.text.split())} ^{entry}"
                put = insert_item(left, section, f"- {line}") if block.kind == "item" else None
                desk.edit(path, put or insert_paragraph(left, section, line), (entry,))
                record = desk.records[entry]
                time = max(as_utc(record.time), as_utc(self.evidence.time))
                desk.record(desk.homes[entry], replace(record, time=time))
        except (InvalidDocument, InvalidRequest) as error:
            return [], [Dropped(_TYPE, f"{path}: {error.message}")]
        return [Outcome(entry, "superseded", _TYPE, path, None, self.evidence)], []
