"""Commands that tell what belongs together: similar, links."""

from __future__ import annotations

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import identity_option, limit_option, why_option


@command(
    examples="""
    memfs similar m-abcdefghijklm
    memfs similar m-abcdefghijklm --identity coding-assistant --json
    """
)
@click.argument("entry", metavar="ENTRY")
@identity_option("Only what this identity may see: its own memory, and what its identity.md reads.")
@limit_option
@why_option
def similar_command(call: Call, entry: str, identity: str | None, limit: int, why_score: bool) -> None:
    """Find entries that say nearly the same.

    By words and meaning, the nearest first: what could be a duplicate, or belongs together.
    """
    from memfs.interfaces.cli.hits import found_lines
    from memfs.interfaces.shapes.entries import found_json

    found = call.memory.similar(entry, identity=identity, limit=limit)
    call.answer(found_json(found, why_score=why_score), lambda: found_lines(call, found, why_score=why_score))
    if found.degraded and not call.as_json:
        call.note(call.text("degraded", reason=found.degraded))
