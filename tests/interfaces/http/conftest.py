"""The application over a copy of the filled vault, called in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memfs.interfaces.http.app import create_app
from memfs.interfaces.http.calling import Shared
from memfs.interfaces.http.guard import Guard, Names
from memfs.interfaces.mcp.mounted import mount_mcp
from memfs.interfaces.vaults import Vaults
from memfs.services.opening import Vault, open_vault
from memfs.services.tokens import add_token, owner_token

URL = "http://127.0.0.1:8767"


@dataclass(frozen=True)
class Served:
    """A served vault. Clients are the owner's, and one that sees only an identity."""

    vault: Vault
    shared: Shared
    app: Guard
    owner: TestClient
    aide: TestClient
    owner_token: str
    aide_token: str


def build(vault: Vault) -> tuple[Shared, Guard]:
    """The application as `memfs up` builds it."""
    shared = Shared(Vaults(vault))
    names = Names.of("127.0.0.1", 8767, ("memory.example.org",), ("https://notes.example.org",))
    return shared, create_app(shared, names, further=[mount_mcp(shared.vaults)])


def client(app: Guard, token: str | None) -> TestClient:
    """A client with a token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(app, base_url=URL, headers=headers, raise_server_exceptions=False)


@pytest.fixture
def served(vault: Path) -> Iterator[Served]:
    opened = open_vault(vault)
    shared, app = build(opened)
    owner, aide = owner_token(opened.layout), add_token(opened, "home-aide").token or ""
    with client(app, owner) as running:
        yield Served(opened, shared, app, running, client(app, aide), owner, aide)
