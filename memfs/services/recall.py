"""Recall: search and context, from an index that is brought up to date first."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from memfs.errors import HistoryError, MemfsError
from memfs.model import EntryView, Stat
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.search.context import Context, ContextItem, Kind
    from memfs.search.index import SearchIndex, Stale, UpdateReport
    from memfs.search.searching import Hit
    from memfs.services.opening import Vault

DEFAULT_BUDGET = 1500
_RECENT = 8
_ACTIONS = 12
_LONG_OVERDUE = 45  # days
_RETRIEVED = 8
_LEAST_SCORE = 0.35


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search; ``degraded`` says why it was less than it could be, None when it was not."""

    hits: tuple[Hit, ...]
    degraded: str | None = None


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
    path: str | None = None,
    limit: int = 10,
) -> Found:
    """Find memories. ``identity`` limits it to what that identity may see: its own, and what it ``reads``."""
    from memfs.search.lexicon import Filters

    index = open_index(vault)
    problems = refresh_index(vault, index).degraded
    filters = Filters(visible(vault, identity) if identity else None, peer, type, tag, since, until, path)
    today = vault.now().date()
    result = index.search(query, filters, limit, today=today)
    if (
        result.degraded and not result.hits and refresh_index(vault, index).indexed
    ):  # it was damaged: made anew
        result = index.search(query, filters, limit, today=today)
    reasons = [_in_language(vault, reason) for reason in dict.fromkeys((*problems, *result.degraded))]
    return Found(tuple(_with_origin(vault, result.hits)), "; ".join(reasons) or None)


def _in_language(vault: Vault, reason: str) -> str:
    """Why a search was less than it could be, in the vault's language where there are words for it."""
    from memfs.search import meanings

    chinese = {
        meanings.UNKNOWN_LANGUAGE: "语义检索只懂英文；这次查询按字词检索",
        meanings.NO_ENGINE: "只按字词检索：未设置嵌入引擎",
        meanings.REBUILDING: "向量正在重建：部分条目只按字词查找",
    }
    return chinese.get(reason, reason) if vault.language == "zh" else reason


def context(
    vault: Vault, message: str = "", *, identity: str | None = None, budget: int = DEFAULT_BUDGET
) -> Context:
    """What an agent should read before it begins, or before it answers ``message``, within ``budget`` tokens."""
    from memfs.search.context import ContextSection, assemble_context

    name = vault.choose_identity(identity)
    views = tuple(_own_entries(vault, name))
    said = _days_said(vault, views)
    chosen: Mapping[Kind, Iterable[EntryView]] = {
        "identity": [view for view in views if view.type in ("identity", "soul")],
        "profile": [view for view in views if view.type == "profile"],
        "preferences": _newest([view for view in views if view.type == "preferences"], said),
        "actions": _open_actions(views, vault.now().date())[:_ACTIONS],
        "decisions": _latest_decisions(views),
    }
    sections = [ContextSection("durable", tuple(_recent_journal(vault, name)))]
    sections += [ContextSection(kind, _items(each, said)) for kind, each in chosen.items()]
    if message.strip():
        found = search(vault, message, identity=name, limit=_RETRIEVED)
        views = tuple(hit.view for hit in found.hits if hit.score >= _LEAST_SCORE and _counts(hit.view))
        sections.append(ContextSection("retrieved", _items(views, _days_said(vault, views))))
    return assemble_context(sections, budget, secrets.token_hex(8))


def open_index(vault: Vault) -> SearchIndex:
    """The vault's search index; nothing is loaded before it is used."""
    from memfs.search.embeddings import load_embedder
    from memfs.search.index import SearchIndex
    from memfs.services.entries import days_said

    settings = vault.config.embeddings
    folder = vault.layout.derived / "index"
    embedder = load_embedder(settings.engine, settings.model, state=folder)
    return SearchIndex(folder, embedder, root=vault.layout.root, dates=partial(days_said, vault))


def refresh_index(vault: Vault, index: SearchIndex) -> UpdateReport:
    """Bring the index up to the files as they lie on disk; cheap when nothing changed.

    One that proves to be damaged while it is written is emptied; then all the other files follow.
    """
    from memfs.search.index import UpdateReport

    stats, report = document_stats(vault), UpdateReport()
    seen: set[str] = set()
    while todo := [path for path in _differing(index.stale(stats)) if path not in seen]:
        seen.update(todo)
        report = _joined(report, index.update(_read_files(vault, todo), stats))
    if index.vectors_missing():
        report = _joined(report, index.fill_vectors())
    return report


def _differing(stale: Stale) -> tuple[str, ...]:
    return (*stale.changed, *stale.gone)


def _joined(first: UpdateReport, second: UpdateReport) -> UpdateReport:
    """What two passes did together; why vectors are missing is what the last one says."""
    return replace(
        second,
        indexed=first.indexed + second.indexed,
        removed=first.removed + second.removed,
        deferred=first.deferred + second.deferred,
        problems=first.problems + second.problems,
    )


