"""Later words correct earlier ones: only the last state of things is kept."""

from __future__ import annotations

from memfs.extraction.operations import Find

SCALAR_PROFILE = frozenset({"name", "role", "timezone", "location", "team"})
DATED = frozenset({"events", "actions"})


def scratch_earlier(finds: list[Find], start: int) -> None:
    """ "Scratch that": what the turn said so far is taken back."""
    del finds[start:]


def add_find(finds: list[Find], new: Find, *, corrects: bool) -> None:
    """Add ``new``; what it repeats or corrects goes. ``corrects``: it says that something changed."""
    for old in list(finds):
        if old.peer != new.peer and not (corrects and old.type == new.type):
            continue
        if _repeats(old, new):
            if len(old.text) >= len(new.text):
                return
            finds.remove(old)
        elif _replaces(new, old, corrects=corrects):
            finds.remove(old)
    if corrects and new.day is not None:
        _move(finds, new)
    finds.append(new)


def _repeats(old: Find, new: Find) -> bool:
    if old.type != new.type or not old.words or not new.words:
        return old.text.lower() == new.text.lower()
    return old.words <= new.words or new.words <= old.words


def _replaces(new: Find, old: Find, *, corrects: bool) -> bool:
    if new.type == old.type == "profile":
        (key,) = new.fields
        return key in SCALAR_PROFILE and key in old.fields
    if new.type == old.type == "decisions":
        return new.fields["topic"] == old.fields["topic"]
    if not corrects:
        return False
    same_kind = new.type == old.type or {new.type, old.type} <= DATED
    return same_kind and bool(new.words & old.words)


def _move(finds: list[Find], new: Find) -> None:
    """ "It'll be the 25th instead": the last dated find that the new one does not name is what moved."""
    for old in reversed(finds):
        if old.type in DATED and old.day is not None and old.day != new.day and old.peer == new.peer:
            if old.type == new.type == "events":
                new.fields["name"] = old.fields["name"]
                finds.remove(old)
            return
