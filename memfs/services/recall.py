"""Recall: search in an index that is brought up to date first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from memfs.errors import HistoryError, MemfsError
from memfs.model import EntryView
from memfs.services.indexing import open_index, refresh_index

if TYPE_CHECKING:
    from memfs.search.searching import Hit
    from memfs.services.opening import Vault


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
