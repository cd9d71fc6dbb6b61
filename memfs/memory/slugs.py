"""File names from titles, and which names of peers are safe as they are."""

from __future__ import annotations

import re
import unicodedata
from base64 import b32encode
from hashlib import sha256

from memfs.memory.ids import normalise_key

_MAX_BYTES = 80
_SAFE_PEER = re.compile(r"[A-Za-z0-9_.@-]+")
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$|clock\$)(?:\..*)?", re.IGNORECASE
)


def slug(title: str) -> str:
    """A file name for a title: lower case, NFC, letters and digits of every script, ``-`` between words.

    At most 80 bytes. A hash of the title is added where the slug does not say the whole key of the title
    ("C++" and "C", cut titles, device names), so that two different titles never share a file, without
    looking at the disk.
    """
    lowered = unicodedata.normalize("NFC", title.casefold())
    letters = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in lowered)
    name = "-".join(letters.split())
    cut = _cut(name, _MAX_BYTES)
    key = normalise_key(title)
    if cut and normalise_key(cut) == key and not _DEVICE.fullmatch(cut):
        return cut
    mark = b32encode(sha256(key.encode("utf-8", "surrogatepass")).digest()).decode("ascii")[:6].lower()
    return f"{_cut(cut, _MAX_BYTES - 7) or 'x'}-{mark}"


def ascii_slug(title: str) -> str:
    """The ASCII letters and digits of a title, accents taken off, as a name; "" where there are none."""
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode("ascii")
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:_MAX_BYTES].rstrip("-")


def safe_peer(name: str) -> bool:
    """Whether a peer's id can be used as it is: see spec, "Safe id"."""
    return (
        _SAFE_PEER.fullmatch(name) is not None
        and name not in (".", "..")
        and name.count("@") <= 1
        and _DEVICE.fullmatch(name) is None
    )


def peer_id(name: str) -> str:
    """The id of a peer, a folder's name: the name where it is safe and not hidden, else its slug."""
    trimmed = name.strip()
    return trimmed if safe_peer(trimmed) and trimmed.strip(".") == trimmed else slug(trimmed)


def _cut(name: str, limit: int) -> str:
    return name.encode("utf-8", "ignore")[:limit].decode("utf-8", "ignore").rstrip("-")
