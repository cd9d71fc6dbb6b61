"""Named steps of the commit protocol, where tests kill or pause a process.

Production code calls :func:`reach`; nothing listens unless a test set an observer.
"""

from __future__ import annotations

from collections.abc import Callable

STEPS = (
    "locked",
    "hand.indexed",
    "hand.committed",
    "blobs.written",
    "temp.written",
    "log.written",
    "place.before",
    "place.exchanged",
    "place.displaced",
    "place.done",
    "index.before",
    "index.set",
    "tree.written",
    "commit.written",
    "ref.before",
    "ref.moved",
    "verified",
    "synced",
    "log.dropped",
)

_observer: Callable[[str], None] | None = None


def reach(step: str) -> None:
    """Tell the observer, if there is one, that ``step`` was reached."""
    if _observer is not None:
        _observer(step)


def observe(observer: Callable[[str], None] | None) -> None:
    """Set the observer (None: nobody listens). For tests."""
    global _observer
    _observer = observer
