"""The relay board: what agents hand over to the next one, for 24 hours, and longer while nothing has read it.

relay.md is the truth, and a person may edit it; relay.jsonl adds what its lines do not say. Both are local.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfs.errors import MemfsError
from memfs.markdown.escape import fold_line
from memfs.memory.board import Baton, BatonRole, baton_id, find_problems, is_conflicted, remove_lines
from memfs.memory.board_rules import LONGEST, PRESSING, is_live, is_overdue, is_unread, leaves
from memfs.memory.ids import text_hash
from memfs.services.relaying.adding import add_baton
from memfs.services.relaying.files import edit_board, read_files, write_records
from memfs.services.relaying.reading import read_batons, still_remembered
from memfs.services.relaying.writing import pruned, record_of, write_batons
from memfs.vault.lock import hold_vault

if TYPE_CHECKING:
    from memfs.services.opening import Vault

__all__ = [
    "Baton",
    "BatonRole",
    "Board",
    "add_baton",
    "board_troubles",
    "purge_relay",
    "read_relay",
    "relay_presses",
    "seed_bootstrap",
    "settle_relay",
    "unread_batons",
]


@dataclass(frozen=True, slots=True)
class Board:
    """The batons on the board, oldest first; ``overdue`` are ids of those only there because nothing has read them.

    ``problems`` tell what of its files could not be read. ``conflicted``: two versions of it stand in one file.
    """

    batons: tuple[Baton, ...] = ()
    overdue: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    conflicted: bool = False


def read_relay(vault: Vault, identity: str | None = None) -> Board:
    """The board of an identity as it is now; nothing is written.

    Raises:
        InvalidRequest: it cannot be told which identity is meant.
        InvalidDocument: relay.md cannot be read as text.
    """
    name = vault.choose_identity(identity)
    files, now = read_files(vault, name), vault.now()
    live = (baton for baton in read_batons(vault, name, files) if is_live(baton, now))
    batons = still_remembered(vault, name, live)
    overdue = tuple(baton.id for baton in batons if is_overdue(baton, now))
    ordered = sorted(batons, key=lambda baton: baton.time)
    problems = (*files.records.problems, *board_problems(vault, name, files.text))
    return Board(tuple(ordered), overdue, problems, is_conflicted(files.text or ""))


def board_troubles(vault: Vault, identity: str) -> tuple[str, ...]:
    """What of a board and its records cannot be read, each with its file; a file that cannot be read at all too."""
    try:
        files = read_files(vault, identity)
    except MemfsError as error:
        return (str(error),)
    folder = vault.layout.rel(vault.layout.identity_dir(identity))
    told = (f"{folder}: {problem}" for problem in files.records.problems)
    return (*told, *board_problems(vault, identity, files.text))


def board_problems(vault: Vault, identity: str, text: str | None) -> tuple[str, ...]:
    """What of a board cannot be read, each with file and line."""
    place = vault.layout.rel(vault.layout.relay_board(identity))
    return tuple(f"{place}:{line}: {told}" for told, line in find_problems(text or ""))


def unread_batons(vault: Vault, identity: str) -> tuple[Baton, ...]:
    """What an extraction still has to read of the board: not bootstrap, not done; however old.

    Nothing, while two versions of the board stand in one file: `read_relay` tells.
    """
    board = read_relay(vault, identity)
    return () if board.conflicted else tuple(baton for baton in board.batons if is_unread(baton))


def relay_presses(vault: Vault, identity: str) -> bool:
    """Whether so much is unread that the next daily run should come early."""
    return len(unread_batons(vault, identity)) >= PRESSING


def settle_relay(vault: Vault, identity: str, *, read: Collection[str], wrote: bool) -> int:
    """After an extraction: the batons ``read`` are done; those whose time is over leave the board.

    ``read`` are ids; as a mapping from them to what they said when they were read, one that a person has changed since
    is not done.
    ``wrote``: its merge has written something, so all that is done leaves at once; else it stays for its 24 hours.
    Gives how many left.
    """
    with hold_vault(vault.layout):
        files = read_files(vault, identity)
        batons = read_batons(vault, identity, files)
        told = read if isinstance(read, Mapping) else {baton.id: baton.text for baton in batons}
        marked = [record_of(baton, text_hash(told[baton.id])) for baton in batons if baton.id in read]
        records = files.records.with_batons(*marked)
        done = {baton.id for baton in batons if baton.id in read and told[baton.id] == baton.text}
        settled = [replace(baton, done=baton.done or baton.id in done) for baton in batons]
        write_records(vault, identity, records)  # first: after a crash here nothing is read twice
        going = {baton.id: baton.text for baton in settled if leaves(baton, vault.now(), wrote=wrote)}
        _take_off(vault, identity, going)
        if going:
            write_records(vault, identity, pruned(records, settled, going, vault.now()))
    return len(going)


def purge_relay(vault: Vault, texts: Collection[str]) -> int:
    """Take every baton that holds one of these texts off the boards of all identities; how many those were."""
    count = 0
    for identity in vault.identities():
        with hold_vault(vault.layout):
            batons = read_batons(vault, identity, read_files(vault, identity))
            going = {baton.id: baton.text for baton in batons if _holds(baton, texts)}
            _take_off(vault, identity, going)
        count += len(going)
    return count


def _holds(baton: Baton, texts: Collection[str]) -> bool:
    told = [fold_line(text) for text in texts if text.strip()]
    cut = baton.text.removesuffix("…") if baton.bootstrap and baton.text.endswith("…") else None
    return any(text in baton.text or (cut is not None and text.startswith(cut)) for text in told)


def _take_off(vault: Vault, identity: str, going: Mapping[str, str]) -> None:
    if going:
        edit_board(vault, identity, lambda text: remove_lines(text or "", going))


def seed_bootstrap(vault: Vault, identity: str, texts: Sequence[str]) -> tuple[Baton, ...]:
    """Put what durable memory says on an empty board, at most once a day; what was put there."""
    now, made = vault.now(), []
    today = now.date().isoformat()
    if not texts or read_files(vault, identity).records.seeded == today:
        return ()
    with hold_vault(vault.layout):
        files = read_files(vault, identity)
        batons = read_batons(vault, identity, files)
        if files.records.seeded == today or any(is_live(baton, now) for baton in batons):
            return ()
        for at, text in enumerate(texts, 1):
            short = text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
            id = baton_id(identity, "bootstrap", today, at)
            made.append(Baton(id, now, "memory", at, "assistant", short, bootstrap=True))
        write_batons(vault, identity, batons, made, replace(files.records, seeded=today))
    return tuple(made)
