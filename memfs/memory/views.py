"""Entries as every interface shows them: read from a document, whoever wrote them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memfs.markdown.document import Block, Document, parse_document
from memfs.memory.headings import is_archived_heading, is_done_heading, is_superseded_heading
from memfs.memory.ids import MEMFS_ID
from memfs.memory.plain import plain_text, reader_text
from memfs.memory.wording import FIELD_TYPES, decision_date, is_struck, parse_action, split_label, unstruck
from memfs.model import EntryView

_BY_FOLDER = {
    "projects": "projects",
    "entities": "entities",
    "events": "events",
    "cases": "cases",
    "trajectories": "trajectories",
    "experiences": "experiences",
    "skills": "skills",
    "tools": "tools",
}
_BY_NAME = frozenset(["profile", "preferences", "decisions", "actions", "notes", "identity", "soul"])
_PARAGRAPH_TYPES = frozenset(("entities", "experiences"))
_NOT_MEMORY = ("relay.md", "journal/")
# What stands in a new identity.md, in the languages of vaults, until a person writes there.
INTRODUCTION = {
    "en": "Who this identity is, in your words. What memfs remembers is in:",
    "zh": "用你自己的话写下这个身份是谁。memfs 记住的内容在：",
}
_ONLY_LINK = re.compile(r"!?\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()]*\)")
_EVENT_PATH = re.compile(r"events/(\d{4})/(\d{2})/(\d{2})/")
_SUGGESTION_DATE = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})[:：]\s*")


@dataclass(frozen=True, slots=True)
class Place:
    """What a path says: whose memory it is. ``document`` is relative to ``memories/<identity>/``."""

    identity: str
    peer: str | None
    document: str
    below: str


def locate(path_in_vault: str, *, root: str) -> Place | None:
    """Whose memory a document holds; None for one that lies outside of ``memories/<identity>/``.

    ``root``: the folder of memfs's own folders in the vault, "" for the vault itself.
    """
    prefix = f"{root.strip('/')}/memories/" if root.strip("/.") else "memories/"
    parts = path_in_vault.removeprefix(prefix).split("/")
    if not path_in_vault.startswith(prefix) or len(parts) < 2 or any(part.startswith(".") for part in parts):
        return None
    document = "/".join(parts[1:])
    if parts[1] == "peers" and len(parts) > 3:
        return Place(parts[0], parts[2], document, "/".join(parts[3:]))
    return Place(parts[0], None, document, document)


def view_entries(path_in_vault: str, text: str, *, root: str) -> tuple[EntryView, ...]:
    """The entries of one document, hand-written list items included, in their order.

    Free prose is no entry unless it carries a block id, nor are the links by which ``identity.md`` leads to
    the other documents. The relay board, the journal and documents outside of ``memories/<identity>/`` have
    none.
    """
    place = locate(path_in_vault, root=root)
    if place is None or place.below.startswith(_NOT_MEMORY) or not place.below.endswith(".md"):
        return ()
    document = parse_document(text)
    type_name = document_type(place, document)
    blocks = (b for b in document.blocks if _is_entry(b) and not is_navigation(b, place))
    return tuple(_view(block, document, place, type_name, path_in_vault) for block in blocks)


def raw_texts(text: str) -> Mapping[str, str]:
    """The text of each entry with a block id as it stands in the document; of copies the first."""
    found: dict[str, str] = {}
    for block in parse_document(text).blocks:
        if block.block_id is not None:
            found.setdefault(block.block_id, block.text)
    return found


def document_type(place: Place, document: Document) -> str:
    """The memory type of a document: its frontmatter says, else its path, else it holds notes."""
    said = document.frontmatter.values.get("type")
    if isinstance(said, str) and said.strip():
        return said.strip()
    head, _, rest = place.below.partition("/")
    if rest:
        return _BY_FOLDER.get(head, "notes")
    stem = head.removesuffix(".md").lower()
    return stem if stem in _BY_NAME else "notes"


def is_suggestion(block: Block) -> bool:
    """Whether a block is a callout in which memfs offers another text."""
    return block.kind == "callout" and block.block_id is not None and block.block_id.endswith("-q")


def is_navigation(block: Block, place: Place | None) -> bool:
    """Whether a block of ``identity.md`` is an item that is nothing but a link, or the sentence it begins with."""
    if place is None or place.below != "identity.md" or block.block_id is not None:
        return False
    text = block.text.strip()
    if block.kind == "item":
        return _ONLY_LINK.fullmatch(text) is not None
    return block.kind == "paragraph" and text in INTRODUCTION.values()


def suggestion_text(block: Block) -> str:
    """The text that a suggestion offers, without its date."""
    return _SUGGESTION_DATE.sub("", block.text, count=1)


def section_path(document: Document, block: Block) -> tuple[str, ...]:
    """The headings a block stands under, below the title of the document."""
    return document.sections[block.section].path if block.section >= 0 else ()


def _is_entry(block: Block) -> bool:
    if block.kind == "item":
        return bool(block.text.strip())
    if block.kind == "paragraph":
        return block.block_id is not None and bool(block.text.strip())
    return is_suggestion(block) and MEMFS_ID.fullmatch(block.block_id or "") is not None


def _view(block: Block, document: Document, place: Place, type_name: str, path: str) -> EntryView:
    trail = section_path(document, block)
    text = suggestion_text(block) if is_suggestion(block) else block.text
    status = _status(block, type_name, trail)
    bare = unstruck(text) if status == "superseded" else text
    label = split_label(bare) if type_name in FIELD_TYPES else None
    return EntryView(
        id=block.block_id,
        identity=place.identity,
        peer=place.peer,
        type=type_name,
        field=label[0] if label else None,
        text=_shown(bare, document, type_name, trail),
        status=status,
        date=_date(block, bare, type_name, place),
        path=path,
        line=block.line,
        priority=parse_action(plain_text(bare)).priority if type_name == "actions" else None,
    )


def _shown(text: str, document: Document, type_name: str, trail: tuple[str, ...]) -> str:
    """The text with what a reader knows from around it: the topic above, the name of the document."""
    parts = [reader_text(text)]
    if type_name == "preferences" and trail:
        parts.insert(0, reader_text(trail[-1]))
    elif type_name in (
        "projects",
        "entities",
        "events",
        "cases",
        "trajectories",
        "experiences",
        "skills",
        "tools",
    ):
        name = reader_text(document.title or "")
        if name and not parts[0].startswith(name):
            parts.insert(0, name)
    return ": ".join(parts)


def _status(block: Block, type_name: str, trail: tuple[str, ...]) -> str | None:
    if is_suggestion(block):
        return "suggestion"
    if _is_over(trail) or (type_name == "decisions" and is_struck(block.text)):
        return "superseded"
    if type_name != "actions":
        return None
    if block.box in ("x", "X") or (block.box is None and is_done_heading(trail)):
        return "done"
    progress = block.box == "/" or parse_action(plain_text(block.text)).in_progress
    return "in_progress" if progress else "pending"


@lru_cache(maxsize=1024)
def _is_over(trail: tuple[str, ...]) -> bool:
    """Whether a section holds what is no longer current: superseded or archived, recall must know the same of it."""
    return is_superseded_heading(trail) or is_archived_heading(trail)


def _date(block: Block, text: str, type_name: str, place: Place) -> str | None:
    if type_name == "decisions":
        return decision_date(text)
    if type_name == "actions":
        return parse_action(plain_text(text)).due
    if match := _EVENT_PATH.match(place.below):
        return "-".join(match.groups())
    if is_suggestion(block) and (dated := _SUGGESTION_DATE.match(block.text)):
        return dated["date"]
    return None
