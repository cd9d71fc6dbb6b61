"""Writing a relay board: new batons, their records, and what has had its time. Under the vault's lock."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memfs.memory.board import Baton, BoardLine, insert_lines, remove_lines
from memfs.memory.board_records import BatonRecord, BoardRecords
from memfs.memory.board_rules import leaves
from memfs.services.relaying.files import edit_board, write_records

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_KEPT = timedelta(hours=48)  # so long a record outlives its line: for late replies, and turns told twice


def write_batons(
    vault: Vault,
    identity: str,
    batons: Sequence[Baton],
    added: Sequence[Baton],
    records: BoardRecords,
) -> None:
    """Put batons on the board and take off what has had its time; durable when this returns."""
    now = vault.now()
    going = {baton.id: baton.text for baton in batons if leaves(baton, now, wrote=False)}
    lines = [_line(vault, baton) for baton in added]

    def edit(text: str | None) -> str:
        return insert_lines(None if text is None else remove_lines(text, going), lines, vault.language)

    edit_board(vault, identity, edit)
    noted = records.with_batons(*(record_of(baton) for baton in added if not baton.bootstrap))
    write_records(vault, identity, pruned(noted, [*batons, *added], going, now))


def pruned(
    records: BoardRecords, batons: Sequence[Baton], gone: Collection[str], now: datetime
) -> BoardRecords:
    """The records of what is on the board, and of what was on it lately."""
    there = {baton.id for baton in batons} - set(gone)
    kept = {id: one for id, one in records.batons.items() if id in there or now - one.moment < _KEPT}
    return replace(records, batons=kept)


def _line(vault: Vault, baton: Baton) -> BoardLine:
    role = "bootstrap" if baton.bootstrap else baton.role
    local = baton.time.astimezone(vault.zone).replace(tzinfo=None)
    return BoardLine(baton.id, local, baton.channel, baton.sequence, role, baton.text)


def record_of(baton: Baton, read: str | None = None) -> BatonRecord:
    return BatonRecord(
        baton.id,
        baton.time.isoformat(timespec="seconds"),
        baton.channel,
        baton.sequence,
        baton.role,
        baton.session,
        baton.message,
        read,
    )
