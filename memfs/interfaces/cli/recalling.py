"""Commands that find memories: search, context, list, show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import (
    identity_option,
    limit_option,
    peer_option,
    span_options,
    type_option,
    why_option,
)
from memfs.interfaces.cli.printing import one_line, visible

if TYPE_CHECKING:
    from memfs.model import EntryView
    from memfs.services.recall import Found

_MARKS = {"pending": "[ ] ", "in_progress": "[ ] ", "done": "[x] "}


@command(
    examples="""
    memfs search "what did we decide about the cache"
    memfs search deploy --identity coding-assistant --type notes --limit 3
    memfs search 缓存 --since 2026-03-01 --json
    memfs search "which queue do we use" --at 2026-06-30
    memfs search "the name of that restaurant" --sessions
    """
)
@click.argument("query", nargs=-1, required=True)
@identity_option("Only what this identity may see: its own memory, and what its identity.md reads.")
@type_option()
@click.option("--tag", metavar="TAG", help="Only what has this tag.")
@peer_option()
@click.option("--path", metavar="PREFIX", help="Only notes whose path begins so.")
@span_options
@click.option("--at", metavar="DATE|COMMIT", help="Memory as it was at the end of a day, or in a commit.")
@click.option(
    "--sessions/--no-sessions",
    default=None,
    help="Also what was said in conversations. Else only where memory has nothing, if search.sessions is on.",
)
@limit_option
@why_option
def search_command(
    call: Call,
    query: tuple[str, ...],
    identity: str | None,
    kind: str | None,
    tag: str | None,
    peer: str | None,
    path: str | None,
    since: date | None,
    until: date | None,
    at: str | None,
    sessions: bool | None,
    limit: int,
    why_score: bool,
) -> None:
    """Find memories by words and meaning.

    QUERY is plain words in any language; no character in it has a special meaning. Words for times (last March,
    yesterday) lift what is from then. Files that changed are indexed first.
    """
    from memfs.interfaces.cli.hits import found_lines
    from memfs.interfaces.shapes.entries import found_json

    found = call.memory.search(
        " ".join(query),
        identity=identity,
        type=kind,
        tag=tag,
        peer=peer,
        path=path,
        since=_day(since),
        until=_day(until),
        at=at,
        limit=limit,
        sessions=sessions,
        announce=lambda part: call.note(call.text("reading_sessions", part=part)),
        indexing=lambda part: call.note(call.text("indexing_documents", part=part)),
    )
    call.answer(found_json(found, why_score=why_score), lambda: found_lines(call, found, why_score=why_score))
    for note in () if call.as_json else _notes(call, found, sessions):
        call.note(note)


def _notes(call: Call, found: Found, sessions: bool | None) -> Iterator[str]:
    """How the question was understood, and what else could be tried."""
    days = [f"{span.words} = {span.since} .. {span.until}" for span in found.understood]
    if days:
        yield call.text("understood", days=", ".join(days))
    if found.commit:
        yield call.text("searched_at", commit=found.commit[:8])
    if found.degraded:
        yield call.text("degraded", reason=found.degraded)
    if (
        not found.hits
        and not found.turns
        and sessions is None
        and not call.memory.vault.config.search.sessions
    ):
        yield call.text("try_sessions")


def _day(value: date | None) -> date | None:
    return value.date() if isinstance(value, datetime) else value


@command(
    examples="""
    memfs context --identity coding-assistant
    memfs context "how do I deploy this" --budget 800
    """
)
@click.argument("message", default="", required=False)
@identity_option("Whose memory; not needed where there is only one.")
@click.option(
    "--budget", type=click.IntRange(50, 100_000), metavar="TOKENS", help="At most so many tokens; 1500."
)
def context_command(call: Call, message: str, identity: str | None, budget: int | None) -> None:
    """Print what an agent should read before it begins or answers.

    With MESSAGE also what it brings to mind. The text is fenced and labelled as data, with source and date.
    """
    context = call.memory.context(message, identity=identity, budget=budget)
    data = {"text": context.text, "tokens": context.tokens, "left_out": context.left_out}
    call.answer(data, lambda: [visible(context.text).rstrip("\n")] if context.text else [])
    if not context.text:
        call.note(call.text("no_room" if context.left_out else "no_memory"))


@command(
    examples="""
    memfs list
    memfs list --identity coding-assistant --type decisions
    memfs list --peer jonas --json
    """
)
@identity_option()
@type_option()
@peer_option()
def list_command(call: Call, identity: str | None, kind: str | None, peer: str | None) -> None:
    """List entries, yours and memfs's.

    Each with its id, which `show`, `why`, `forget` and others take. Suggestions are listed with their entry.
    """
    from memfs.interfaces.shapes.entries import entry_json

    views = call.memory.list(identity=identity, type=kind, peer=peer)
    call.answer([entry_json(view) for view in views], lambda: _entry_lines(call, views))


def _entry_lines(call: Call, views: Sequence[EntryView]) -> Iterator[str]:
    if not views:
        yield call.text("no_entries")
    for number, (path, group) in enumerate(groupby(views, lambda view: view.path)):
        if number:
            yield ""
        yield click.style(one_line(path), bold=True)
        yield from map(entry_line, group)


def entry_line(view: EntryView) -> str:
    """An entry on one line: where it stands, its text, its status where that is not plain, its id."""
    text = one_line(view.text)
    status = f"  ({view.status})" if view.status in ("superseded", "suggestion") else ""
    id_part = click.style(f"  {_reference(view)}", dim=True) if view.id else ""
    return f"{view.line:>4}  {_MARKS.get(view.status or '', '')}{text}{status}{id_part}"


def _reference(view: EntryView) -> str:
    return f"^{view.id}" if view.id else ""


@command(
    examples="""
    memfs show m-abcdefghijklm
    memfs show decisions.md --at 2026-11-01
    memfs show memories/coding-assistant/notes.md --at a1b2c3d4
    """
)
@click.argument("reference", metavar="ENTRY|DOCUMENT")
@click.option("--at", metavar="DATE|COMMIT", help="As it was at the end of a day, or in a commit.")
def show_command(call: Call, reference: str, at: str | None) -> None:
    """Print an entry or a document, now or as it was.

    A document is named by its path in the vault or below memories/IDENTITY/; `.md` may be left out.
    """
    text = call.memory.show(reference, at=at)
    call.answer({"reference": reference, "at": at, "text": text}, lambda: [visible(text).rstrip("\n")])
