"""Which entry a draft is about: by id, then by the key of the text as it stands, then near-duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from memfs.markdown.document import Block
from memfs.memory.desk import Desk
from memfs.memory.headings import is_archived_heading, is_superseded_heading
from memfs.memory.plain import plain_text, says_no_more
from memfs.memory.views import section_path
from memfs.memory.wording import FIELD_TYPES, core_key, is_struck, text_keys
from memfs.model import Draft

How = Literal["id", "key", "near"]


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that says what a draft says. ``owned``: its id is in the ledger; else it is a person's."""

    id: str | None
    path: str
    block: Block
    how: How
    owned: bool


def find_match(desk: Desk, draft: Draft) -> Match | None:
    """The entry a draft is about, or None. memfs's own entries go before a person's with the same key."""
    if found := desk.owned(draft.id):
        return Match(draft.id, *found, "id", True)
    candidates = [each for each in _candidates(desk, draft) if _is_current(desk, each)]
    candidates.sort(key=lambda each: not each.owned)
    same_id = (replace(each, how="id") for each in candidates if not each.owned and each.id == draft.id)
    same_key = (replace(each, how="key") for each in candidates if _has_key(desk, draft, each))
    near = (each for each in candidates if draft.type not in FIELD_TYPES and _is_near(draft, each))
    return next(chain(same_id, same_key, near), None)


def _candidates(desk: Desk, draft: Draft) -> Iterator[Match]:
    """memfs's entries of the draft's document, wherever they are now, and the person's lines in it."""
    seen: set[tuple[str, int]] = set()
    for entry, path, block in desk.owned_in(draft.document):
        seen.add((path, block.start))
        if block.kind != "callout":
            yield Match(entry, path, block, "near", True)
    for block in desk.document(draft.document).blocks:
        if (
            block.kind in ("item", "paragraph")
            and (draft.document, block.start) not in seen
            and block.text.strip()
        ):
            yield Match(block.block_id, draft.document, block, "near", False)


def _is_current(desk: Desk, match: Match) -> bool:
    trail = section_path(desk.document(match.path), match.block)
    past = is_superseded_heading(trail) or is_archived_heading(trail)
    return not (past or is_struck(match.block.text))


def _has_key(desk: Desk, draft: Draft, match: Match) -> bool:
    if match.block.kind == "paragraph" and not match.owned:
        return False
    trail = section_path(desk.document(match.path), match.block)
    return draft.key in text_keys(draft.type, trail, plain_text(match.block.text), owned=match.owned)


def _is_near(draft: Draft, match: Match) -> bool:
    theirs = core_key(draft.type, plain_text(draft.text))
    ours = core_key(draft.type, plain_text(match.block.text))
    if theirs == ours and not match.owned:
        return True
    fuller = match.owned and match.block.kind == "item" and says_no_more(ours, theirs)
    return fuller or says_no_more(theirs, ours)  # what says more than a person's line is not said by it