def follow_index(vault: Vault, index: SearchIndex, *, seconds: float = 0.5) -> Iterator[UpdateReport]:
    """The same in parts that take about so many seconds, for who has other things to do between."""
    stats = document_stats(vault)
    stale = index.stale(stats)
    paths, part = [*stale.changed, *stale.gone], 32
    while paths:
        began = time.monotonic()
        report = index.update(_read_files(vault, paths[:part]), stats)
        del paths[:part]
        part = part * 2 if time.monotonic() - began < seconds else max(1, part // 2)
        yield report


def index_documents(vault: Vault, index: SearchIndex, documents: Mapping[str, Stat | None]) -> UpdateReport:
    """Bring the index up to documents that changed, as a watcher saw them lie on disk (None: gone)."""
    there = {path: stat for path, stat in documents.items() if stat is not None}
    gone = dict.fromkeys(path for path in documents if path not in there)
    return index.update({**_read_files(vault, there), **gone}, there)


def reindex(vault: Vault) -> UpdateReport:
    """Build the index anew from the files."""
    stats = document_stats(vault)
    index = open_index(vault)
    report = index.rebuild(_read_files(vault, stats), stats)
    if index.vectors_missing():
        index.fill_vectors()
    return report


def document_stats(vault: Vault) -> dict[str, Stat]:
    """The documents that are searched, and how each lies on disk."""
    return dict(scan_documents(vault.layout, vault.config.search.include).documents)


def _read_files(vault: Vault, paths: Iterable[str]) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {}
    for path in paths:
        try:
            files[path] = (vault.top / path).read_bytes()
        except (FileNotFoundError, IsADirectoryError, PermissionError):
            files[path] = None
    return files


def visible(vault: Vault, identity: str) -> tuple[str, ...]:
    """Whose memory an identity sees: its own, what its identity.md ``reads``, and the person's notes ("")."""
    from memfs.services.policies import read_identity

    reads = read_identity(vault, identity).get("reads") or ()
    others = (reads,) if isinstance(reads, str) else tuple(str(name) for name in reads)
    return tuple(dict.fromkeys((identity, *others, "")))


def _with_origin(vault: Vault, hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits with origin, source and commit, as ledgers and history tell."""
    from memfs.services.entries import read_entries, with_provenance

    known = _sources(vault, [hit.view.id for hit in hits if hit.view.id])
    origins: dict[str, dict[str | None, EntryView]] = {}
    for hit in hits:
        path = hit.view.path
        if hit.view.id and path not in origins:
            try:
                origins[path] = {view.id: view for view in read_entries(vault, path)}
            except (MemfsError, OSError):
                origins[path] = {}
        listed = origins.get(path, {}).get(hit.view.id)
        view = replace(hit.view, origin=listed.origin) if listed else hit.view
        yield replace(hit, view=next(iter(with_provenance([view], known))))


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


def _own_entries(vault: Vault, identity: str) -> Iterator[EntryView]:
    """An identity's own entries that count: no suggestions, nothing superseded."""
    from memfs.services.entries import read_entries

    folder = vault.layout.rel(vault.layout.identity_dir(identity))
    for path in sorted(scan_documents(vault.layout, [f"{folder}/*.md"]).documents):
        for view in read_entries(vault, path):
            if _counts(view) and view.peer is None:
                yield view


def _counts(view: EntryView) -> bool:
    """Whether an entry holds now: nothing that is only offered, nothing superseded."""
    return view.status not in ("suggestion", "superseded")


def _newest(views: Sequence[EntryView], said: Mapping[EntryView, str]) -> list[EntryView]:
    """The latest said first; what a person wrote, whose day is not known, after them."""
    return sorted(views, key=lambda view: said.get(view, ""), reverse=True)


def _open_actions(views: Sequence[EntryView], today: date) -> list[EntryView]:
    """What is to be done: the next due first, then what has no date, last what is overdue for long."""
    overdue = (today - timedelta(days=_LONG_OVERDUE)).isoformat()

    def rank(view: EntryView) -> tuple[int, str]:
        return (1 if view.date is None else 2 if view.date < overdue else 0), view.date or ""

    pending = [view for view in views if view.type == "actions" and view.status in ("pending", "in_progress")]
    return sorted(pending, key=rank)


def _latest_decisions(views: Sequence[EntryView]) -> list[EntryView]:
    decisions = [view for view in views if view.type == "decisions"]
    return sorted(decisions, key=lambda view: view.date or "", reverse=True)[:_RECENT]


def _recent_journal(vault: Vault, identity: str) -> Iterator[ContextItem]:
    """What the journal says of today and yesterday."""
    from memfs.markdown import parse_document
    from memfs.search.context import ContextItem

    today = vault.now().date()
    for day in (today, today - timedelta(days=1)):
        path = vault.layout.document(identity, f"journal/{day.isoformat()}.md")
        if path.is_file():
            document = parse_document(path.read_text(encoding="utf-8", errors="replace"))
            for block in document.blocks:
                if block.kind in ("item", "paragraph"):
                    yield ContextItem(block.text, f"{vault.layout.rel(path)}:{block.line}", day.isoformat())


def _days_said(vault: Vault, views: Sequence[EntryView]) -> Mapping[EntryView, str]:
    """The day on which each entry was said; where no ledger tells it, the day that its text gives.

    The date of an action is when it is due, and so never that.
    """
    from memfs.services.entries import days_said

    ids: dict[str, list[str]] = {}
    for view in views:
        ids.setdefault(view.path, []).extend([view.id] if view.id else [])
    known = {path: days_said(vault, path, of_path) for path, of_path in ids.items()}
    days = {view: known[view.path].get(view.id or "") or _own_date(view) for view in views}
    return {view: day for view, day in days.items() if day}


def _own_date(view: EntryView) -> str | None:
    return None if view.type == "actions" else view.date


def _items(views: Iterable[EntryView], said: Mapping[EntryView, str]) -> tuple[ContextItem, ...]:
    from memfs.search.context import ContextItem

    return tuple(ContextItem(view.text, f"{view.path}:{view.line}", said.get(view)) for view in views)
