"""Three-way merges of whole files, when a person and memfs wrote in the same moment.

Documents go through ``memory.texts``; ledger, cursor and mark files hold one record a line and are united.
"""

from __future__ import annotations

from memfs.markdown.document import Block, parse_document
from memfs.markdown.edits import remove_block
from memfs.memory.texts import merge_texts

_RECORD_FOLDERS = ("/.ledger/", "/.cursors/")


def merge_files(path: str, base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Return the file that keeps what ``ours`` (the person) and ``theirs`` (memfs) changed since ``base``.

    Where both changed the same place, ours wins. Bytes that are not UTF-8 are the person's: they stay as they are.
    """
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    if is_record_file(path):
        return _unite_records(base, ours, theirs)
    try:
        return merge_texts((base or b"").decode(), ours.decode(), theirs.decode()).encode()
    except UnicodeDecodeError:
        return ours


def merge_removed(path: str, base: bytes | None, theirs: bytes) -> bytes:
    """What is left of ``theirs`` for a file that a person removed meanwhile (`git revert`): what ``base`` had not.

    An entry that was updated is new; what it said before went with the file.
    """
    if is_record_file(path):
        return _unite_records(base, b"", theirs)
    try:
        old, text = parse_document((base or b"").decode()), theirs.decode()
    except UnicodeDecodeError:
        return theirs
    said = {(block.block_id, block.text) for block in old.blocks}
    ids = {block.block_id for block in old.blocks if block.block_id}
    while True:
        document = parse_document(text)
        block = next((each for each in document.blocks if _is_gone(each, said, ids)), None)
        if block is None:
            return text.encode()
        text = remove_block(document, block)


def _is_gone(block: Block, said: set[tuple[str | None, str]], ids: set[str]) -> bool:
    """Whether a block was there before, or is the superseded form of an entry that was."""
    entry = (block.block_id or "").rpartition("-")[0]
    return (block.block_id, block.text) in said or (entry in ids and block.block_id not in ids)


def is_record_file(path: str) -> bool:
    """Whether ``path`` is a ledger, a cursor or the marks: memfs's own records, one a line."""
    padded = f"/{path}"
    return padded.endswith("/.forgotten") or any(folder in padded for folder in _RECORD_FOLDERS)


def _unite_records(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Union of the records; one that only a side removed is gone."""
    before = set((base or b"").splitlines(keepends=True))
    mine, other = set(ours.splitlines(keepends=True)), set(theirs.splitlines(keepends=True))
    kept = (mine & other) | (mine - before) | (other - before)
    return b"".join(sorted(kept))
