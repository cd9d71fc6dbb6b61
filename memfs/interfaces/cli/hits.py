"""How what was found is shown to people: the words asked for in bold, and a place that editors open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call
from memfs.interfaces.cli.messages import MESSAGES
from memfs.interfaces.cli.printing import one_line, visible

if TYPE_CHECKING:
    from memfs.search.searching import Hit
    from memfs.search.sessions import TurnHit
    from memfs.search.snippets import Snippet
    from memfs.services.recall import Found

_SHARES = ("words", "meaning", "id")


def found_lines(call: Call, found: Found, *, why_score: bool = False) -> Iterator[str]:
    """What a search found: memory, then what was said in conversations."""
    if not found.hits:
        yield call.text("no_hits")
    yield from hit_lines(call, found.hits, why_score=why_score)
    if found.turns:
        yield call.text("turns_found")
        yield from _turn_lines(call, found.turns)


def hit_lines(call: Call, hits: Iterable[Hit], *, why_score: bool = False) -> Iterator[str]:
    """Hits, numbered: the snippet, then in a second line place, id, score, date and source."""
    for number, hit in enumerate(hits, 1):
        view = hit.view
        status = f"  ({view.status})" if view.status in ("superseded", "done") else ""
        yield f"{number}. {highlighted(hit.snippet)}{status}"
        reference = f"^{view.id}" if view.id else None
        yield _about(
            shown_place(call, view.path, view.line), reference, f"{hit.score:.2f}", view.date, view.source
        )
        if why_score:
            yield click.style(f"   {call.text('why_score', parts=parts_text(call, hit))}", dim=True)


def _turn_lines(call: Call, turns: Iterable[TurnHit]) -> Iterator[str]:
    for number, turn in enumerate(turns, 1):
        if turn.before:
            yield click.style(f"   {one_line(turn.before)}", dim=True)
        yield f"{number}. {turn.role}: {highlighted(turn.snippet)}"
        if turn.after:
            yield click.style(f"   {one_line(turn.after)}", dim=True)
        yield _about(shown_place(call, turn.path, turn.line), f"{turn.score:.2f}", turn.date, turn.session)


def _about(*parts: str | None) -> str:
    return click.style("   " + "  ".join(one_line(part) for part in parts if part), dim=True)


def shown_place(call: Call, path: str, line: int) -> str:
    """``path:line`` as it opens from the current folder: relative where that is inside the vault or above it."""
    top, here = call.memory.vault.top, Path.cwd()
    place = top / path
    near = here.is_relative_to(top) or top.is_relative_to(here)
    return f"{os.path.relpath(place, here) if near and place.is_relative_to(top) else place}:{line}"


def parts_text(call: Call, hit: Hit) -> str:
    """What a score is made of: shares of 1 by their value, the other signals as factors."""
    told = []
    for name, value in hit.parts:
        called = call.text(f"part_{name}") if f"part_{name}" in MESSAGES else name
        if name in _SHARES:
            told.append(f"{called} {value:.2f}")
        elif f"{value:.2f}" != "1.00":
            told.append(f"{called} x{value:.2f}")
    return ", ".join(told)


def highlighted(snippet: Snippet) -> str:
    """A snippet with the words that were asked for in bold; plain where no terminal shows it."""
    parts, at = [], 0
    for start, end in snippet.highlights:
        parts += [visible(snippet.text[at:start]), click.style(visible(snippet.text[start:end]), bold=True)]
        at = end
    return "".join((*parts, visible(snippet.text[at:])))
