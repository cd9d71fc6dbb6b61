"""What an agent that starts reads first: the relay board, or durable memory where it is empty; the latest messages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from memfs.errors import InvalidDocument, VaultError
from memfs.model import EntryView
from memfs.services.relay import Board, read_relay, seed_bootstrap
from memfs.services.relaying.raw_messages import latest_messages

if TYPE_CHECKING:
    from memfs.search.context import ContextItem, ContextSection
    from memfs.services.opening import Vault

_RAW = 3
_SHOWN = 60  # batons, the newest
_TODAY, _YESTERDAY, _OLDER = 2, 3, 2  # entries of durable memory
_SEEDS = 3
_SEEDED = frozenset({"notes", "decisions"})  # what else there is has a section of its own anyway


def handover_sections(
    vault: Vault,
    identity: str,
    views: Sequence[EntryView],
    said: Mapping[EntryView, str],
    besides: Collection[str] = (),
) -> list[ContextSection]:
    """The sections that come before identity and profile.

    Args:
        views: the identity's entries that count.
        said: the day (ISO) on which each was said, where it is known.
        besides: sources (``path:line``) that the message retrieves, so are told in a section of their own.
    """
    from memfs.search.context import ContextSection

    today = vault.now().date()
    board = _read_board(vault, identity)
    sections = [ContextSection("relay", tuple(_relay_items(vault, identity, board)))]
    if all(baton.bootstrap for baton in board.batons):
        if not board.batons:
            _seed(
                vault,
                identity,
                _some_of_each_day([view for view in views if _may_seed(view)], said, today),
            )
        notes = _some_of_each_day([view for view in views if view.type == "notes"], said, today)
        recent = (item for item in _items(notes, said) if item.source not in besides)
        sections.append(ContextSection("durable", (*_recent_journal(vault, identity), *recent)))
    sections.append(ContextSection("messages", tuple(_message_items(vault, identity))))
    return sections


def _read_board(vault: Vault, identity: str) -> Board:
    """The board; one that cannot be read says so, and the rest comes all the same."""
    try:
        return read_relay(vault, identity)
    except (InvalidDocument, VaultError) as error:
        return Board(problems=(f"the relay board cannot be read: {error.message}",))


def _seed(vault: Vault, identity: str, entries: Sequence[EntryView]) -> None:
    """Bootstrap batons from durable memory; where the board cannot be written, memory is told all the same."""
    with suppress(VaultError, OSError):
        seed_bootstrap(vault, identity, [view.text for view in entries[:_SEEDS]])


def _may_seed(view: EntryView) -> bool:
    """Whether an entry may stand on the board, where nothing says whose words it is: only the user's own."""
    return view.type in _SEEDED and view.trust == "user"


def trust_mark(view: EntryView) -> str | None:
    """What tells an agent whose words an entry is, when they are not the user's."""
    return None if view.trust == "user" else f"trust: {view.trust}"


def _relay_items(vault: Vault, identity: str, board: Board) -> Iterator[ContextItem]:
    """What is wrong with the board, then its batons, the newest first."""
    from memfs.search.context import ContextItem

    source = vault.layout.rel(vault.layout.relay_board(identity))
    yield from (ContextItem(problem, source) for problem in board.problems)
    for baton in islice(reversed(board.batons), _SHOWN):
        mark = " (overdue)" if baton.id in board.overdue else ""
        place = "" if baton.bootstrap else f"{baton.channel}#{baton.sequence:03d} {baton.role}: "
        yield ContextItem(place + baton.text + mark, source, baton.time.strftime("%Y-%m-%dT%H:%M"))


def _some_of_each_day(
    views: Sequence[EntryView], said: Mapping[EntryView, str], today: date
) -> list[EntryView]:
    """Some of today, of yesterday, and of before, the newest first; what has no day last."""
    newest = sorted(views, key=lambda view: said.get(view, ""), reverse=True)
    day, before = today.isoformat(), (today - timedelta(days=1)).isoformat()
    of_today = [view for view in newest if said.get(view, "") >= day]
    yesterday = [view for view in newest if before <= said.get(view, "") < day]
    older = [view for view in newest if said.get(view, "") < before]
    return [*of_today[:_TODAY], *yesterday[:_YESTERDAY], *older[:_OLDER]]


def _recent_journal(vault: Vault, identity: str) -> Iterator[ContextItem]:
    """What the journal says of today and yesterday; of the last day before where it says nothing of these."""
    from memfs.markdown.document import parse_document
    from memfs.memory.journal_pages import told_lines
    from memfs.search.context import ContextItem

    folder = vault.layout.identity_dir(identity) / "journal"
    today = vault.now().date()
    days = sorted((path.stem for path in folder.glob("*.md") if _is_day(path.stem, today)), reverse=True)
    recent = [day for day in days if day >= (today - timedelta(days=1)).isoformat()]
    for day in recent or days[:1]:
        path = folder / f"{day}.md"
        document = parse_document(path.read_text(encoding="utf-8", errors="replace"))
        for block, heading in told_lines(document):
            text = f"{heading}: {block.text}" if heading else block.text
            yield ContextItem(text, f"{vault.layout.rel(path)}:{block.line}", day, working=True)


def _is_day(name: str, today: date) -> bool:
    try:
        return date.fromisoformat(name) <= today
    except ValueError:
        return False


def _items(views: Sequence[EntryView], said: Mapping[EntryView, str]) -> Iterator[ContextItem]:
    from memfs.search.context import ContextItem

    return (
        ContextItem(view.text, f"{view.path}:{view.line}", said.get(view), trust_mark(view)) for view in views
    )


def _message_items(vault: Vault, identity: str) -> Iterator[ContextItem]:
    """The latest messages, the newest first."""
    from memfs.search.context import ContextItem

    for message in latest_messages(vault, identity, _RAW):
        time = message.time.astimezone(vault.zone).strftime("%Y-%m-%dT%H:%M")
        yield ContextItem(f"{message.role}: {message.text}", message.path, time)
