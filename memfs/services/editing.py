"""Editing an entry on a person's behalf: the line says what they wrote, is theirs from then on, and is one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.errors import EntryNotFound, InvalidDocument, InvalidRequest, VaultError
from memfs.markdown.document import Block, Document, parse_document
from memfs.markdown.edits import replace_block
from memfs.markdown.escape import escape_line
from memfs.memory.ids import written_hash
from memfs.memory.snapshot import Outcome
from memfs.memory.views import raw_texts
from memfs.services.changing import Changed
from memfs.services.commit import Transaction, open_transaction
from memfs.services.committing.secrets import require_no_secrets
from memfs.services.entries import EntryPlace, find_entry, ledger_records
from memfs.services.merging.snapshots import read_text
from memfs.services.merging.unwritable import look_at

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.opening import Vault

MAX_TEXT = 600


def edit(vault: Vault, reference: str, text: str) -> Changed:
    """Put ``text`` in the place of an entry's own, as if its person had edited the line: it is never rewritten.

    Mark, checkbox and id of the line stay. Secrets in the text are redacted.

    Raises:
        EntryNotFound: no entry has this id.
        InvalidRequest: the text is empty or too long.
        InvalidDocument: the document is one that memfs does not write into.
    """
    from memfs.extraction.redaction import redact_text

    redacted = redact_text(text).text
    clean = escape_line(redacted)
    if not clean:
        raise InvalidRequest(
            "there is nothing to write: the text is empty", hint="forget the entry to take it out"
        )
    if len(clean) > MAX_TEXT:
        raise InvalidRequest(f"an entry holds at most {MAX_TEXT} characters, and this text {len(clean)}")
    place = find_entry(vault, reference)
    with open_transaction(vault) as transaction:
        document, block = _block(vault, transaction, place)
        changed = replace_block(document, block, clean)
        commit = None
        if changed != document.text:
            commit = _commit(vault, transaction, "edit", place, changed)
    action = "edit" if commit else "unchanged"
    return Changed(place.id, place.path, action, commit, redacted=redacted != text)


def undo_edit(vault: Vault, entry: LogEntry, base: str | None) -> tuple[str | None, tuple[Outcome, ...]]:
    """Let an edited entry say again what it said before the commit ``entry``, unless it was changed since.

    ``base``: the commit that the edit began from. Gives the commit of the undo (None: nothing changed).
    """
    edited = entry.message.entries[0].id if entry.message and entry.message.entries else ""
    place = find_entry(vault, edited)
    before, after = (_text_then(vault, commit, place) for commit in (base, entry.commit))
    with open_transaction(vault) as transaction:
        document, block = _block(vault, transaction, place)
        if before is None or " ".join(block.text.split()) != after:
            return None, (Outcome(place.id, "kept", "", place.document, "it was changed since"),)
        subject = f"{entry.commit[:8]} ({entry.subject})"
        text = replace_block(document, block, before)
        require_no_secrets(transaction, {place.path: text.encode("utf-8", "surrogateescape")})
        commit = _commit(vault, transaction, "undo", place, text, subject)
    return commit, (Outcome(place.id, "updated", "", place.document),)


def _block(vault: Vault, transaction: Transaction, place: EntryPlace) -> tuple[Document, Block]:
    """The line that is meant: of copies the one that is memfs's, else the first."""
    for obstacle in look_at(vault, place.path).obstacles[:1]:
        raise InvalidDocument(
            obstacle.reason, path=place.path, line=obstacle.line, hint="mend it by hand first"
        )
    if reason := transaction.obstacles([place.path]).get(place.path):
        raise VaultError(reason, path=place.path)
    document = parse_document(read_text(transaction, place.path) or "")
    found = [block for block in document.find(place.id) if block.kind in ("item", "paragraph")]
    if not found:
        raise EntryNotFound(f"no entry {place.id} that can be edited", path=place.path)
    record = ledger_records(vault, place.path, [place.id]).get(place.id)
    own = (block for block in found if record and written_hash(block.text) == record.hash)
    return document, next(own, found[0])


def _text_then(vault: Vault, commit: str | None, place: EntryPlace) -> str | None:
    from memfs.history.tracing import name_at

    name = name_at(vault.repository, commit, place.path) if commit else None
    data = vault.repository.read_blob(commit, name) if commit and name else None
    text = raw_texts((data or b"").decode("utf-8", "replace")).get(place.id)
    return None if text is None else " ".join(text.split())


def _commit(
    vault: Vault, transaction: Transaction, kind: str, place: EntryPlace, text: str, what: str = ""
) -> str | None:
    from memfs.history.messages import CommitMessage, EntryChange
    from memfs.history.subjects import action_subject

    subject = action_subject(kind, what or place.id, identity=place.identity, language=vault.language)
    message = CommitMessage(
        kind, subject, identity=place.identity, entries=(EntryChange(place.id, "updated"),)
    )
    data = text.encode("utf-8", "surrogateescape")
    return transaction.commit({place.path: data}, message).commit
