"""Commands that only look at a transcript, in a vault or outside of any: transcript, extract."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import (
    file_argument,
    identity_option,
    me_option,
    policy_option,
    read_moment,
)
from memfs.interfaces.cli.printing import one_line, visible

if TYPE_CHECKING:
    from memfs.services.dryrun import DryRun, Estimate


@command(
    examples="""
    memfs transcript session.jsonl
    memfs transcript chatgpt-export/ --json
    memfs transcript 群聊.txt --me 小李
    """
)
@file_argument("file")
@me_option
def transcript_command(call: Call, file: Path, me: tuple[str, ...]) -> None:
    """Show how a transcript is read; nothing is remembered.

    FILE may be a folder that is one transcript: an export in parts, a session with its subagents. The format
    is told by what is in it; docs/transcripts.md lists them.
    """
    parsed = call.memory_anywhere.transcript(file, me=me)
    call.answer(parsed, lambda: _transcript_lines(call, parsed, parsed["format"]))


def _transcript_lines(call: Call, parsed: dict[str, Any], format: str | None) -> Iterator[str]:
    for inner in (*parsed.get("conversations", ()), *parsed.get("transcripts", ())):
        yield from _transcript_lines(call, inner, inner.get("format", format))
        yield ""
    if "turns" in parsed:
        session = parsed.get("session", parsed)
        name = session.get("id") or "-"
        yield call.text("transcript", format=format, session=one_line(str(name)), turns=len(parsed["turns"]))
        for turn in parsed["turns"]:
            yield from _turn_lines(turn)
    if parsed.get("malformed_lines"):
        yield call.text("skipped", lines=", ".join(map(str, parsed["malformed_lines"])))
    for problem in parsed.get("problems", ()):
        yield call.text("problem", text=one_line(problem))


def _turn_lines(turn: dict[str, Any]) -> Iterator[str]:
    speaker = turn.get("speaker")
    named = speaker if speaker and speaker.lower() != turn["role"] else None
    parts = (turn["role"], named, turn["timestamp"])
    who = " ".join(one_line(str(part)) for part in parts if part)
    yield ""
    yield click.style(who, bold=True)
    for line in visible(turn["text"]).split("\n"):
        yield f"  {line}".rstrip()
    for tool in turn["tool_calls"]:
        yield click.style(f"  [{one_line(str(tool['name']))}]", dim=True)


@command(
    examples="""
    memfs extract session.jsonl
    memfs extract session.jsonl --now 2026-11-30T10:00 --json
    memfs extract session.jsonl --estimate
    """
)
@file_argument("file")
@identity_option("As if it were this identity's.")
@click.option("--now", callback=read_moment, metavar="TIME", help="Where relative dates count from.")
@click.option("--estimate", is_flag=True, help="Show only what extraction would cost.")
@policy_option
@me_option
def extract_command(
    call: Call,
    file: Path,
    identity: str | None,
    now: datetime | None,
    estimate: bool,
    policy: dict[str, Any] | None,
    me: tuple[str, ...],
) -> None:
    """Show what would be remembered of a transcript; nothing is written."""
    from memfs.interfaces.shapes.feeding import estimate_json, extract_json

    memory = call.memory_anywhere
    if estimate:
        cost = memory.estimate(file, me=me)
        call.answer(estimate_json(cost), lambda: _estimate_lines(call, cost))
        return
    run = memory.extract(file, identity=identity, now=now, me=me, policy=policy)
    call.answer(extract_json(run), lambda: _run_lines(call, run))


def _estimate_lines(call: Call, cost: Estimate) -> Iterator[str]:
    yield call.text(
        "estimate", turns=cost.turns, calls=cost.calls, input=cost.tokens.input, output=cost.tokens.output
    )
    if cost.price is not None and cost.calls:
        yield call.text("price", price=f"{cost.price:.4f} USD")


def _run_lines(call: Call, run: DryRun) -> Iterator[str]:
    for proposal, text in run.proposals:
        whose = f" ({proposal.target.peer})" if proposal.target.peer else ""
        yield f"{proposal.operation.type}{whose}: {one_line(text)}"
    for dropped in run.dropped:
        reason = one_line(dropped.reason)
        yield click.style(call.text("dropped_line", type=dropped.type, reason=reason), dim=True)
    yield call.text("would_remember", count=len(run.proposals), turns=run.turns, dropped=len(run.dropped))
