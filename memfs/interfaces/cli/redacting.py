"""The command that finds and replaces secrets that are in the vault already: redact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.services.redacting import FoundSecret, Redaction


@command(
    examples="""
    memfs redact --scan                where secrets stand; changes nothing
    memfs redact --scan --history      also in what was committed before
    memfs redact                       placeholders in memfs's own entries
    memfs redact --hand                and in your lines
    """
)
@click.option("--scan", is_flag=True, help="Only tell where secrets stand.")
@click.option("--history", is_flag=True, help="With --scan: also in earlier versions of the files.")
@click.option("--hand", is_flag=True, help="Replace secrets in lines that you wrote, too.")
def redact_command(call: Call, scan: bool, history: bool, hand: bool) -> int:
    """Find secrets in the vault; put placeholders in their place.

    All of its Markdown is read. A secret is told by path, line and kind, and never shown. Entries of memfs's
    are mended; your own lines only with --hand. It is one commit, and memfs undo does not bring a secret
    back. History keeps what was committed before: memfs forget --purge takes an entry out of it, and a key
    that was committed should be replaced where it is used. The exit code is 10 while a secret is left.
    """
    from memfs.interfaces.shapes.redacting import redaction_json

    if history and not scan:
        raise click.UsageError("--history goes with --scan")
    if scan and hand:
        raise click.UsageError("--scan changes nothing: give it or --hand")
    done = call.memory.redact(scan=scan, history=history, hand=hand)
    call.answer(redaction_json(done), lambda: _lines(call, done))
    _note_next(call, done, scan=scan)
    return WAITING if done.left else DONE


def _lines(call: Call, done: Redaction) -> Iterator[str]:
    for each in done.found:
        yield _line(call, each)
    if not done.found:
        yield call.text("no_secrets", files=done.files)
    elif done.commit:
        replaced = len(done.found) - len(done.left)
        yield call.text("secrets_replaced", n=replaced, commit=done.commit[:8])


def _line(call: Call, found: FoundSecret) -> str:
    place = f"{found.path}:{found.line}"
    where = f"{found.commit[:8]}:{place}" if found.commit else place
    parts = [one_line(where), found.kind]
    if found.by_hand:
        parts.append(call.text("secret_by_hand"))
    if found.replaced:
        parts.append(call.text("secret_replaced"))
    return "  ".join(parts)


def _note_next(call: Call, done: Redaction, *, scan: bool) -> None:
    """What to do about what is left."""
    here = [each for each in done.left if each.commit is None]
    if scan and any(not each.by_hand for each in here):
        call.note(call.text("redact_own"))
    if any(each.by_hand for each in here):
        call.note(call.text("redact_hand"))
    for reason in dict.fromkeys(each.reason for each in here if each.reason and not each.by_hand):
        call.note(call.remark("problem", reason))
    if done.commit or any(each.commit for each in done.found):
        call.note(call.text("redact_history"))
