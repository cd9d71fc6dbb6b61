"""memfs as a Python library: what is remembered, and what would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.model import FieldValue, Trust, Turn
    from memfs.services.changing import Changed
    from memfs.services.dryrun import DryRun, Estimate
    from memfs.services.evaluation import Evaluation
    from memfs.services.ingesting.reports import IngestReport
    from memfs.services.opening import Vault
    from memfs.services.retrying import Retried
    from memfs.services.turns import Pushed


class Remembering:
    """What is remembered, and what would be."""

    vault: Vault

    def ingest(
        self,
        paths: Sequence[Path | str] = (),
        *,
        identity: str | None = None,
        backfill: str | None = None,
        announce: Callable[[str], None] | None = None,
        policy: Mapping[str, Any] | None = None,
    ) -> IngestReport:
        """Merge what is new in ``paths``, or in all sources of the vault.

        ``backfill`` (``none``, ``30d``, ``all``) says how much of a new source's past is read; ``announce``
        is told of each session as it is merged. ``policy`` is what may be remembered this time, in the shape
        of ``memory_policy``; it goes before what session, identity and settings say.
        """
        from memfs.services.ingest import ingest

        files = [Path(path) for path in paths]
        return ingest(self.vault, files, identity=identity, choice=backfill, announce=announce, policy=policy)

    def remember(
        self,
        text: str,
        *,
        identity: str | None = None,
        type: str = "notes",
        peer: str | None = None,
        fields: Mapping[str, FieldValue] | None = None,
        trust: Trust = "user",
    ) -> Changed:
        """Keep ``text`` as an entry; ``fields`` are those of the memory ``type``.

        ``trust``: "agent" where an agent asks of its own accord.
        """
        from memfs.services.changing import remember

        return remember(self.vault, text, identity=identity, type=type, peer=peer, fields=fields, trust=trust)

    def push(
        self,
        session: str,
        turns: Sequence[Turn],
        *,
        identity: str | None = None,
        channel: str | None = None,
        model: str | None = None,
    ) -> Pushed:
        """Hand over turns of a conversation (each a `memfs.model.Turn` with an id); on disk when this returns.

        They are merged as any transcript is, when `ingest`, `watch` or `up` comes to it.
        """
        from memfs.services.turns import push_turns

        return push_turns(
            self.vault, session, identity=identity, channel=channel, model=model, turns=tuple(turns)
        )

    def retry(self, *, identity: str | None = None, announce: Callable[[str], None] | None = None) -> Retried:
        """Try what was set aside once more, then whatever else is not merged."""
        from memfs.services.retrying import retry

        return retry(self.vault, identity=identity, announce=announce)

    def transcript(self, path: Path | str, *, me: Sequence[str] = ()) -> Any:
        """How a transcript (a file, or a folder that is one) is read.

        ``me`` are the user's names in a group chat.
        """
        from memfs.services.dryrun import read_transcript

        return read_transcript(Path(path), me=me)

    def extract(
        self,
        path: Path | str,
        *,
        identity: str | None = None,
        now: datetime | None = None,
        me: Sequence[str] = (),
        policy: Mapping[str, Any] | None = None,
    ) -> DryRun:
        """What would be remembered of a transcript; nothing is written.

        ``now`` is where relative dates count from; ``policy`` as in `ingest`.
        """
        from memfs.services.dryrun import extract

        moment = now.replace(tzinfo=self.vault.zone) if now and now.tzinfo is None else now
        return extract(self.vault, Path(path), identity=identity, now=moment, me=me, policy=policy)

    def estimate(self, path: Path | str, *, me: Sequence[str] = ()) -> Estimate:
        """What extraction of a transcript would cost."""
        from memfs.services.dryrun import estimate

        return estimate(self.vault, Path(path), me=me)

    def eval(
        self,
        folder: Path | str,
        *,
        model: str | None = None,
        predictions: Path | str | None = None,
        announce: Callable[[str], None] | None = None,
    ) -> Evaluation:
        """How well an extractor does on the labelled conversations in ``folder``; nothing is remembered.

        ``model`` is another than the settings name; with ``predictions`` nothing is run and these are scored.
        """
        from memfs.services.evaluation import evaluate

        given = Path(predictions) if predictions is not None else None
        return evaluate(self.vault, Path(folder), model=model, predictions=given, announce=announce)
