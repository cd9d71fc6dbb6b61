"""Daily runs as they are recorded: one at a time, joined by whoever asks for the same, across processes.

The record lies in local state under ``daily``: the run under way (and its process), the last one that ended with
its result, and how many there have been. A run whose process died is known by that, and is no result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from memfs.config.schedules import parse_schedule
from memfs.errors import VaultLocked
from memfs.processes import Process, process_start
from memfs.vault.local import LocalState
from memfs.vault.lock import hold_file

if TYPE_CHECKING:
    from memfs.services.opening import Vault

LONGEST_WAIT = 6 * 3600.0  # seconds for which a caller waits for the run under way
_RECORD = "daily"
State = Literal["idle", "running", "error"]


@dataclass(frozen=True, slots=True)
class DailyResult:
    """What a daily run did. ``extracted_count`` counts identities; ``archived_size`` is in bytes."""

    extracted_count: int = 0
    archived_files: int = 0
    archived_size: int = 0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DailyStatus:
    """How the daily run does. ``last_run_at``: when the last one began; ``next_run_at``: None when never again.

    ``error``: the last run had errors, or died before its end; ``errors`` says which.
    """

    last_run_at: datetime | None
    next_run_at: datetime | None
    state: State
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DailyRequest:
    """What is asked of a run: one identity or all, another archive path, a slot (ISO, UTC) or none."""

    identity: str | None = None
    backup_path: str | None = None
    slot: str | None = None

    def serves(self, other: DailyRequest) -> bool:
        """Whether the result of a run for this is what ``other`` asks for."""
        whole = self.identity is None or self.identity == other.identity
        return whole and self.backup_path == other.backup_path and other.slot in (None, self.slot)


def run_joined(vault: Vault, request: DailyRequest, work: Callable[[], DailyResult]) -> DailyResult:
    """Do ``work`` when no daily run is under way; else wait for that one, and take its result where it serves.

    Raises:
        VaultLocked: the run under way did not end in `LONGEST_WAIT`.
    """
    state = LocalState(vault.layout)
    before = _number(state)
    lock = vault.layout.local / "daily.lock"
    with ExitStack() as stack:
        try:
            stack.enter_context(hold_file(lock, 0.0, "the daily run"))
        except VaultLocked:
            stack.enter_context(hold_file(lock, LONGEST_WAIT, "the daily run"))
            if (joined := _ended_since(state, before, request)) is not None:
                return joined
        return _record(vault, state, request, work)


def daily_status(vault: Vault) -> DailyStatus:
    """When the daily run last began, when it is due next, and whether it is under way."""
    record = LocalState(vault.layout).read_record(_RECORD)
    began = record.get("last_run_at")
    running, died = _under_way(record)
    errors = tuple(record.get("errors", ()))
    if died:
        errors = (f"the run that began {began} died before its end",)
    due = parse_schedule(vault.config.daily.schedule, vault.zone).after(vault.clock())
    return DailyStatus(
        last_run_at=datetime.fromisoformat(began).astimezone(vault.zone) if began else None,
        next_run_at=due.astimezone(vault.zone) if due else None,
        state="running" if running else "error" if errors else "idle",
        errors=errors,
    )


def _record(
    vault: Vault, state: LocalState, request: DailyRequest, work: Callable[[], DailyResult]
) -> DailyResult:
    began = vault.clock().astimezone(UTC).isoformat(timespec="seconds")
    _note_begin(state, began)
    try:
        result = work()
    except BaseException as error:
        _note_end(state, None, None, (f"{type(error).__name__}: {error}",))
        raise
    _note_end(state, request, result, result.errors)
    return result


def _note_begin(state: LocalState, began: str) -> None:
    import os

    def change(record: dict[str, Any]) -> None:
        record["last_run_at"] = began
        record["running"] = {"pid": os.getpid(), "start": process_start(os.getpid()) or ""}

    state.update_record(_RECORD, change)


def _note_end(
    state: LocalState, request: DailyRequest | None, result: DailyResult | None, errors: tuple[str, ...]
) -> None:
    def change(record: dict[str, Any]) -> None:
        record.pop("running", None)
        record["errors"] = list(errors)
        if request is not None and result is not None:
            record["number"] = int(record.get("number", 0)) + 1
            record["ended"] = {"request": asdict(request), "result": asdict(result)}

    state.update_record(_RECORD, change)


def _number(state: LocalState) -> int:
    """How many runs have ended."""
    return int(state.read_record(_RECORD).get("number", 0))


def _ended_since(state: LocalState, before: int, request: DailyRequest) -> DailyResult | None:
    """The result of a run that ended after the one numbered ``before``, where it serves the request."""
    record = state.read_record(_RECORD)
    if int(record.get("number", 0)) <= before or "ended" not in record:
        return None
    if not DailyRequest(**record["ended"]["request"]).serves(request):
        return None
    told = record["ended"]["result"]
    return DailyResult(**{**told, "errors": tuple(told["errors"])})


def _under_way(record: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a run is under way, and whether one died in it."""
    running = record.get("running")
    if running is None:
        return False, False
    alive = Process(int(running["pid"]), str(running["start"])).is_running()
    return alive, not alive
