"""Which names may become files and folders: safe ids, slugs of titles, protected names.

Pure functions on text; the disk is `paths`' business.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from memfs.errors import UnsafePath

MAX_SLUG_BYTES = 80
MAX_NAME_BYTES = 255
PROTECTED = frozenset({".git", ".memfs", ".obsidian"})
OWN_RECORDS = frozenset({".ledger", ".cursors", ".forgotten"})

_SAFE = re.compile(r"[A-Za-z0-9_.@-]+")
_EXTENSION = re.compile(r"(?<=[^.])\.[A-Za-z0-9]{1,8}\Z")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])\Z")
_SHORT_NAME = re.compile(r"(?:git|memfs|obsidi|gi[0-9a-f]{4}|me[0-9a-f]{4}|ob[0-9a-f]{4})~[0-9]+\Z")
_ENCODED = re.compile(r"%(?:2e|2f|5c|00)", re.IGNORECASE)
_SLASHES = re.compile(r"[/\\\u2044\u2215\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]")
# Code points that file systems or readers drop (HFS+ takes ".g<ZWNJ>it" for ".git").
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def nfc(text: str) -> str:
    """The form in which names are compared; files are opened under the name that is on disk."""
    return unicodedata.normalize("NFC", text)


def safe_name(name: str) -> str:
    """``name`` itself when it may name an identity or a peer.

    Allowed: ``[A-Za-z0-9_.@-]+``, one ``@``, no dot at either end, nothing reserved. Raises UnsafePath.
    """
    if not _SAFE.fullmatch(name) or name.count("@") > 1 or name.strip(".") != name:
        raise UnsafePath(
            f"{name!r} cannot name an identity or peer",
            hint="use letters a-z, digits, '_', '-', '.', at most one '@', no dot at either end, as in home-assistant",
        )
    _refuse_reserved(name, name)
    return name


def is_safe_name(name: str) -> bool:
    """Whether `safe_name` lets ``name`` through."""
    try:
        safe_name(name)
    except UnsafePath:
        return False
    return True


def slug(title: str, *, extension: str = "", taken: Iterable[str] = ()) -> str:
    """A file name for a title: letters of any script, at most 80 bytes with ``extension`` (``".md"``).

    The title's own extension is kept when it must be cut. ``taken`` are names in use, compared without case;
    a cut, colliding or reserved name gets eight characters of the title's hash.
    """
    used = {_fold(name) for name in taken}
    budget = MAX_SLUG_BYTES - len(extension.encode())
    plain = _slug_characters(title)
    if plain and len(plain.encode()) <= budget and not _is_reserved(plain):
        name = plain + extension
        if _fold(name) not in used:
            return name
    for attempt in range(len(used) + 1):
        digest = hashlib.sha256(f"{nfc(title)}\0{attempt or ''}".encode("utf-8", "surrogatepass")).hexdigest()
        name = _with_suffix(plain or "untitled", f"-{digest[:8]}", budget) + extension
        if _fold(name) not in used:
            break
    return name


def check_relative(path: str, *, hidden: frozenset[str] = OWN_RECORDS) -> tuple[str, ...]:
    """The parts of a vault-relative POSIX path, when every one may be written.

    ``hidden`` are the dot names allowed (exactly as spelled). Raises UnsafePath.
    """
    if not path or path.startswith(("/", "~")) or "\\" in path or re.match(r"[A-Za-z]:(?! )", path):
        raise _unsafe(path, "is not a path relative to the vault")
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in path) or _ENCODED.search(path):
        raise _unsafe(path, "holds characters that no document name has")
    parts = tuple(path.split("/"))
    for part in parts:
        if part in ("", ".", "..") or len(part.encode()) > MAX_NAME_BYTES:
            raise _unsafe(path, "has an empty, '.', '..' or overlong part")
        if part not in hidden:
            _refuse_reserved(part, path)
    return parts


def is_protected(part: str) -> bool:
    """Whether a path part is ``.git``, ``.memfs`` or ``.obsidian`` in some case or disguise."""
    for piece in _SLASHES.split(_fold(part)):
        bare = piece.split(":")[0].rstrip(". ")
        if bare in PROTECTED or _SHORT_NAME.match(bare):
            return True
    return False


def _refuse_reserved(part: str, path: str) -> None:
    if is_protected(part):
        raise _unsafe(path, "names a folder that memfs never writes in")
    if any(piece.strip() in (".", "..") for piece in _SLASHES.split(_fold(part))):
        raise _unsafe(path, "climbs out of its folder")
    if _fold(part).startswith("."):
        raise _unsafe(path, "is hidden")
    if part != part.rstrip(". "):
        raise _unsafe(path, "has a part that ends in a dot or space")
    if _is_device(part):
        raise _unsafe(path, "is a reserved device name")


def _unsafe(path: str, why: str) -> UnsafePath:
    return UnsafePath(f"{path[:200]!r} {why}", hint="choose another name")


def _fold(part: str) -> str:
    visible = _IGNORABLE.sub("", part)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return _IGNORABLE.sub("", folded)


def _is_device(part: str) -> bool:
    return bool(_DEVICE.match(re.split(r"[.:]", _fold(part))[0].rstrip()))


def _is_reserved(name: str) -> bool:
    return _is_device(name) or is_protected(name)


def _slug_characters(title: str) -> str:
    text = nfc(nfc(_IGNORABLE.sub("", title)).lower())
    kept = (c if c in "._@-" or unicodedata.category(c)[0] in "LNM" else "-" for c in text)
    # Of a run of dashes and dots the last one decides: "Dr. Smith" -> dr-smith, "plan - .pdf" -> plan.pdf.
    return re.sub(r"[-.]*([-.])", r"\1", "".join(kept)).strip("-.")


def _with_suffix(plain: str, suffix: str, budget: int) -> str:
    found = _EXTENSION.search(plain)
    own = found.group() if found else ""
    stem = plain[: len(plain) - len(own)]
    room = budget - len((suffix + own).encode())
    cut = stem.encode()[:room].decode("utf-8", "ignore").rstrip("-.")
    return f"{cut}{suffix}{own}"
