"""What local state holds: counts, last runs, quarantine, pending cursor moves, choices, deletions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memfs.model import Cursor
from memfs.vault.local import LocalState

_KEPT_DAYS = 62


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A range of a transcript that the model could not be read on; ``start`` and ``end`` are byte offsets.

    ``messages`` are the keys of its turns, for formats that are rewritten whole. ``answer`` is what the model
    said the last time, without secrets.
    """

    identity: str
    source: str
    session: str
    start: int
    end: int
    reason: str
    since: float
    messages: tuple[str, ...] = ()
    answer: str = ""


# Counting


def add_tokens(state: LocalState, identity: str, day: str, count: int) -> int:
    """Add to the tokens an identity used on ``day`` (ISO); gives the day's sum."""

    def change(record: dict[str, Any]) -> int:
        days = record.setdefault(identity, {})
        days[day] = days.get(day, 0) + count
        for old in sorted(days)[:-_KEPT_DAYS]:
            del days[old]
        return int(days[day])

    return state.update_record("tokens", change)


def tokens_used(state: LocalState, identity: str, day: str) -> int:
    return int(state.read_record("tokens").get(identity, {}).get(day, 0))


def count_failure(state: LocalState, key: str) -> int:
    """One more failure in a row of ``key``; gives how many."""

    def change(record: dict[str, Any]) -> int:
        record[key] = record.get(key, 0) + 1
        return int(record[key])

    return state.update_record("failures", change)


def clear_failures(state: LocalState, key: str) -> None:
    state.update_record("failures", lambda record: record.pop(key, None))


# When what ran


def set_last_run(state: LocalState, identity: str, time: float) -> None:
    """Note when the identity's extraction last ran (seconds since the epoch)."""
    state.update_record("runs", lambda record: record.update({identity: time}))


def last_run(state: LocalState, identity: str) -> float | None:
    return state.read_record("runs").get(identity)


def mark_slot(state: LocalState, slot: str, identity: str) -> None:
    """Note that the daily run's ``slot`` (its time, so that slots sort) is done for the identity."""

    def change(record: dict[str, Any]) -> None:
        record.setdefault(slot, {})[identity] = True
        for old in sorted(record)[:-_KEPT_DAYS]:
            del record[old]

    state.update_record("slots", change)


def slot_done(state: LocalState, slot: str) -> frozenset[str]:
    """The identities that the slot is done for."""
    return frozenset(state.read_record("slots").get(slot, {}))


def close_slot(state: LocalState, slot: str) -> None:
    """Note that nothing of the slot is left to do; the last of the slots that is noted counts for those before."""
    state.update_record("closed", lambda record: record.update({"slot": slot}))


def closed_slot(state: LocalState) -> str | None:
    """The slot that was closed last."""
    return state.read_record("closed").get("slot")


# Quarantine


def quarantine(state: LocalState, item: Quarantine) -> None:
    """Set a range aside; one with the same place is replaced."""
    state.update_record("quarantine", lambda record: record.update({_place(item): asdict(item)}))


def quarantined(state: LocalState) -> tuple[Quarantine, ...]:
    found = [
        Quarantine(**{**item, "messages": tuple(item["messages"])})
        for item in state.read_record("quarantine").values()
    ]
    return tuple(sorted(found, key=lambda item: (item.since, item.source, item.session, item.start)))


def release_quarantine(state: LocalState, item: Quarantine) -> None:
    state.update_record("quarantine", lambda record: record.pop(_place(item), None))


# Why transcripts were not merged


def note_reasons(state: LocalState, reasons: Mapping[str, Sequence[str]], gone: Iterable[str] = ()) -> None:
    """Note, by the path of each transcript that was taken up, why it is not merged; no reason clears its note."""

    def change(record: dict[str, Any]) -> None:
        record.update({path: list(told) for path, told in reasons.items()})
        for path in [path for path, told in record.items() if not told or path in gone]:
            del record[path]

    state.update_record("reasons", change)


def noted_reasons(state: LocalState) -> Mapping[str, tuple[str, ...]]:
    """Why transcripts were not merged when they were last taken up, by path."""
    return {path: tuple(told) for path, told in sorted(state.read_record("reasons").items())}


# Cursor moves that no commit holds yet


def set_pending_cursor(state: LocalState, identity: str, cursor: Cursor, since: float) -> None:
    """Note a move; ``since`` (seconds since the epoch) of the first uncommitted one is kept."""

    def change(record: dict[str, Any]) -> None:
        pending = record.setdefault(identity, {})
        key = _cursor_key(cursor)
        pending[key] = {"since": pending.get(key, {}).get("since", since), "cursor": asdict(cursor)}

    state.update_record("cursors", change)


def pending_cursors(state: LocalState, identity: str) -> tuple[tuple[Cursor, float], ...]:
    """The moves not yet committed, and since when."""
    pending = state.read_record("cursors").get(identity, {})
    return tuple((Cursor(**item["cursor"]), float(item["since"])) for _, item in sorted(pending.items()))


def drop_pending_cursors(state: LocalState, identity: str, committed: tuple[Cursor, ...]) -> None:
    """Forget the moves that a commit now holds; one that went further since stays."""

    def change(record: dict[str, Any]) -> None:
        pending: dict[str, Any] = record.get(identity, {})
        for cursor in committed:
            if pending.get(_cursor_key(cursor), {}).get("cursor") == asdict(cursor):
                del pending[_cursor_key(cursor)]

    state.update_record("cursors", change)


# Choices and things noticed


def set_backfill(state: LocalState, source: str, choice: str) -> None:
    state.update_record("backfill", lambda record: record.update({source: choice}))


def backfill(state: LocalState, source: str) -> str | None:
    """What was chosen for the source's old sessions: ``none``, ``30d``, ``all``; None when nothing was."""
    return state.read_record("backfill").get(source)


def note_deletions(state: LocalState, identity: str, times: Mapping[str, str]) -> dict[str, str]:
    """Note deletions by entry id with their ISO time; an earlier note counts. Gives all of the identity's."""

    def change(record: dict[str, Any]) -> dict[str, str]:
        record[identity] = {**times, **record.get(identity, {})}
        return dict(record[identity])

    return state.update_record("deletions", change)


def drop_deletions(state: LocalState, identity: str, ids: frozenset[str]) -> None:
    """Forget notes: their marks are committed, or the entries are back."""

    def change(record: dict[str, Any]) -> None:
        record[identity] = {k: v for k, v in record.get(identity, {}).items() if k not in ids}

    state.update_record("deletions", change)


def _place(item: Quarantine) -> str:
    return json.dumps([item.identity, item.source, item.session, item.start, item.messages[:1]])


def _cursor_key(cursor: Cursor) -> str:
    return json.dumps([cursor.source, cursor.session])
