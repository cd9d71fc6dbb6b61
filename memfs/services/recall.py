"""Recall: search in an index that is brought up to date first, of memory as it is or as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from memfs.errors import HistoryError, MemfsError
from memfs.model import EntryView
from memfs.services.finding.indexing import open_index, refresh_index

if TYPE_CHECKING:
    from memfs.search.index import SearchIndex, UpdateReport
    from memfs.search.searching import Hit, SearchResult
    from memfs.search.sessions import TurnHit
    from memfs.search.timing import Span
    from memfs.services.finding.past import Past
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search; ``degraded`` says why it was less than it could be, None when it was not.

    ``understood``: what words for times were taken for. ``commit``: memory was searched as it was there.
    ``turns``: what was said in conversations; that is no memory.
    """

    hits: tuple[Hit, ...]
    degraded: str | None = None
    understood: tuple[Span, ...] = ()
    commit: str | None = None
    turns: tuple[TurnHit, ...] = ()


def search(
    vault: Vault,
    query: str,
    *,
    identity: str | None = None,
    peer: str | None = None,
    type: str | None = None,
    tag: str | None = None,
    since: date | None = None,
    until: date | None = None,
    at: str | None = None,
    path: str | None = None,
    limit: int = 10,
    sessions: bool | None = None,
    announce: Callable[[str], object] | None = None,
    indexing: Callable[[str], object] | None = None,
) -> Found:
    """Find memories. ``identity`` limits it to what that identity may see: its own, and what it ``reads``.

    ``at`` a date or commit: memory as it was then, as git has it. ``sessions``: also what was said in conversations
    (one's own only); None: only where memory has nothing, and the settings allow it. ``announce`` is told of the
    progress of reading transcripts, ``indexing`` of documents that have to be indexed first.

    Raises:
        CommitNotFound: there is no such commit, or nothing was committed yet.
    """
    from memfs.search.lexicon import Filters
    from memfs.search.timing import understood

    past = _open_past(vault, at) if at else None
    today = past.today if past else vault.now().date()
    filters = Filters(visible(vault, identity) if identity else None, peer, type, tag, since, until, path)

    def ask(index: SearchIndex) -> SearchResult:
        return index.search(query, filters, limit, today=today)

    hits, degraded = look_up(vault, ask, past, indexing)
    turns: tuple[TurnHit, ...] = ()
    if sessions or (sessions is None and not hits and vault.config.search.sessions):
        from memfs.services.finding.conversations import search_turns

        said_until = min(until or today, today) if past else until
        own = replace(filters, identities=(identity,) if identity else None, until=said_until)
        turns = search_turns(vault, query, own, limit, today=today, announce=announce)
    return Found(hits, degraded, understood(query, today), past.commit if past else None, turns)


def look_up(
    vault: Vault,
    ask: Callable[[SearchIndex], SearchResult],
    past: Past | None = None,
    indexing: Callable[[str], object] | None = None,
) -> tuple[tuple[Hit, ...], str | None]:
    """Ask the index of now (or of the past), brought up to date first; hits with origin, and why degraded."""
    opened = past.open_index if past else partial(_open_now, vault, indexing)
    index, report = opened()
    result = ask(index)
    if result.degraded and not result.hits and opened()[1].indexed:  # it was damaged: made anew
        result = ask(index)
    reasons = [_in_language(vault, reason) for reason in dict.fromkeys((*report.degraded, *result.degraded))]
    return tuple(_with_origin(vault, result.hits, past)), "; ".join(reasons) or None


def _open_now(vault: Vault, indexing: Callable[[str], object] | None) -> tuple[SearchIndex, UpdateReport]:
    index = open_index(vault)
    return index, refresh_index(vault, index, indexing)


def _open_past(vault: Vault, at: str) -> Past:
    from memfs.services.finding.past import open_past

    return open_past(vault, at)


def _in_language(vault: Vault, reason: str) -> str:
    """Why a search was less than it could be, in the vault's language where there are words for it."""
    from memfs.search import meanings, updating

    chinese = {
        meanings.UNKNOWN_LANGUAGE: "语义检索只懂英文；这次查询按字词检索",
        meanings.NO_ENGINE: "只按字词检索：未设置嵌入引擎",
        meanings.REBUILDING: "向量正在重建：部分条目只按字词查找",
        updating.INDEXING: "另一个进程正在更新索引：部分改动尚查不到",
    }
    return chinese.get(reason, reason) if vault.language == "zh" else reason


def visible(vault: Vault, identity: str) -> tuple[str, ...]:
    """Whose memory an identity sees: its own, what its identity.md ``reads``, and the person's notes ("")."""
    from memfs.services.ingesting.policies import read_identity

    reads = read_identity(vault, identity).get("reads") or ()
    others = (reads,) if isinstance(reads, str) else tuple(str(name) for name in reads)
    return tuple(dict.fromkeys((identity, *others, "")))


def _with_origin(vault: Vault, hits: Sequence[Hit], past: Past | None) -> Iterator[Hit]:
    """Hits with origin, source and commit, as ledgers and history tell."""
    from memfs.services.entries import read_entries, with_provenance

    if past:
        read, told = past.entries, past.with_provenance
    else:
        known = _sources(vault, [hit.view.id for hit in hits if hit.view.id])
        read, told = partial(read_entries, vault), partial(with_provenance, latest=known)
    origins: dict[str, Mapping[str | None, EntryView]] = {}
    for hit in hits:
        path = hit.view.path
        if hit.view.id and path not in origins:
            origins[path] = _by_id(partial(read, journal=hit.view.type == "journal"), path)
        listed = origins.get(path, {}).get(hit.view.id)
        view = replace(hit.view, origin=listed.origin, trust=listed.trust) if listed else hit.view
        yield replace(hit, view=next(iter(told([view]))))


def _by_id(read: Callable[[str], Iterable[EntryView]], path: str) -> Mapping[str | None, EntryView]:
    try:
        return {view.id: view for view in read(path)}
    except (MemfsError, OSError):
        return {}


def _sources(vault: Vault, ids: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
    """The commit and source of each id. git is only asked when the branch has moved on since the last look."""
    from memfs.history.provenance import ProvenanceIndex, filled_to, read_known
    from memfs.history.refs import peek_tip

    folder = vault.layout.derived / "provenance"
    tip = peek_tip(vault.layout.git_dir, vault.layout.common_dir)
    if ids and (tip is None or tip != filled_to(folder)):
        with suppress(HistoryError):  # what is known already will do
            return ProvenanceIndex(folder, vault.repository).latest()
    return read_known(folder, ids)
