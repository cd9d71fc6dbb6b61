"""Tokens: who may call `memfs up`. The owner's lies in a file only the owner can read; others are kept as hashes."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import InvalidRequest, VaultError
from memfs.vault.files import write_atomic
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.vault.layout import Layout

OWNER = "owner"
PREFIX = "memfs_"
_RECORD = "access"


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token allows: everything (``identity`` None: the owner's), or one identity's memory."""

    id: str
    identity: str | None


@dataclass(frozen=True, slots=True)
class Granted:
    """A token of an identity. ``token`` itself is known only in the moment it is made; ``created`` is ISO 8601."""

    id: str
    identity: str
    name: str
    created: str
    token: str | None = None


def owner_token_file(layout: Layout) -> Path:
    """The file that holds the owner's token: local state, mode 0600."""
    return layout.local / "token"


def owner_token(layout: Layout) -> str:
    """The owner's token; made when there is none.

    Raises:
        VaultError: the file cannot be read, or others can read it.
    """
    path = owner_token_file(layout)
    token = read_owner_token(layout)
    if token is None:
        token = PREFIX + secrets.token_urlsafe(32)
        write_atomic(path, f"{token}\n".encode(), mode=0o600)
    return token


def read_owner_token(layout: Layout) -> str | None:
    """The owner's token; None where none was made yet. Raises VaultError as `owner_token`."""
    path = owner_token_file(layout)
    try:
        if path.stat().st_mode & 0o077:
            raise VaultError("others can read the owner's token", path=str(path), hint=f"chmod 600 {path}")
        return path.read_text(encoding="ascii").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise VaultError("the owner's token cannot be read", path=str(path)) from error


def add_token(vault: Vault, identity: str, *, name: str = "") -> Granted:
    """Make a token that sees only ``identity``; ``name`` says what it is for. Only its hash is kept.

    Raises:
        InvalidRequest: no identity is called so.
    """
    vault.known_identity(identity)
    token = PREFIX + secrets.token_urlsafe(32)
    made = Granted(secrets.token_hex(4), identity, name, vault.now().isoformat(timespec="seconds"), token)
    row = {"identity": identity, "name": name, "created": made.created, "sha256": _digest(token)}
    LocalState(vault.layout).update_record(_RECORD, lambda record: record.update({made.id: row}))
    return made


def list_tokens(vault: Vault) -> tuple[Granted, ...]:
    """The tokens of identities, oldest first, without the tokens themselves."""
    listed = [_granted(id, row) for id, row in LocalState(vault.layout).read_record(_RECORD).items()]
    return tuple(sorted(listed, key=lambda one: (one.created, one.id)))


def remove_token(vault: Vault, id: str) -> None:
    """Make a token worthless at once. ``owner``: the owner's is thrown away, and a new one made when needed.

    Raises:
        InvalidRequest: there is no such token.
    """
    if id == OWNER:
        with suppress(FileNotFoundError):
            os.unlink(owner_token_file(vault.layout))
        return
    if LocalState(vault.layout).update_record(_RECORD, lambda record: record.pop(id, None)) is None:
        raise InvalidRequest(f"no token has the id {id!r}", hint="the list of tokens shows them")


def check_token(layout: Layout, token: str) -> Grant | None:
    """What a token allows; None for one that nobody was given. Raises VaultError."""
    owner = read_owner_token(layout)
    given = _digest(token)
    if owner is not None and hmac.compare_digest(_digest(owner), given):
        return Grant(OWNER, None)
    for id, row in LocalState(layout).read_record(_RECORD).items():
        if hmac.compare_digest(str(row.get("sha256", "")), given):
            return Grant(id, str(row["identity"]))
    return None


def _digest(token: str) -> str:
    # The tokens are random and long, so a plain hash cannot be turned back; no slow one is needed.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _granted(id: str, row: Mapping[str, Any]) -> Granted:
    return Granted(id, str(row["identity"]), str(row["name"]), str(row["created"]))
