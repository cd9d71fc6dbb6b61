"""What an agent reads before it begins or answers: its memory in a fixed order, within a budget of tokens."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memfs.model import EntryView
from memfs.services.recall import search
from memfs.services.relaying.handover import handover_sections, trust_mark
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.search.context import Context, ContextItem, ContextSection, Kind
    from memfs.search.searching import Hit
    from memfs.search.sessions import TurnHit
    from memfs.services.opening import Vault

DEFAULT_BUDGET = 1500
_RECENT = 8
_ACTIONS = 12
_LONG_OVERDUE = 45  # days
_RETRIEVED = 8
_LEAST_SCORE = 0.4
_TURNS = 4
_OPEN = ("pending", "in_progress")


def context(
    vault: Vault, message: str = "", *, identity: str | None = None, budget: int = DEFAULT_BUDGET
) -> Context:
    """What an agent should read before it begins, or before it answers ``message``, within ``budget`` tokens.

    Suggestions are never in it. What was superseded is, marked, only when the message brings it to mind and not
    what took its place; actions that are overdue are marked, those for long come last.
    """
    from memfs.search.context import ContextSection, assemble_context

    name = vault.choose_identity(identity)
    today = vault.now().date()
    views = tuple(_own_entries(vault, name))
    said = _days_said(vault, views)
    chosen: Mapping[Kind, Iterable[EntryView]] = {
        "identity": [view for view in views if view.type in ("identity", "soul")],
        "profile": [view for view in views if view.type == "profile"],
        "preferences": _newest([view for view in views if view.type == "preferences"], said),
        "actions": _open_actions(views, today)[:_ACTIONS],
        "decisions": _latest_decisions(views),
    }
    retrieved = list(_brought_to_mind(vault, name, message, today)) if message.strip() else []
    besides = {item.source for section in retrieved for item in section.items}
    sections = handover_sections(vault, name, views, said, besides)
    sections += [
        ContextSection(kind, _items(each, said, today, vault.language)) for kind, each in chosen.items()
    ]
    sections += retrieved
    return assemble_context(sections, budget, secrets.token_hex(8), vault.language)


def _brought_to_mind(vault: Vault, identity: str, message: str, today: date) -> Iterator[ContextSection]:
    """What the message retrieves: memory that is relevant, and nothing where nothing is."""
    from memfs.search.context import ContextSection

    found = search(vault, message, identity=identity, limit=_RETRIEVED)
    views = tuple(_current(hit.view for hit in _relevant(found.hits)))
    yield ContextSection("retrieved", _items(views, _days_said(vault, views), today, vault.language))
    if not views and vault.config.search.sessions:
        turns = found.turns or search(vault, message, identity=identity, limit=_TURNS, sessions=True).turns
        yield ContextSection("turns", tuple(_said(turns)))


def _said(turns: Sequence[TurnHit]) -> Iterator[ContextItem]:
    """Turns as they were said, with who said them: the last resort, and no memory."""
    from memfs.search.context import ContextItem

    for turn in turns[:_TURNS]:
        if turn.score >= _LEAST_SCORE:
            yield ContextItem(turn.snippet.text, f"{turn.path}:{turn.line}", turn.date, mark=turn.role)


def _relevant(hits: Sequence[Hit]) -> Iterator[Hit]:
    """The hits that answer the message; what was put before a journal line that does answers it as well."""
    lines = [place for place, hit in enumerate(hits) if hit.view.type == "journal" and _is_relevant(hit)]
    last = max(lines, default=-1)
    return (hit for place, hit in enumerate(hits) if place < last or _is_relevant(hit))


def _is_relevant(hit: Hit) -> bool:
    """Whether a hit answers the message; that it was superseded, or is working memory, makes it no less relevant."""
    parts = dict(hit.parts)
    return hit.score >= _LEAST_SCORE * parts.get("superseded", 1.0) * parts.get("journal", 1.0)


def _current(views: Iterable[EntryView]) -> Iterator[EntryView]:
    """Without suggestions, and without what was superseded by another one of them."""
    listed = [view for view in views if view.status != "suggestion"]
    ids = {view.id for view in listed}
    for view in listed:
        successor = (view.id or "").rpartition("-")[0]
        if view.status != "superseded" or successor not in ids:
            yield view


def _own_entries(vault: Vault, identity: str) -> Iterator[EntryView]:
    """An identity's own entries that count: no suggestions, nothing superseded."""
    from memfs.services.entries import read_entries

    folder = vault.layout.rel(vault.layout.identity_dir(identity))
    for path in sorted(scan_documents(vault.layout, [f"{folder}/*.md"]).documents):
        for view in read_entries(vault, path):
            if _counts(view) and view.peer is None:
                yield view


def _counts(view: EntryView) -> bool:
    """Whether an entry holds now: nothing that is only offered, nothing superseded."""
    return view.status not in ("suggestion", "superseded")


def _newest(views: Sequence[EntryView], said: Mapping[EntryView, str]) -> list[EntryView]:
    """The latest said first; what a person wrote, whose day is not known, after them."""
    return sorted(views, key=lambda view: said.get(view, ""), reverse=True)


def _open_actions(views: Sequence[EntryView], today: date) -> list[EntryView]:
    """What is to be done: the next due first, then what has no date, last what is overdue for long."""
    overdue = (today - timedelta(days=_LONG_OVERDUE)).isoformat()

    def rank(view: EntryView) -> tuple[int, str]:
        return (1 if view.date is None else 2 if view.date < overdue else 0), view.date or ""

    pending = [view for view in views if view.type == "actions" and view.status in _OPEN]
    return sorted(pending, key=rank)


def _latest_decisions(views: Sequence[EntryView]) -> list[EntryView]:
    decisions = [view for view in views if view.type == "decisions"]
    return sorted(decisions, key=lambda view: view.date or "", reverse=True)[:_RECENT]


def _days_said(vault: Vault, views: Sequence[EntryView]) -> Mapping[EntryView, str]:
    """The day on which each entry was said; where no ledger tells it, the day that its text gives.

    The date of an action is when it is due, and so never that.
    """
    from memfs.services.entries import days_said

    ids: dict[str, list[str]] = {}
    for view in views:
        ids.setdefault(view.path, []).extend([view.id] if view.id else [])
    known = {path: days_said(vault, path, of_path) for path, of_path in ids.items()}
    days = {view: known[view.path].get(view.id or "") or _own_date(view) for view in views}
    return {view: day for view, day in days.items() if day}


def _own_date(view: EntryView) -> str | None:
    return None if view.type == "actions" else view.date


def _items(
    views: Iterable[EntryView], said: Mapping[EntryView, str], today: date, language: str
) -> tuple[ContextItem, ...]:
    from memfs.search.context import ContextItem
    from memfs.search.labels import in_chinese

    return tuple(
        ContextItem(
            view.text if language == "en" else in_chinese(view),
            f"{view.path}:{view.line}",
            said.get(view),
            _mark(view, today),
            working=view.type == "journal",
        )
        for view in views
    )


def _mark(view: EntryView, today: date) -> str | None:
    """What an agent must know of an entry before it goes by it; and whose words it is, when not the user's."""
    late = view.type == "actions" and view.status in _OPEN and view.date and view.date < today.isoformat()
    marks = (
        "superseded" if view.status == "superseded" else "overdue" if late else None,
        trust_mark(view),
    )
    return ", ".join(mark for mark in marks if mark) or None
