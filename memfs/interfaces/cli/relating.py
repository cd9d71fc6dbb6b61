"""Commands that tell what belongs together: similar, links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import identity_option, limit_option, why_option
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.services.finding.linking import FollowedLink, Links


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


@command(
    examples="""
    memfs links Plan.md
    memfs links m-abcdefghijklm
    memfs links --json
    """
)
@click.argument("reference", metavar="[ENTRY|DOCUMENT]", required=False)
@identity_option("Only what this identity may see: its own memory, and what its identity.md reads.")
def links_command(call: Call, reference: str | None, identity: str | None) -> None:
    """Show what an entry or a document links to, and what links to it.

    Without ENTRY or DOCUMENT: links that lead nowhere, and notes that no link leads to or from. Wikilinks, Markdown
    links, headings, block ids, aliases and properties count; code does not.
    """
    from memfs.interfaces.shapes.relating import links_json

    found = call.memory.links(reference, identity=identity)
    call.answer(links_json(found), lambda: _links_lines(call, found))


def _links_lines(call: Call, links: Links) -> Iterator[str]:
    if not (links.out or links.back or links.orphans):
        yield call.text("no_links" if links.document else "no_broken_links")
    yield from _link_lines(call, "links_out" if links.document else "links_broken", links.out)
    yield from _link_lines(call, "links_back", links.back)
    if links.orphans:
        yield call.text("links_orphans")
        yield from (f"  {one_line(path)}" for path in links.orphans)


def _link_lines(call: Call, title: str, links: Iterable[FollowedLink]) -> Iterator[str]:
    from memfs.interfaces.cli.hits import shown_place

    for number, link in enumerate(links):
        if not number:
            yield call.text(title)
        place = one_line(shown_place(call, link.path, link.line))
        state = "" if link.state == "ok" else f"  ({call.text(f'link_{link.state}')})"
        yield f"  {place}  {one_line(link.target)}{f' -> {one_line(link.to)}' if link.to else ''}{state}"
