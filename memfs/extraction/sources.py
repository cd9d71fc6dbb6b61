"""Whose words prove an operation, and so how far it is trusted (`memfs.memory.trust`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memfs.extraction.foreign import mask_marked
from memfs.extraction.model.words import is_said
from memfs.extraction.phrasebook import phrasebook
from memfs.memory.trust import least
from memfs.model import Operation, Trust, Turn

# Fields that no turn has to contain in these words.
_UNSAID = frozenset(("tags", "status", "priority", "date", "due", "field"))


def proof_trust(operation: Operation, proof: Sequence[Turn]) -> Trust:
    """The trust of an operation that these turns prove.

    Where a user or peer is among them the others are only what was talked about. Words of a user that stand in
    nothing but a quotation or in pasted text are those of a document.
    """
    said = [turn for turn in proof if turn.role in ("user", "participant")]
    return least(_levels(_words(operation), said or proof))


def _levels(text: str, turns: Sequence[Turn]) -> Iterator[Trust]:
    whole = [turn.text for turn in turns]
    books = [phrasebook(language) for language in ("en", "zh")]
    own = [mask_marked(each, books) for each in whole]
    quoted = own != whole and is_said(text, whole) and not is_said(text, own)
    for turn in turns:
        if turn.role == "document" or (quoted and turn.role in ("user", "participant")):
            yield "document"
        elif turn.role == "assistant":
            yield "agent"
        else:
            yield "peer" if turn.role == "participant" or turn.peer else "user"


def _words(operation: Operation) -> str:
    values = (value for name, value in operation.fields.items() if name not in _UNSAID)
    return "\n".join(" ".join(each) if isinstance(each, tuple) else str(each) for each in values)
