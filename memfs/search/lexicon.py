"""Tantivy's side of the index: the schema, chunks as documents, and queries built term by term.

The text fields hold terms made by `analysis`, joined by blanks, so Tantivy only splits at white space and no
words of a question ever reach a query parser. Filters are exact terms and one range of days.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from memfs.search.analysis import encodable, terms_of
from memfs.search.chunking import Chunk, chunk_from_json, chunk_to_json, day_number
from memfs.search.fusion import Passage

SCHEMA_VERSION = 3
OWN = "-"  # stands in the peer field for the identity's own memory
_MOST_TERMS = 5000
_TEXT_FIELDS = ("text", "head", "near", "far")
_SOUGHT = ("text", "head", "near")  # who only has a word far away is no candidate for it
_EXACT_FIELDS = ("chunk", "path", "place", "block", "key", "identity", "peer", "type", "tag")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to; None means any.

    ``identities``: whose memory may be seen ("" stands for notes that belong to no identity).
    ``peer``: a peer's name, or "" for the identity's own memory only.
    ``since`` and ``until``: days, both included; an entry without a date passes neither.
    ``path``: a document or a folder, relative to the vault. ``without``: a block id that is not wanted.
    """

    identities: tuple[str, ...] | None = None
    peer: str | None = None
    type: str | None = None
    tag: str | None = None
    since: date | None = None
    until: date | None = None
    path: str | None = None
    without: str | None = None


@lru_cache(maxsize=1)
def schema() -> Any:
    """Return the schema of the index."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    for name in _EXACT_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", stored=name == "key")
    for name in _TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq", stored=True)
    builder.add_unsigned_field("day", indexed=True, fast=True)  # its own date
    builder.add_unsigned_field("mention", indexed=True, fast=True)  # every date in it
    builder.add_bytes_field("record", stored=True, indexed=False)
    return builder.build()


def create_index(folder: Path) -> None:
    """Make an empty Tantivy index in ``folder``."""
    from tantivy import Index

    Index(schema(), path=str(folder))


def open_index(folder: Path) -> Any:
    """Open the Tantivy index in ``folder``; it shows new commits when it is told to reload."""
    from tantivy import Index

    index = Index.open(str(folder))
    index.config_reader("manual", 0)
    return index


def to_fields(chunk: Chunk) -> dict[str, Any]:
    """Return what the index holds of a chunk, by field."""
    view = chunk.view
    values: dict[str, Any] = {
        "chunk": chunk.id,
        "path": view.path,
        "place": _places(view.path),
        "key": chunk.key,
        "identity": view.identity,
        "peer": view.peer or OWN,
        "type": view.type,
        "text": terms_of(chunk.body),
        "head": terms_of(chunk.head),
        "record": chunk_to_json(chunk),
    }
    if view.id:
        values["block"] = view.id
    if chunk.tags:
        values["tag"] = [tag.lower() for tag in chunk.tags]
    if chunk.near or chunk.far:
        values["near"] = " ".join(map(terms_of, chunk.near))
        values["far"] = " ".join(map(terms_of, chunk.far))
    if day := day_number(view.date or ""):
        values["day"] = day
    if chunk.days:
        values["mention"] = list(chunk.days)
    return values


def to_document(fields: dict[str, Any]) -> Any:
    """Return the fields of a chunk as a Tantivy document."""
    from tantivy import Document

    return Document.from_dict(fields, schema())


def to_passage(document: Any) -> Passage:
    """Return what ranking needs of a stored document."""
    text, head, near, far = (tuple(str(document.get_first(name) or "").split()) for name in _TEXT_FIELDS)
    chunk = chunk_from_json(bytes(document.get_first("record")))
    return Passage(chunk, str(document.get_first("key")), text, head, near, far)


def filter_query(filters: Filters) -> Any | None:
    """Return the query that lets through what ``filters`` allow; None when they allow everything."""
    from tantivy import FieldType, Occur, Query

    parts = []
    if filters.identities is not None:
        parts.append(any_of("identity", filters.identities))
    if filters.peer is not None:
        parts.append(_term("peer", filters.peer or OWN))
    if filters.type is not None:
        parts.append(_term("type", filters.type))
    if filters.tag is not None:
        parts.append(_term("tag", filters.tag.lower().lstrip("#")))
    if filters.path is not None and (path := filters.path.strip("/").removeprefix("./")):
        parts.append(_term("place", path))
    if filters.since or filters.until:
        low = _number(filters.since) if filters.since else 1
        high = _number(filters.until) if filters.until else 99999999
        parts.append(Query.range_query(schema(), "day", FieldType.Unsigned, low, high))
    if filters.without is not None:
        parts.append(
            Query.boolean_query(
                [(Occur.Must, Query.all_query()), (Occur.MustNot, _term("block", filters.without))]
            )
        )
    if not parts:
        return None
    return Query.const_score_query(Query.boolean_query([(Occur.Must, part) for part in parts]), 0.0)


def any_of(field: str, values: Iterable[str]) -> Any:
    """Return the query for documents with one of ``values`` in an exact field."""
    from tantivy import Query

    return Query.term_set_query(schema(), field, [encodable(value) for value in values])


def containing(terms: Sequence[str]) -> Any:
    """Return the query for documents that hold any of ``terms`` in any text field."""
    from tantivy import Occur, Query

    return Query.boolean_query(
        [(Occur.Should, _term(field, term, "freq")) for term in terms for field in _SOUGHT]
    )


def mentioning(first: int, last: int) -> Any:
    """Return the query for documents with a date in these days (as 20261130, both included)."""
    from tantivy import FieldType, Query

    return Query.range_query(schema(), "mention", FieldType.Unsigned, first, last)


def both(query: Any, other: Any | None) -> Any:
    """Return the query for documents that fit both; ``other`` may be missing."""
    from tantivy import Occur, Query

    return query if other is None else Query.boolean_query([(Occur.Must, query), (Occur.Must, other)])


def _number(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


def _term(field: str, value: str, option: str = "basic") -> Any:
    from tantivy import Query

    return Query.term_query(schema(), field, encodable(value), option)


@lru_cache(maxsize=64)
def _places(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def fetch(searcher: Any, query: Any, limit: int) -> list[Passage]:
    """Return the best ``limit`` passages of a query."""
    found = searcher.search(query, limit, count=False)
    return [to_passage(searcher.doc(address)) for _, address in found.hits]


def count(searcher: Any, query: Any) -> int:
    """Return how many documents fit a query."""
    return int(searcher.search(query, 1, count=True).count)


def all_chunks(searcher: Any) -> list[Chunk]:
    """Return every chunk of the index."""
    from tantivy import Query

    total = searcher.num_docs
    return [passage.chunk for passage in fetch(searcher, Query.all_query(), total)] if total else []


def known_terms(searcher: Any, prefix: str) -> list[str]:
    """Return the terms of the texts that begin with ``prefix``."""
    return [term for term, _ in searcher.terms_with_prefix("text", prefix, limit=_MOST_TERMS)]
