"""Commands that change an entry: remember, forget, move, accept, reject. Each is one commit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.parameters import (
    complete_identity,
    identity_option,
    peer_option,
    read_identity,
    type_option,
)
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.memory.types import MemoryType
    from memfs.model import FieldValue
    from memfs.services.changing import Changed
    from memfs.services.purging import Forgotten

_ENTRY = "ENTRY"


def _answer(call: Call, key: str, changed: Changed) -> None:
    from memfs.interfaces.shapes.entries import changed_json

    def lines() -> list[str]:
        said = [call.text(key, path=one_line(changed.path), id=changed.id)]
        if changed.commit:
            said.append(click.style(f"  {call.text('in_commit', commit=changed.commit[:8])}", dim=True))
        return said

    call.answer(changed_json(changed), lines)


@command(
    examples="""
    memfs remember "The staging database is reset every Monday"
    memfs remember "Answer in short sentences" --type preferences --field topic=Style
    memfs remember "Renew the certificate" --type actions --field due=2026-12-04 --field priority=high
    pbpaste | memfs remember -
    """
)
@click.argument("text")
@identity_option("Whose memory; not needed where there is only one.")
@type_option("The type of memory.", default="notes", show_default=True)
@peer_option("It is about this peer.")
@click.option(
    "--field", "pairs", multiple=True, metavar="NAME=VALUE", help="A field of the type; may be repeated."
)
def remember_command(
    call: Call, text: str, identity: str | None, kind: str, peer: str | None, pairs: tuple[str, ...]
) -> None:
    """Keep a text as a memory.

    TEXT is `-` to read it from standard input. Secrets in it are replaced. What was forgotten before is
    kept all the same: you said so.
    """
    said = sys.stdin.read() if text == "-" else text
    memory = call.memory
    fields = _fields(pairs, memory.types().types.get(kind))
    changed = memory.remember(said, identity=identity, type=kind, peer=peer, fields=fields or None)
    _answer(call, "known" if changed.action in ("unchanged", "kept") else "remembered", changed)
    if changed.redacted:
        call.note(call.text("redacted"))


def _fields(pairs: Sequence[str], kind: MemoryType | None) -> Mapping[str, FieldValue]:
    """Fields as typed: a list field may be repeated, or hold commas; a number field is a number."""
    fields: dict[str, FieldValue] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise click.UsageError(f"--field takes NAME=VALUE, not {pair!r}")
        name, value = name.strip(), value.strip()
        declared = kind.field(name) if kind else None
        if declared is not None and declared.kind == "list":
            items = tuple(item.strip() for item in value.split(",") if item.strip())
            earlier = fields.get(name, ())
            fields[name] = (*earlier, *items) if isinstance(earlier, tuple) else items
        elif declared is not None and declared.kind == "number" and value.lstrip("-").isdecimal():
            fields[name] = int(value)
        else:
            fields[name] = value
    return fields


@command(
    examples="""
    memfs forget m-abcdefghijklm
    memfs forget m-abcdefghijklm --purge
    """
)
@click.argument("entry", metavar=_ENTRY)
@click.option("--purge", is_flag=True, help="Out of every commit, kept copy and cache too, with proof.")
@click.option("--yes", is_flag=True, help="With --purge: do not ask on a terminal.")
def forget_command(call: Call, entry: str, purge: bool, yes: bool) -> int | None:
    """Take an entry out, and keep it from coming back.

    Whoever wrote it. Transcripts read so far do not bring it back. History still shows it, unless --purge
    rewrites history: commits from its first appearance on get new ids.
    """
    if not purge:
        _answer(call, "forgotten", call.memory.forget(entry))
        return DONE
    memory = call.memory
    if not yes and sys.stdin.isatty():
        click.confirm(call.text("really_purge"), abort=True, err=True)
    return _answer_purge(call, memory.purge(entry))


def _answer_purge(call: Call, forgotten: Forgotten) -> int:
    from memfs.interfaces.shapes.entries import purged_json

    def lines() -> Iterator[str]:
        yield call.text("purged", id=forgotten.id)
        yield call.text("purge_proof", objects=forgotten.objects, left=len(forgotten.left))
        if forgotten.moved:
            yield call.text("purge_moved", names=one_line(", ".join(forgotten.moved)))
        yield from (call.text("purge_copy", path=one_line(path)) for path in forgotten.copies)
        yield from (call.text("purge_original", path=one_line(path)) for path in forgotten.transcripts)
        yield call.text("purge_clones")

    call.answer(purged_json(forgotten), lines)
    return WAITING if forgotten.left else DONE


@command(
    examples="""
    memfs move m-abcdefghijklm --to home-aide
    """
)
@click.argument("entry", metavar=_ENTRY)
@click.option(
    "--to",
    required=True,
    shell_complete=complete_identity,
    callback=read_identity,
    metavar="ID",
    help="The identity it goes to.",
)
def move_command(call: Call, entry: str, to: str) -> None:
    """Move an entry to another identity.

    It goes to the document of the same name, and gets an id of its own there.
    """
    _answer(call, "moved", call.memory.move(entry, to))


@command(
    examples="""
    memfs edit m-abcdefghijklm "**Database**: SQLite, one file per office"
    """
)
@click.argument("entry", metavar=_ENTRY)
@click.argument("text")
def edit_command(call: Call, entry: str, text: str) -> None:
    """Put a text in the place of an entry's own.

    As if you had edited its line in the file: it is yours from then on, and never rewritten. Its place, checkbox and
    id stay.
    """
    changed = call.memory.edit(entry, text)
    _answer(call, "edited" if changed.commit else "known", changed)
    if changed.redacted:
        call.note(call.text("redacted"))


@command(
    examples="""
    memfs accept m-abcdefghijklm
    """
)
@click.argument("entry", metavar=_ENTRY)
def accept_command(call: Call, entry: str) -> None:
    """Put an offered wording in the place of an entry.

    An entry that you edited is never rewritten: memfs offers its other wording under it. ENTRY is the id of
    either.
    """
    _answer(call, "accepted", call.memory.accept(entry))


@command(
    examples="""
    memfs reject m-abcdefghijklm
    """
)
@click.argument("entry", metavar=_ENTRY)
def reject_command(call: Call, entry: str) -> None:
    """Take an offered wording away.

    It is not offered again.
    """
    _answer(call, "rejected", call.memory.reject(entry))
