"""What time does to entries: tasks that nothing is heard of go stale, what is over is archived. Pure.

An entry is over when the day is past that it says of itself, ``(valid until 2026-12-31)`` or 有效期至, or that its
document says in its frontmatter (``valid_until``); a task, when it was done long ago.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from memfs.markdown.document import Document
from memfs.memory.plain import plain_text
from memfs.memory.wording import is_stale, parse_action

_DAY = r"(?P<day>\d{4}-\d{2}-\d{2})"
_VALID = re.compile(
    rf"[(（]\s*(?:(?:valid|in force)\s+(?:until|till|to)|expires(?:\s+on)?|有效期?至|截至)\s*[:：]?\s*{_DAY}\s*[)）]",
    re.IGNORECASE,
)
_FRONTMATTER = ("valid_until", "expires")
_OPEN_BOXES = (" ", "/")


@dataclass(frozen=True, slots=True)
class Patience:
    """How many days an open task may go unheard of, and how long a finished one stays in view; 0: for ever."""

    stale_days: int = 45
    done_days: int = 90


def last_valid_day(document: Document, text: str) -> date | None:
    """The last day on which an entry holds; None where nothing says that it ends."""
    said = _VALID.search(plain_text(text))
    if said is not None:
        return _day(said["day"])
    for name in _FRONTMATTER:
        if (value := document.frontmatter.values.get(name)) is not None:
            return _day(str(value).strip()[:10])
    return None


def is_over(
    document: Document,
    type_name: str,
    text: str,
    box: str | None,
    said: date,
    today: date,
    patience: Patience,
) -> bool:
    """Whether an entry belongs into the archive. ``said``: the day of its latest evidence."""
    last = last_valid_day(document, text)
    if last is not None:
        return last < today
    done = type_name == "actions" and box in ("x", "X")
    return done and bool(patience.done_days) and said + timedelta(days=patience.done_days) < today


def stale_since(text: str, box: str | None, said: date, today: date, patience: Patience) -> str | None:
    """Since when (ISO day) an open task is stale; None where it is not, is finished, or is marked already."""
    if not patience.stale_days or box not in _OPEN_BOXES or is_stale(text):
        return None
    due = _day(parse_action(plain_text(text)).due or "")
    latest = max(said, due) if due else said
    return latest.isoformat() if latest + timedelta(days=patience.stale_days) < today else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
