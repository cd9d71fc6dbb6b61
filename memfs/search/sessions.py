"""The turns of conversations as units of search: their own small index, by words, with their neighbours.

A transcript goes in as one text: a line of JSON per conversation, which `cut_turns` makes chunks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

from memfs.model import EntryView
from memfs.search.analysis import has_content
from memfs.search.chunking import Chunk, day_number
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters, any_of, both, fetch
from memfs.search.prose import split_prose
from memfs.search.searching import Hit
from memfs.search.snippets import Snippet

TURN = "turn"  # the type of what is found here
_AROUND = 240  # characters of a neighbour
_AMONG = 3  # candidates for each hit


@dataclass(frozen=True, slots=True)
class Said:
    """A turn, cleaned: ``message`` names it in its session, ``day`` is ISO in the vault's time zone."""

    message: str
    role: str
    text: str
    speaker: str | None = None
    peer: str | None = None
    line: int | None = None
    day: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one session that may be searched, and whose they are; ``session`` is ``format/id``."""

    identity: str
    session: str
    title: str | None
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A turn that was found: where it was read from, and what was said before and after it, in brief."""

    identity: str
    session: str
    message: str
    role: str
    peer: str | None
    date: str | None
    path: str
    line: int
    score: float
    snippet: Snippet
    before: str = ""
    after: str = ""


def conversations_text(conversations: Iterable[Conversation]) -> str:
    """Return the text that a transcript is indexed from."""
    import orjson

    return "".join(orjson.dumps(asdict(one)).decode() + "\n" for one in conversations)


def cut_turns(path: str, text: str, _root: str) -> tuple[Chunk, ...]:
    """Cut what `conversations_text` gave into chunks: a turn each, a long one in pieces."""
    import orjson

    chunks: list[Chunk] = []
    for number, line in enumerate(text.splitlines()):
        values = orjson.loads(line)
        turns = tuple(Said(**said) for said in values.pop("turns"))
        chunks += _chunks(path, number, Conversation(turns=turns, **values))
    return tuple(chunks)


def _chunks(path: str, number: int, conversation: Conversation) -> Iterator[Chunk]:
    turns = conversation.turns
    for place, turn in enumerate(turns):
        model = _view(path, conversation, turn)
        around = (*turns[max(0, place - 1) : place], *turns[place + 1 : place + 2])
        day = day_number(turn.day or "")
        for piece, (_, body) in enumerate(split_prose(turn.text)):
            if has_content(body):
                yield Chunk(
                    id=_chunk_id(path, number, place, piece),
                    view=replace(model, text=body),
                    body=body,
                    title=conversation.title or "",
                    trail=(turn.speaker,) if turn.speaker else (),
                    near=tuple(other.text[:_AROUND] for other in around),
                    days=(day,) if day else (),
                )


def _view(path: str, conversation: Conversation, turn: Said) -> EntryView:
    """A turn as an entry of its own kind: named by its message, dated by its day."""
    return EntryView(
        id=turn.message,
        identity=conversation.identity,
        peer=turn.peer,
        type=TURN,
        field=turn.role,
        text="",
        status=None,
        date=turn.day,
        path=path,
        line=turn.line or 1,
        source=conversation.session,
    )


class TurnIndex(SearchIndex):
    """The index of turns in ``folder``; its files are transcripts, as `conversations_text` gives them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, None, cut=cut_turns)

    def search_turns(
        self, query: str, filters: Filters, limit: int, *, today: date | None = None
    ) -> tuple[TurnHit, ...]:
        """Return the turns that answer ``query`` best, with what was said before and after each.

        A turn that only has its neighbours' words is shown with them, not by itself.
        """
        found = self.search(query, filters, _AMONG * limit, today=today)
        own = [hit for hit in found.hits if hit.snippet.highlights or hit.view.id == query.strip()]
        return tuple(self._turn_hit(hit) for hit in own[:limit])

    def _turn_hit(self, hit: Hit) -> TurnHit:
        view = hit.view
        before, after = self._neighbours(view)
        return TurnHit(
            identity=view.identity,
            session=view.source or "",
            message=view.id or "",
            role=view.field or "",
            peer=view.peer,
            date=view.date,
            path=view.path,
            line=view.line,
            score=hit.score,
            snippet=hit.snippet,
            before=before,
            after=after,
        )

    def _neighbours(self, view: EntryView) -> tuple[str, str]:
        """What was said before and after a turn, in brief."""
        own = both(any_of("block", [view.id or ""]), any_of("path", [view.path]))
        try:
            searcher = self._storage.searcher()
            place = fetch(searcher, own, 1)[0].chunk.id
            ids = list(_places_around(place))
            found = {one.chunk.id: one.chunk for one in fetch(searcher, any_of("chunk", ids), len(ids))}
        except (ValueError, OSError, IndexError):  # made anew this moment: the turn itself will do
            return "", ""
        before, after = (found.get(one) for one in ids)
        return _in_short(before), _in_short(after)


def _chunk_id(path: str, conversation: int, place: int, piece: int) -> str:
    return f"{path}#{conversation}.{place}.{piece}"


def _places_around(chunk_id: str) -> Iterator[str]:
    """The ids of the chunks that the turns before and after begin with."""
    path, _, position = chunk_id.rpartition("#")
    conversation, place, _ = map(int, position.split("."))
    yield _chunk_id(path, conversation, place - 1, 0)
    yield _chunk_id(path, conversation, place + 1, 0)


def _in_short(chunk: Chunk | None) -> str:
    """A neighbour on one line, with who said it; empty where there is none."""
    if chunk is None:
        return ""
    text = " ".join(chunk.body.split())
    who = chunk.trail[0] if chunk.trail else chunk.view.field
    return f"{who}: {text[:_AROUND].rstrip()}{' …' * (len(text) > _AROUND)}"
