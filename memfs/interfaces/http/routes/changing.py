"""Routes that change an entry: remember, edit, forget, move, accept, reject. Each is one commit."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from memfs.interfaces.answers.entries import Changed
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.problems import documented
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import PLAIN, Body, EntryId, IdentityName
from memfs.interfaces.shapes.entries import changed_json

router = router_of("entries", prefix="/api/entries")
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Value = str | int | list[str]


class Remembered(Body):
    """A text to keep, and the fields of its memory type."""

    text: Text
    identity: IdentityName | None = None
    type: Annotated[str, Field(min_length=1, max_length=80, pattern=PLAIN)] = "notes"
    peer: Annotated[str | None, Field(max_length=200, pattern=PLAIN)] = None
    fields: dict[str, Value] | None = None


class Edited(Body):
    """The text that an entry is to have."""

    text: Annotated[str, Field(min_length=1, max_length=600)]


class Moved(Body):
    """The identity that an entry goes to."""

    to: IdentityName


@router.post("", status_code=201, response_model=Changed, responses=documented(404))
def remember(calls: Calls, body: Remembered) -> Any:
    """Keep a text as a memory. What was forgotten before is kept all the same: it was said outright."""
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in (body.fields or {}).items()}
    with calls.reach() as reach:
        changed = reach.remember(
            body.text, identity=body.identity, type=body.type, peer=body.peer, fields=fields or None
        )
        return changed_json(changed)


@router.patch("/{entry}", response_model=Changed, responses=documented(404))
def edit(calls: Calls, entry: EntryId, body: Edited) -> Any:
    """Put a text in the place of an entry's own, as if its person had edited the line: it is never rewritten."""
    with calls.reach() as reach:
        return changed_json(reach.edit(entry, body.text))


@router.delete("/{entry}", response_model=Changed, responses=documented(404))
def forget(calls: Calls, entry: EntryId) -> Any:
    """Take an entry out, and keep it from coming back."""
    with calls.reach() as reach:
        return changed_json(reach.forget(entry))


@router.post("/{entry}/move", response_model=Changed, responses=documented(404))
def move(calls: Calls, entry: EntryId, body: Moved) -> Any:
    """Move an entry to another identity; the owner's alone."""
    with calls.whole() as memory:
        return changed_json(memory.move(entry, body.to))


@router.post("/{entry}/accept", response_model=Changed, responses=documented(404))
def accept(calls: Calls, entry: EntryId) -> Any:
    """Put an offered wording in the place of an entry."""
    with calls.reach() as reach:
        return changed_json(reach.accept(entry))


@router.post("/{entry}/reject", response_model=Changed, responses=documented(404))
def reject(calls: Calls, entry: EntryId) -> Any:
    """Take an offered wording away; it is not offered again."""
    with calls.reach() as reach:
        return changed_json(reach.reject(entry))
