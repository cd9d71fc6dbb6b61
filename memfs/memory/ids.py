"""Ids and hashes of entries. Frozen: another result for the same input would orphan every existing entry.

Normalisation of a key, version 1:

1. wikilinks become the words a reader sees, Unicode NFKC, case folded, NFKC again;
2. letters, digits and combining marks stay; so do ``+`` and ``#`` right after one of these (C++, C#), and
   a ``-`` that is a sign (before a digit, after a blank or at the start);
3. every run of other characters becomes one blank; blanks at the ends go;
4. where nothing is left (only symbols), the folded text with single blanks is the key.

An id is ``m-`` and the first 13 base32 characters, in lower case, of SHA-256 over version, identity, peer,
type and the normalised parts of the key, each ended by U+001F.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b32encode
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from memfs.memory.plain import plain_text

_VERSION = "1"
_ID_CHARS = 13
_HASH_CHARS = 20
_LINK_CHARS = 6
_KEPT = re.compile(r"(?:(?<=\s)|^)-(?=\d)|[^\W_]|(?<=[^\W_])[+#]+")
MEMFS_ID = re.compile(r"m-[a-z2-7]{13}(?:-[a-z2-7]{4})?(?:-q)?")


@lru_cache(maxsize=16384)
def normalise_key(text: str) -> str:
    """The text with everything removed that does not change what it names. Idempotent."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain_text(text)).casefold())
    spaced = " ".join(folded.split())
    key = " ".join(_words(spaced).split())
    return key or spaced


def _words(text: str) -> str:
    kept = [" "] * len(text)
    for match in _KEPT.finditer(text):
        kept[match.start() : match.end()] = match.group()
    for position, char in enumerate(text):
        if unicodedata.category(char).startswith("M"):
            kept[position] = char
    return "".join(kept)


def entry_id(identity: str, peer: str | None, type_name: str, key: str | Sequence[str]) -> str:
    """The id of an entry: the same on every machine, for ever.

    ``key`` is one text or the parts of the key.
    """
    parts = [key] if isinstance(key, str) else list(key)
    fields = [_VERSION, identity, peer or "", type_name, *(normalise_key(part) for part in parts)]
    return "m-" + _digest("".join(f"{field}\x1f" for field in fields), _ID_CHARS)


def text_hash(text: str) -> str:
    """Hash of what an entry says, without bullet, box, block id; whether names are linked does not matter."""
    return _digest(plain_text(text), _HASH_CHARS)


@lru_cache(maxsize=16384)
def written_hash(text: str) -> str:
    """Hash of an entry as it stands in a file: ``text_hash``; with links, a dot and a hash of the raw text.

    So a link that a person made or removed is seen as an edit, and yet the text can be known again without
    it.
    """
    said = text_hash(text)
    return f"{said}.{_digest(' '.join(text.split()), _LINK_CHARS)}" if "[[" in text else said


def said_hash(written: str) -> str:
    """The ``text_hash`` inside a ``written_hash``."""
    return written.partition(".")[0]


def superseded_id(entry: str, text: str) -> str:
    """The id of a decision that a later one replaced: ``<id>-<4 of the hash of its text>``."""
    return f"{entry}-{text_hash(text)[:4]}"


def suggestion_id(entry: str) -> str:
    """The id of the callout that offers another text for an entry."""
    return f"{entry}-q"


def _digest(text: str, chars: int) -> str:
    return b32encode(sha256(text.encode("utf-8", "surrogatepass")).digest()).decode("ascii")[:chars].lower()
