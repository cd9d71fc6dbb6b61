"""Search in conversations: a derived index of the turns of transcripts, where they lie or in their kept copies.

Nothing of them enters git. What is private or off the record is not in it, and secrets are redacted as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import ConfigError, TranscriptError
from memfs.model import Stat
from memfs.services.ingesting.candidates import find_candidates
from memfs.services.ingesting.kept import kept_copy
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader
from memfs.services.ingesting.sessions import SessionKey, message_names, session_key
from memfs.services.ingesting.sources import TranscriptFile, find_all
from memfs.vault.files import write_atomic

if TYPE_CHECKING:
    from datetime import date

    from memfs.model import Session, Turn
    from memfs.search.lexicon import Filters
    from memfs.search.sessions import Conversation, Said, TurnHit, TurnIndex
    from memfs.services.opening import Vault

_AT_ONCE = 32  # transcripts of one commit of the index
_WORTH_SAYING = 8  # transcripts to read: from here on progress is told
Announce = Callable[[str], object]


def search_turns(
    vault: Vault, query: str, filters: Filters, limit: int, *, today: date, announce: Announce | None = None
) -> tuple[TurnHit, ...]:
    """The turns that answer ``query`` best; ``filters`` as for memory, their identities those who may be read."""
    for _ in range(2):  # once more where nothing is found: an index that was damaged is made anew
        hits = open_turns(vault, announce).search_turns(query, filters, limit, today=today)
        if hits:
            return hits
    return ()


def open_turns(vault: Vault, announce: Announce | None = None) -> TurnIndex:
    """The index of turns, brought up to the transcripts as they lie: what grew is read again, what is gone falls out.

    ``announce`` is told how far the reading is, when there is much of it.
    """
    from memfs.search.sessions import TurnIndex

    index = TurnIndex(vault.layout.derived / "sessions")
    pass_over = _Pass(vault, index, announce)
    pass_over.read(pass_over.originals)
    pass_over.read({**pass_over.originals, **pass_over.copies()})
    return index


@dataclass
class _Pass:
    """One look at all transcripts. ``covers``: per transcript the kept copies that it makes superfluous."""

    vault: Vault
    index: TurnIndex
    announce: Announce | None
    files: dict[str, TranscriptFile] = field(default_factory=dict)
    covers: dict[str, list[str]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.files = {str(file.path): file for _, found in find_all(self.vault) for file in found}
        with suppress(OSError, ValueError):
            self.covers = json.loads(self._noted.read_text(encoding="utf-8"))
        self.covers = {path: copies for path, copies in self.covers.items() if path in self.files}

    @property
    def _noted(self) -> Path:
        return self.index.folder / "covers.json"

    @property
    def originals(self) -> dict[str, Stat]:
        return {path: file.stat for path, file in self.files.items()}

    def copies(self) -> dict[str, Stat]:
        """The kept copies of sessions whose transcript is no longer there."""
        covered = {copy for copies in self.covers.values() for copy in copies}
        folder = self.vault.layout.archive / "transcripts"
        paths = (path for path in sorted(folder.rglob("*.jsonl.zst")) if str(path) not in covered)
        return {str(path): _stat_of(path) for path in paths}

    def read(self, stats: Mapping[str, Stat]) -> None:
        """Read what changed among these files; drop from the index what is not among them."""
        stale = self.index.stale(stats)
        unknown = [path for path in self.files if path not in self.covers]  # the notes were lost
        todo = [path for path in dict.fromkeys((*stale.changed, *unknown)) if path not in self.done]
        self.done.update(todo)
        for start in range(0, len(todo), _AT_ONCE):
            if self.announce and len(todo) >= _WORTH_SAYING:
                self.announce(f"{start}/{len(todo)}")
            part = todo[start : start + _AT_ONCE]
            self.index.update({path: self._text(path) for path in part}, stats)
            self._note()
        if stale.gone:
            self.index.update(dict.fromkeys(stale.gone))
            self._note()

    def _note(self) -> None:
        """Keep what is known so far: who is interrupted reads on from here."""
        write_atomic(self._noted, json.dumps(self.covers).encode("utf-8"))

    def _text(self, path: str) -> str:
        """What is indexed of a transcript: nothing of what is none, or cannot be read."""
        from memfs.search.sessions import conversations_text

        file = self.files.get(path)
        try:
            found = _in_transcript(self.vault, file) if file else _in_copy(self.vault, Path(path))
            listed = [(key, one) for key, one in found]
        except TranscriptError:
            listed = []
        if file:
            kept = [kept_copy(self.vault, one.identity, key) for key, one in listed]
            self.covers[path] = [str(copy) for copy in kept]
        return conversations_text(one for _, one in listed if one.turns)


def _stat_of(path: Path) -> Stat:
    stat = path.stat()
    return Stat(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def _in_transcript(vault: Vault, file: TranscriptFile) -> Iterator[tuple[SessionKey, Conversation]]:
    """The conversations of a transcript, under the identity that it feeds."""
    candidate = next(find_candidates(vault, [file], None, [], strict=False), None)
    if candidate is None:
        return
    with open_reader(file.path, me=file.source.me, limits=INGEST_LIMITS) as first:
        for reader in first.conversations or (first,):
            key = session_key(reader, file)
            turns = list(reader)
            names = message_names(key, reader.incremental, turns)[0]
            yield key, _conversation(vault, candidate.identity, key, reader.session, turns, names)


def _in_copy(vault: Vault, path: Path) -> Iterator[tuple[SessionKey, Conversation]]:
    """The conversation of a kept copy; its folders say whose it is and of which kind."""
    identity, source = path.parts[-3:-1]
    with open_reader(path, limits=INGEST_LIMITS) as reader:
        key = SessionKey(source, reader.session.id or path.name.removesuffix(".jsonl.zst"))
        turns = list(reader)
        names = [turn.id or f"@{turn.start}" for turn in turns]
        yield key, _conversation(vault, identity, key, reader.session, turns, names)


def _conversation(
    vault: Vault,
    identity: str,
    key: SessionKey,
    session: Session,
    turns: Sequence[Turn],
    names: Sequence[str],
) -> Conversation:
    """What may be searched of a conversation: nothing that is private, off the record or kept from memory."""
    from memfs.extraction.redaction import redact_session
    from memfs.search.sessions import Conversation
    from memfs.transcripts.privacy import keep_turns

    kept, _ = keep_turns(_named(turns, names), session)
    said = tuple(_said(vault, kept)) if _may_be_read(vault, identity, session) else ()
    return Conversation(identity, str(key), redact_session(session).title, said)


def _named(turns: Iterable[Turn], names: Iterable[str]) -> list[Turn]:
    return [replace(turn, id=name) for turn, name in zip(turns, names, strict=True)]


def _said(vault: Vault, turns: Iterable[Turn]) -> Iterator[Said]:
    from memfs.extraction.redaction import redact_turn
    from memfs.memory.slugs import peer_id
    from memfs.search.sessions import Said
    from memfs.transcripts.times import turn_time

    for spoken in turns:
        turn = redact_turn(replace(spoken, tool_calls=(), attachments=()))
        if turn.text.strip():
            moment = turn_time(turn.timestamp, vault.zone)
            yield Said(
                message=turn.id or "",
                role=turn.role,
                text=turn.text,
                speaker=turn.speaker,
                peer=peer_id(turn.peer) if turn.peer else None,
                line=turn.line,
                day=moment.astimezone(vault.zone).date().isoformat() if moment else None,
            )


def _may_be_read(vault: Vault, identity: str, session: Session) -> bool:
    """Whether the policy lets anything of a session be remembered; in doubt not."""
    try:
        policy = read_policy(vault, identity, session.memory_policy)
    except ConfigError:
        return False
    return policy.self_enabled or policy.peer_enabled
