"""Commands that ask history: why, log, diff; and undo, which answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import identity_option, span_options
from memfs.interfaces.cli.printing import one_line, visible

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.history.provenance import Provenance
    from memfs.model import Trust
    from memfs.services.audit import Reason, Why
    from memfs.services.saying import SaidTurn
    from memfs.services.undo import Undone

_LONGEST_QUOTE = 6  # lines
_SHORT = 8
_TRUST: Mapping[Trust, str] = {
    "user": "trust_user",
    "peer": "trust_peer",
    "agent": "trust_agent",
    "document": "trust_document",
}


@command(
    examples="""
    memfs why m-abcdefghijklm
    memfs why m-abcdefghijklm --json
    """
)
@click.argument("entry", metavar="ENTRY")
def why_command(call: Call, entry: str) -> None:
    """Tell where an entry comes from.

    The commits that wrote it, newest first, with the session and the very turns, read from the transcript
    or from its kept copy.
    """
    from memfs.interfaces.shapes.asking import why_json

    answer = call.memory.why(entry)
    call.answer(why_json(answer), lambda: _why_lines(call, answer))


def _why_lines(call: Call, why: Why) -> Iterator[str]:
    view = why.entry
    yield one_line(view.text)
    yield click.style(one_line(f"{view.path}:{view.line}  ^{view.id}  {view.origin}"), dim=True)
    yield click.style(call.text(_TRUST[view.trust]), dim=True)
    if view.origin == "hand":
        yield ""
        yield _hand_line(call, why)
    elif not why.reasons:
        yield ""
        yield call.text("not_in_clone")
    for reason in why.reasons:
        yield ""
        yield from _reason_lines(call, reason, view.trust)


def _hand_line(call: Call, why: Why) -> str:
    if why.commit is None:
        return call.text("by_hand_uncommitted")
    return call.text("by_hand", author=one_line(why.author or ""), commit=why.commit[:_SHORT])


def _reason_lines(call: Call, reason: Reason, trust: Trust) -> Iterator[str]:
    from memfs.services.changing import BY_CALL

    told = reason.provenance
    yield call.text(
        "reason", action=call.text(told.action), time=_time(call, told.time), commit=told.commit[:_SHORT]
    )
    if told.source == BY_CALL:
        yield "  " + call.text(
            "told_by_agent" if trust == "agent" else "told_outright", time=_told_time(call, told)
        )
        return
    about = [call.text("from_session", source=one_line(told.source))] if told.source else []
    if told.extractor:
        about.append(call.text("extractor", name=one_line(told.extractor)))
    if told.tokens and (told.tokens.input or told.tokens.output):
        about.append(call.text("tokens", input=told.tokens.input, output=told.tokens.output))
    if about:
        yield "  " + ", ".join(about)
    for said in reason.turns:
        yield from _said_lines(call, said)


def _said_lines(call: Call, said: SaidTurn) -> Iterator[str]:
    if said.turn is None:
        yield "  " + call.text("turn_gone", message=one_line(said.message))
        return
    path = one_line(said.path or "")
    yield "  " + (call.text("kept_copy", path=path) if said.kept else path)
    who = (said.turn.speaker or said.turn.role, said.turn.timestamp)
    yield click.style("  " + " ".join(one_line(part) for part in who if part), bold=True)
    lines = visible(said.turn.text).strip().split("\n")
    for line in lines[:_LONGEST_QUOTE]:
        yield f"    {line}".rstrip()
    if len(lines) > _LONGEST_QUOTE:
        yield "    …"


def _told_time(call: Call, told: Provenance) -> str:
    """When something was told by a call: its message is named by the moment."""
    with suppress(ValueError):
        return _time(call, datetime.fromisoformat(told.messages[0] if told.messages else ""))
    return _time(call, told.time)


def _time(call: Call, time: datetime) -> str:
    return time.astimezone(call.memory.vault.zone).strftime("%Y-%m-%d %H:%M")


@command(
    examples="""
    memfs log
    memfs log --identity coding-assistant --since 2026-11-01 --limit 50
    memfs log --all                    other commits too
    """
)
@identity_option()
@span_options
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most so many."
)
@click.option("--all", "everything", is_flag=True, help="Also commits that memfs has no part in.")
def log_command(
    call: Call,
    identity: str | None,
    since: date | None,
    until: date | None,
    limit: int,
    everything: bool,
) -> None:
    """List what was remembered, when, and by whom.

    memfs's commits and the hand edits that it committed for you, newest first.
    """
    from memfs.interfaces.shapes.asking import log_json

    entries = call.memory.log(identity=identity, since=since, until=until, limit=limit, everything=everything)
    call.answer([log_json(entry) for entry in entries], lambda: _log_lines(call, entries))


def _log_lines(call: Call, entries: Sequence[LogEntry]) -> Iterator[str]:
    if not entries:
        yield call.text("no_log")
    for entry in entries:
        commit = click.style(entry.commit[:_SHORT], fg="yellow")
        yield f"{commit}  {_time(call, entry.time)}  {entry.kind:<8}  {one_line(entry.subject)}"


@command(
    examples="""
    memfs diff                     the last commit of memfs
    memfs diff a1b2c3d4
    memfs diff a1b2c3d4 --until HEAD
    """
)
@click.argument("commit", required=False)
@click.option("--until", metavar="COMMIT", help="From COMMIT to this one, rather than what COMMIT changed.")
def diff_command(call: Call, commit: str | None, until: str | None) -> None:
    """Show what a commit changed in memory."""
    patch = call.memory.diff(commit, until=until)
    call.answer({"commit": commit, "until": until, "diff": patch}, lambda: _patch_lines(call, patch))


def _patch_lines(call: Call, patch: str) -> Iterator[str]:
    if not patch:
        yield call.text("nothing_changed")
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in visible(patch).rstrip("\n").split("\n") if patch else ():
        yield click.style(line, fg=colours[line[0]]) if line[:1] in colours else line


@command(
    examples="""
    memfs undo a1b2c3d4
    memfs undo HEAD
    memfs undo --source claude-code/5e551011-0000-4000-8000-0000000000a1
    """
)
@click.argument("commit", required=False)
@click.option("--source", metavar="SOURCE", help="Everything from this session, as `memfs why` names it.")
@identity_option("With --source: only in this identity's memory.")
def undo_command(call: Call, commit: str | None, source: str | None, identity: str | None) -> None:
    """Take back what one commit of memfs did, or all from a source.

    Entry by entry: what you changed since stays, and what goes is not extracted again from the same
    evidence. The undo is a commit of its own, also where it takes back many. A SOURCE without a slash is all
    of its sessions.
    """
    from memfs.interfaces.shapes.entries import undone_json

    if (commit is None) == (source is None):
        raise click.UsageError("give a COMMIT, or --source SOURCE")
    undone = call.memory.undo(commit, source=source, identity=identity)
    call.answer(undone_json(undone), lambda: _undone_lines(call, undone))


def _undone_lines(call: Call, undone: Undone) -> Iterator[str]:
    key = "undone" if undone.commit else "nothing_undone"
    yield call.text(key, commit=one_line(undone.undone) if "/" in undone.undone else undone.undone[:_SHORT])
    for outcome in undone.outcomes:
        reason = f" ({one_line(outcome.reason)})" if outcome.reason else ""
        mark = f" ^{outcome.id}" if outcome.id else ""  # a file as a whole has none
        yield f"  {outcome.action}  {outcome.document}{mark}{reason}"
    if undone.commit:
        yield click.style(f"  {call.text('in_commit', commit=undone.commit[:_SHORT])}", dim=True)
