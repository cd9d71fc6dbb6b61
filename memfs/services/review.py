"""Review: entries that say the same are united or offered, stale tasks marked, what is over archived; one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from datetime import time as clock_time
from typing import TYPE_CHECKING

from memfs.errors import MemfsError
from memfs.memory.deletions import notice_changes
from memfs.memory.desk import Desk
from memfs.memory.expiry import Patience
from memfs.memory.merge import MergeResult
from memfs.memory.reviewing import keep_time
from memfs.memory.standing import stand
from memfs.memory.uniting import Bench
from memfs.model import Dropped, Tokens
from memfs.services.commit import Transaction, open_transaction
from memfs.services.merging.merges import entry_changes, result_files
from memfs.services.merging.proofs import with_proof
from memfs.services.merging.snapshots import load_snapshot
from memfs.services.reviewing.planning import Plan, make_plan
from memfs.services.reviewing.records import read_seen, spared_entries, write_seen
from memfs.services.reviewing.words import counted, describe
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memfs.extraction.model.pairing import PairReader
    from memfs.services.opening import Vault

Announce = Callable[[str], None]
_WRITTEN = frozenset(("added", "updated", "superseded", "removed", "suggested"))
_NOT_REVIEWED = ("relay.md", "journal/")


@dataclass(frozen=True, slots=True)
class IdentityReview:
    """What a review did to one identity's memory; counts are of entries.

    ``kept``: what was left as it is, (entry, reason); ``refused``: what the model said and was not used; ``read``:
    pairs that the model judged; ``left``: pairs that wait for the next time; ``waiting``: why they, or documents, do.
    """

    identity: str
    united: int = 0
    superseded: int = 0
    suggested: int = 0
    stale: int = 0
    archived: int = 0
    kept: tuple[tuple[str, str], ...] = ()
    refused: tuple[Dropped, ...] = ()
    read: int = 0
    left: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    commit: str | None = None
    waiting: tuple[str, ...] = ()
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """A review of one or all identities. ``problems``: identities that could not be reviewed, and why."""

    identities: tuple[IdentityReview, ...] = ()
    problems: tuple[str, ...] = ()


def review(
    vault: Vault,
    *,
    identity: str | None = None,
    announce: Announce | None = None,
    reader: PairReader | None = None,
) -> ReviewReport:
    """Review the memory of one identity, or of each; the failure of one stops no other.

    Pairs that are alike are read by the model of ``extract.model`` where one is set (``reader``: another one), else
    offered as suggestions. A second review changes nothing.

    Raises:
        ConfigError: the model's name, key or prompt cannot be used.
        UnsafePath: ``identity`` cannot be one.
    """
    names = (vault.choose_identity(identity),) if identity else vault.identities()
    reader = reader or _choose_reader(vault)
    done: list[IdentityReview] = []
    problems: list[str] = []
    for name in names:
        try:
            done.append(_review_identity(vault, name, reader))
        except MemfsError as error:
            problems.append(f"{name}: {error}")
            continue
        if announce is not None:
            announce(describe(done[-1], vault.language))
    return ReviewReport(tuple(done), tuple(problems))


def _choose_reader(vault: Vault) -> PairReader | None:
    if vault.config.extract.model in ("", "rules"):
        return None
    from memfs.services.ingesting.models import pair_reader

    return pair_reader(vault)


def _review_identity(vault: Vault, identity: str, reader: PairReader | None) -> IdentityReview:
    """Plan without holding the vault, then do what still stands as it was."""
    seen = read_seen(vault, identity)
    with _open_bench(vault, identity) as (_, bench, waiting):
        pass
    plan = make_plan(vault, bench, seen, waiting, reader)
    done = _carry_out(vault, identity, plan, reader)
    write_seen(vault, identity, seen.after(plan.looked_at, plan.judged, plan.nominated))
    return replace(done, left=plan.left, degraded=plan.degraded)


@contextmanager
def _open_bench(vault: Vault, identity: str) -> Iterator[tuple[Transaction, Bench, dict[str, str]]]:
    """The identity's documents laid open under the vault's lock, and why some of them have to wait."""
    spared = spared_entries(vault, identity)
    with open_transaction(vault) as transaction:
        loaded = load_snapshot(vault, transaction, identity, _documents(vault, identity))
        desk, today = Desk(loaded.snapshot), vault.now().date()
        waiting = dict(notice_changes(desk, noticed=datetime.combine(today, clock_time.max, UTC)))
        prefix = f"{vault.layout.rel(vault.layout.identity_dir(identity))}/"
        waiting |= {
            path.removeprefix(prefix): "an editor saved an old state over it" for path in loaded.mended
        }
        text = "\n".join(filter(None, loaded.snapshot.documents.values()))
        names = vault.names.mentioned(vault, identity, text)
        yield transaction, Bench(desk, identity, vault.language, today, names, spared), waiting


def _documents(vault: Vault, identity: str) -> tuple[str, ...]:
    folder = f"{vault.layout.rel(vault.layout.identity_dir(identity))}/"
    found = scan_documents(vault.layout, [f"{folder}**/*.md"]).documents
    below = (path.removeprefix(folder) for path in sorted(found))
    return tuple(path for path in below if not path.startswith(_NOT_REVIEWED))


def _carry_out(vault: Vault, identity: str, plan: Plan, reader: PairReader | None) -> IdentityReview:
    settings = vault.config.review
    with _open_bench(vault, identity) as (transaction, bench, waiting):
        outcomes = plan.play(bench, waiting)
        standing = stand(bench.desk, identity, vault.registry.types)
        free = [each for each in standing if each.path not in waiting]
        outcomes += keep_time(bench, free, Patience(settings.stale_days, settings.archive_days))
        commit = None
        if any(outcome.action in _WRITTEN for outcome in outcomes):
            result = bench.desk.result(outcomes)
            commit = _commit(vault, transaction, bench, result, plan, reader)
    documents = tuple(f"{document}: {reason}" for document, reason in waiting.items())
    return IdentityReview(
        identity,
        united=bench.done["united"],
        superseded=bench.done["superseded"],
        suggested=bench.done["suggested"],
        stale=bench.done["stale"],
        archived=bench.done["archived"],
        kept=tuple((outcome.id, outcome.reason or "") for outcome in outcomes if outcome.action == "kept"),
        refused=tuple(plan.refused),
        read=len(plan.verdicts),
        tokens=plan.tokens,
        commit=commit,
        waiting=(*documents, *((plan.waiting,) if plan.waiting else ())),
    )


def _commit(
    vault: Vault,
    transaction: Transaction,
    bench: Bench,
    result: MergeResult,
    plan: Plan,
    reader: PairReader | None,
) -> str:
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    lines: Sequence[str] = [
        *(f"dropped {item.type}: {item.reason}" for item in plan.refused),
        *(f"{each.action} {each.type} {each.id}: {each.reason}" for each in result.outcomes if each.reason),
    ]
    what, used = counted(bench.done, vault.language), reader if plan.tokens != Tokens() else None
    message = CommitMessage(
        kind="review",
        subject=action_subject("review", what, identity=bench.identity, language=vault.language),
        body="\n".join(lines),
        identity=bench.identity,
        extractor=used.name if used else None,
        tokens=plan.tokens if used else None,
        entries=with_proof(vault, entry_changes(result.outcomes)),
    )
    return transaction.commit(result_files(vault.layout, bench.identity, result), message).commit
