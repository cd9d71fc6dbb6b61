"""The door: no route answers a wrong host, a wrong origin, no token or a wrong token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memfs.interfaces.http.app import describe, routes_of
from memfs.services.opening import open_vault
from memfs.services.tokens import owner_token, owner_token_file, remove_token
from tests.interfaces.http.conftest import Served, build, client

WRONG = {
    "wrong host": ({"Host": "evil.example.org"}, 421),
    "wrong port": ({"Host": "127.0.0.1:1"}, 421),
    "no port": ({"Host": "127.0.0.1"}, 421),
    "wrong origin": ({"Origin": "https://evil.example.org"}, 403),
    "null origin": ({"Origin": "null"}, 403),
    "no token": ({"Authorization": ""}, 401),
    "wrong token": ({"Authorization": "Bearer memfs_wrong"}, 401),
    "another scheme": ({"Authorization": "Basic b3duZXI6eA=="}, 401),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_every_route_refuses(served: Served, wrong: str) -> None:
    headers, status = WRONG[wrong]
    routes = routes_of(served.app)
    assert len(routes) > 30
    for method, path in routes:
        answer = served.owner.request(method, re.sub(r"\{\w+\}", "x", path), headers=headers)
        assert answer.status_code == status, (method, path)
        if method != "HEAD":
            assert answer.headers["content-type"] == "application/problem+json", (method, path)
            assert answer.json()["status"] == status


def test_the_list_of_routes_is_that_of_the_description_and_mcp(served: Served) -> None:
    described = describe(served.app.app)["paths"]
    told = {(method.upper(), path) for path, methods in described.items() for method in methods}
    mcp = {("GET", "/mcp"), ("HEAD", "/mcp"), ("POST", "/mcp"), ("DELETE", "/mcp")}
    assert set(routes_of(served.app)) == told | mcp


def test_an_unknown_path_is_behind_the_door_too(served: Served) -> None:
    assert served.owner.get("/nope").status_code == 404
    assert served.owner.get("/nope", headers={"Authorization": ""}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "localhost:8767"},
        {"Host": "[::1]:8767"},
        {"Host": "memory.example.org"},
        {"Host": "LOCALHOST:8767"},
        {"Origin": "http://localhost:8767"},
        {"Origin": "https://notes.example.org"},
    ],
)
def test_names_and_pages_that_may(served: Served, headers: dict[str, str]) -> None:
    assert served.owner.get("/health", headers=headers).status_code == 200


def test_two_hosts_are_none(served: Served) -> None:
    hosts = [("Host", "127.0.0.1:8767"), ("Host", "evil.example.org")]
    token = ("Authorization", f"Bearer {served.owner_token}")
    assert served.owner.request("GET", "/health", headers=[*hosts, token]).status_code == 421


def test_a_page_that_may_can_ask_first_and_read_the_answer(served: Served) -> None:
    asks = {
        "Origin": "https://notes.example.org",
        "Access-Control-Request-Method": "PATCH",
        "Authorization": "",
    }
    first = served.owner.options("/api/entries/m-x", headers=asks)
    assert first.status_code == 204
    assert "PATCH" in first.headers["access-control-allow-methods"]
    answer = served.owner.get("/health", headers={"Origin": "https://notes.example.org"})
    assert answer.headers["access-control-allow-origin"] == "https://notes.example.org"
    other = {**asks, "Origin": "https://evil.example.org"}
    refused = served.owner.options("/health", headers=other)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


def test_a_removed_token_is_worthless_at_once(served: Served) -> None:
    assert served.aide.get("/health").status_code == 200
    (made,) = served.owner.get("/api/tokens").json()["tokens"]
    assert served.owner.delete(f"/api/tokens/{made['id']}").status_code == 200
    assert served.aide.get("/health").status_code == 401
    remove_token(served.vault, "owner")
    assert served.owner.get("/health").status_code == 401


def test_an_owners_token_that_others_can_read_lets_nobody_in(vault: Path) -> None:
    opened = open_vault(vault)
    token = owner_token(opened.layout)
    owner_token_file(opened.layout).chmod(0o640)
    answer = client(build(opened)[1], token).get("/health")
    assert answer.status_code == 500
    assert "others can read" in answer.json()["detail"]


def test_answers_are_kept_by_no_cache(served: Served) -> None:
    answer = served.owner.get("/api/identities")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
