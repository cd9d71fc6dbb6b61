"""Putting entries into documents: each edit changes the lines of its entry and nothing else."""

from __future__ import annotations

from memfs.errors import InvalidDocument
from memfs.markdown.document import Document, parse_document
from memfs.markdown.edits import replace_block
from memfs.markdown.headers import new_document
from memfs.markdown.inserts import find_section, insert_after, insert_item, insert_paragraph
from memfs.memory.desk import Desk
from memfs.memory.headings import Language, heading, same_heading
from memfs.memory.ids import written_hash
from memfs.memory.ledger import LedgerRecord
from memfs.memory.matching import Match
from memfs.model import Draft


def add_entry(desk: Desk, draft: Draft) -> None:
    """Add a draft to its document, made with its section where they are missing, and to the ledger."""
    document = begun(desk, draft)
    section = known_section(document, draft.section)
    if draft.shape == "paragraph":
        text = insert_paragraph(document, section, f"{draft.text} ^{draft.id}")
    else:
        box = "" if draft.box is None else f"[{draft.box or ' '}] "
        text = insert_item(document, section, f"- {box}{draft.text} ^{draft.id}")
    desk.edit(draft.document, text, (draft.id,))
    box_written = None if draft.box is None else draft.box or " "
    home = desk.homes.get(draft.id, draft.document)
    hashed = written_hash(draft.text)
    proof = draft.evidence
    record = LedgerRecord(draft.id, hashed, proof.time, draft.origin, box_written, trust=proof.trust)
    desk.record(home, record)


def rewrite_entry(desk: Desk, match: Match, text: str, *, box: str | None) -> None:
    """Give an entry another text and box, in place."""
    changed = replace_block(desk.document(match.path), match.block, text, box=box)
    desk.edit(match.path, changed, (match.block.block_id or "",))


def add_superseded(desk: Desk, path: str, entry: str, struck: str, language: Language) -> None:
    """Add a superseded entry under its heading, which is made where it is missing."""
    document = desk.document(path)
    section = known_section(document, (heading("Superseded", language),))
    desk.edit(path, insert_item(document, section, f"- {struck} ^{entry}"), (entry,))


def add_callout(desk: Desk, match: Match, entry: str, text: str) -> None:
    """Offer another text right under an entry."""
    document = desk.document(match.path)
    desk.edit(match.path, insert_after(document, match.block, f"> [!question] {text} ^{entry}"), (entry,))


def lone_callout(document: Document, section: tuple[str, ...], entry: str, text: str) -> str:
    """The document with a suggestion of its own at the end of a section."""
    placed = parse_document(insert_paragraph(document, section, f"{text} ^{entry}"))
    (block,) = placed.find(entry)
    lines = list(placed.lines)
    lines[block.start] = f"> [!question] {lines[block.start]}"
    return "".join(lines)


def begun(desk: Desk, draft: Draft) -> Document:
    """The draft's document; a new one, with frontmatter and title, where there is none or nothing in it."""
    if not desk.is_blank(draft.document):
        return desk.document(draft.document)
    return parse_document(new_document(draft.title, draft.frontmatter))


def known_section(document: Document, trail: tuple[str, ...]) -> tuple[str, ...]:
    """The trail as the document has it: the same heading in the other language or letter case is used."""
    if not trail or find_section(document, trail) is not None:
        return trail
    alike = [
        section.path
        for section in document.sections
        if len(section.path) == len(trail) and all(map(same_heading, section.path, trail))
    ]
    if len(set(alike)) > 1 or (alike and alike.count(alike[0]) > 1):
        raise InvalidDocument(
            f"several sections are called {' > '.join(trail)}", hint="rename all but one of them"
        )
    return alike[0] if alike else trail
