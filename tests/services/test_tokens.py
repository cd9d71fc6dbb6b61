"""Tokens: the owner's in a file of its own, identities' as hashes; worthless as soon as they are removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import InvalidRequest, UnsafePath, VaultError
from memfs.services.opening import Vault
from memfs.services.tokens import (
    Grant,
    add_token,
    check_token,
    list_tokens,
    owner_token,
    owner_token_file,
    remove_token,
)
from tests.services.vaults import new_vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "vault", "aide", "coder")


def test_the_owners_token_is_made_once_and_only_the_owner_can_read_it(vault: Vault) -> None:
    token = owner_token(vault.layout)
    assert owner_token(vault.layout) == token
    assert owner_token_file(vault.layout).stat().st_mode & 0o777 == 0o600
    assert vault.layout.git_dir in owner_token_file(vault.layout).parents
    assert check_token(vault.layout, token) == Grant("owner", None)


def test_a_file_that_others_can_read_is_not_used(vault: Vault) -> None:
    token = owner_token(vault.layout)
    owner_token_file(vault.layout).chmod(0o644)
    with pytest.raises(VaultError, match="others can read"):
        check_token(vault.layout, token)


def test_an_identitys_token_is_kept_as_a_hash(vault: Vault) -> None:
    made = add_token(vault, "aide", name="phone")
    assert made.token is not None
    assert check_token(vault.layout, made.token) == Grant(made.id, "aide")
    for path in vault.layout.local.rglob("*"):
        assert path.is_dir() or made.token.encode() not in path.read_bytes()
    (listed,) = list_tokens(vault)
    assert (listed.id, listed.identity, listed.name, listed.token) == (made.id, "aide", "phone", None)


def test_a_removed_token_is_worthless(vault: Vault) -> None:
    made, other = add_token(vault, "aide"), add_token(vault, "coder")
    remove_token(vault, made.id)
    assert check_token(vault.layout, made.token or "") is None
    assert check_token(vault.layout, other.token or "") == Grant(other.id, "coder")
    token = owner_token(vault.layout)
    remove_token(vault, "owner")
    assert check_token(vault.layout, token) is None
    assert owner_token(vault.layout) != token


@pytest.mark.parametrize("token", ["", "memfs_", "owner", "é", "\ud800"])
def test_anything_else_is_no_token(vault: Vault, token: str) -> None:
    owner_token(vault.layout)
    add_token(vault, "aide")
    assert check_token(vault.layout, token) is None


def test_tokens_of_nobody(vault: Vault) -> None:
    with pytest.raises(InvalidRequest, match="no identity is called"):
        add_token(vault, "stranger")
    with pytest.raises(UnsafePath):
        add_token(vault, "../aide")
    with pytest.raises(InvalidRequest, match="no token has the id"):
        remove_token(vault, "nope")
    assert check_token(vault.layout, "x") is None
