"""A session's block in a day's journal: read from the document, and brought to say what it should.

The block is the section in which its state stands, the list item with the id of session and day; a person may rename
its heading, which memfs gives once and never changes, so that links to it hold. Every line is an entry of the ledger,
so hand edits, deletions, undo and evidence are those of any other entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import Block
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.escape import escape_heading, escape_line
from memfs.markdown.inserts import find_section, remove_section
from memfs.memory.desk import block_hash, says
from memfs.memory.ids import entry_id, text_hash, written_hash
from memfs.memory.journal import JOURNAL, SECTIONS, Line, Page, only_quotes, rewrite
from memfs.memory.journal_pages import Trail, anchor_id, journal_document, read_block
from memfs.memory.ledger import as_utc
from memfs.memory.meeting import Round
from memfs.memory.names import link_names
from memfs.memory.plain import plain_text
from memfs.memory.snapshot import Action, Outcome
from memfs.memory.views import section_path
from memfs.memory.writing import add_entry
from memfs.model import Draft, Dropped, Evidence


@dataclass(frozen=True, slots=True)
class JournalBlock:
    """What a merge is to do to a session's block of one day.

    ``began``: when the session began that day, for the heading. ``limit``: the most lines of a section.
    ``names``: known names -> document in the vault, linked at their first mention.
    """

    identity: str
    day: date
    session: str
    began: str
    page: Page
    limit: int = 20
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def document(self) -> str:
        """The day's document, below the identity."""
        return journal_document(self.day)

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that it changes."""
        return (self.document,)

    @property
    def anchor(self) -> str:
        """The id of the block: of the line that tells its state."""
        return anchor_id(self.identity, self.day, self.session)

    def apply(self, merge: Round, waiting: Mapping[str, str]) -> tuple[list[Outcome], list[Dropped]]:
        """Bring the block in the document to what it should say; what became of its lines, and what was left out."""
        if reason := waiting.get(self.document):
            return [], [Dropped(JOURNAL, f"{self.document}: {reason}")]
        writer = _Writer(merge, self)
        try:
            with merge.desk.attempt():
                merge.desk.document(self.document).require_writable()
                return list(writer.write()), writer.dropped
        except (InvalidDocument, InvalidRequest) as error:
            return [], [*writer.dropped, Dropped(JOURNAL, f"{self.document}: {error.message}")]


class _Writer:
    """One block being written at the desk of a merge."""

    def __init__(self, merge: Round, block: JournalBlock) -> None:
        self.desk, self.language, self.block = merge.desk, merge.language, block
        self.document, self.page = block.document, block.page
        self.dropped: list[Dropped] = []

    def write(self) -> Iterator[Outcome]:
        """State first, since it begins the block; then what changed, what is new, and what goes."""
        found = read_block(self.desk.document(self.document), self.block.anchor, self._is_own)
        old = found[1] if found else ()
        whole = self.page.whole and not self._is_late()
        yield from self._state()
        if not self.desk.document(self.document).find(self.block.anchor):
            return  # the person took the block away, or undid it
        new = [line for line in self.page.lines if not self._is_edited_away(line)]
        after, dropped = rewrite(old, new, solved=self.page.solved, whole=whole, limit=self.block.limit)
        self.dropped += dropped
        before = {line.id: line for line in old if line.id and line.own}
        for line in after:
            if line.id is None and line.own:
                yield from self._add(line)
            elif line.id in before and line != before[line.id]:
                yield from self._change(line)
        yield from self._remove(set(before) - {line.id for line in after})

    def _state(self) -> Iterator[Outcome]:
        anchor, page = self.block.anchor, self.page
        found = self.desk.owned(anchor)
        if found is None:
            if not self.desk.document(self.document).find(anchor):
                yield from self._put(anchor, page.state or page.title, page.evidence, (self._heading(),))
            return
        own, text = self._is_own(found[1]), plain_text(found[1].text)
        better = bool(page.state) and (only_quotes(text) or not only_quotes(page.state))
        if own and better and not self._is_late():
            yield from self._rewrite(anchor, page.state, page.evidence, None)

    def _add(self, line: Line) -> Iterator[Outcome]:
        evidence = line.evidence or self.page.evidence
        key = [self.block.day.isoformat(), self.block.session, line.section, line.text]
        entry = entry_id(self.block.identity, None, JOURNAL, key)
        if entry not in self.desk.records and not self.desk.document(self.document).find(entry):
            yield from self._put(entry, line.text, evidence, self._trail(line.section), line.box)

    def _put(
        self, entry: str, said: str, evidence: Evidence, trail: Trail, box: str | None = None
    ) -> Iterator[Outcome]:
        text = self._text(said)
        if self.desk.held_back(entry, text_hash(text), evidence.time):
            return
        draft = Draft(
            id=entry,
            type=JOURNAL,
            field=None,
            document=self.document,
            section=trail,
            text=text,
            evidence=evidence,
            title=self.block.day.isoformat(),
            box=box,
            frontmatter={
                "identity": self.block.identity,
                "type": JOURNAL,
                "created": self.block.day.isoformat(),
            },
        )
        add_entry(self.desk, draft)
        yield self._outcome(entry, "added", evidence)

    def _change(self, line: Line) -> Iterator[Outcome]:
        if line.id is not None:
            yield from self._rewrite(line.id, line.text, line.evidence or self.page.evidence, line.box)

    def _rewrite(self, entry: str, said: str, evidence: Evidence, box: str | None) -> Iterator[Outcome]:
        found = self.desk.owned(entry)
        if found is None:
            return
        path, block = found
        text = self._text(said)
        if text_hash(text) == text_hash(block.text):
            text = " ".join(block.text.split())
            if box == block.box:
                return
        record, home = self.desk.records[entry], self.desk.homes[entry]
        self.desk.edit(path, replace_block(self.desk.document(path), block, text, box=box), (entry,))
        time = max(as_utc(record.time), as_utc(evidence.time))
        new = replace(record, hash=written_hash(text), time=time, box=box, trust=evidence.trust)
        self.desk.record(home, new)
        yield self._outcome(entry, "updated", evidence)

    def _remove(self, gone: Collection[str]) -> Iterator[Outcome]:
        for entry in sorted(gone):
            found = self.desk.owned(entry)
            if found is None or found[0] != self.document:
                continue
            trail = section_path(self.desk.document(self.document), found[1])
            left = remove_block(self.desk.document(self.document), found[1])
            self.desk.edit(self.document, left, (entry,))
            self.desk.put(self.document, remove_section(self.desk.document(self.document), trail))
            self.desk.drop(entry)
            yield self._outcome(entry, "removed", self.page.evidence)

    def _text(self, said: str) -> str:
        own = f"memories/{self.block.identity}/{self.document}"
        return link_names(escape_line(said), self.block.names, own=own)

    def _heading(self) -> str:
        """Time and title, unlike any heading that the day has already."""
        first = " ".join(f"{self.block.began} {self.page.title}".split())
        taken = {section.path for section in self.desk.document(self.document).sections}
        number, heading = 1, first
        while (escape_heading(heading),) in taken or (heading,) in taken:
            number += 1
            heading = f"{first} ({number})"
        return heading

    def _trail(self, section: str) -> Trail:
        """Where a section of the block is: the one there is, in either language, else the one to be made."""
        document = self.desk.document(self.document)
        base = section_path(document, document.find(self.block.anchor)[0])
        for title in SECTIONS[section]:
            if find_section(document, (*base, title)) is not None:
                return (*base, title)
        return (*base, SECTIONS[section][self.language == "zh"])

    def _is_own(self, block: Block) -> bool:
        """Whether memfs wrote a line and nobody has changed it, nor its box."""
        record = self.desk.records.get(block.block_id or "")
        return record is not None and record.hash == block_hash(block) and record.box == block.box

    def _is_late(self) -> bool:
        """Whether the block holds newer things than this page."""
        record = self.desk.records.get(self.block.anchor)
        return record is not None and as_utc(record.time) > as_utc(self.page.evidence.time)

    def _is_edited_away(self, line: Line) -> bool:
        """Whether a line is what a person made another one of."""
        said = text_hash(self._text(line.text))
        for entry, path, block in self.desk.owned_in(self.document):
            record = self.desk.records[entry]
            if path == self.document and says(record) == said and block_hash(block) != record.hash:
                return True
        return False

    def _outcome(self, entry: str, action: Action, evidence: Evidence) -> Outcome:
        return Outcome(entry, action, JOURNAL, self.document, None, evidence)
