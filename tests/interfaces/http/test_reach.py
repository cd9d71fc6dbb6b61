"""An identity's token reaches that identity's memory, and nothing of another's by any route."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from memfs.interfaces.http.app import describe
from tests.interfaces.http.conftest import Served

SECRET = "The vault key of the coder hangs behind the map"
OWN = "The boiler of the aide is serviced in May"
# What only the owner may do.
OWNERS = {
    "move",
    "config",
    "set_config",
    "ingest",
    "retry",
    "check",
    "reindex",
    "token_list",
    "token_add",
    "token_remove",
    "metrics",
    "daily",
    "archive",
    "review",
    "redact",
    "daily_events",
    "file_archive_path",
}


@pytest.fixture
def secret(served: Served) -> dict[str, Any]:
    """A memory of another identity; the aide has one of its own too."""
    for text, identity in ((OWN, "home-aide"), (SECRET, "coding-assistant")):
        made = served.owner.post("/api/entries", json={"text": text, "identity": identity})
        assert made.status_code == 201
    return dict(made.json())


def operations(served: Served) -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        told["operationId"]: (method.upper(), path, told)
        for path, methods in describe(served.app.app)["paths"].items()
        for method, told in methods.items()
    }


def test_no_route_tells_an_identity_of_another(served: Served, secret: dict[str, Any]) -> None:
    """Every route, called as the aide, with the other's ids, documents, commits and name."""
    values = {
        "entry": secret["id"],
        "id": "x",
        "key": "language",
        "session": "s",
        "identity": "coding-assistant",
    }
    for name, (method, path, told) in operations(served).items():
        for reference in (secret["id"], secret["path"], "notes", Path(secret["path"]).name):
            query = {
                one["name"]: given
                for one in told.get("parameters", ())
                if one["in"] == "query" and (given := _given(one["name"], secret, reference)) is not None
            }
            for drop in (set(), {"identity"}):
                asked = {key: value for key, value in query.items() if key not in drop}
                body = _body(name, secret) if method in ("POST", "PUT", "PATCH") else None
                answer = served.aide.request(method, path.format(**values), params=asked, json=body)
                assert "vault key" not in answer.text, (name, asked)
                assert "coding-assistant" not in answer.text.replace(reference, ""), (name, asked)
    assert SECRET in served.owner.get(f"/api/entries/{secret['id']}").json()["text"]


def _given(name: str, secret: dict[str, Any], reference: str) -> Any:
    return {
        "query": "vault key map",
        "message": "where does the vault key hang",
        "reference": reference,
        "identity": "coding-assistant",
        "commit": secret["commit"],
        "path": "memories/coding-assistant",
    }.get(name)


def _body(name: str, secret: dict[str, Any]) -> dict[str, Any] | None:
    identity = "coding-assistant"
    return {
        "remember": {"text": "x", "identity": identity},
        "edit": {"text": "x"},
        "move": {"to": "home-aide"},
        "undo": {"commit": secret["commit"]},
        "push": {"identity": identity, "turns": [{"id": "m", "role": "user", "text": "x"}]},
        "relay_add": {"identity": identity, "text": "x", "channel": "cli"},
        "token_add": {"identity": identity},
        "set_config": {"value": "zh"},
        "file_archive_path": {"value": "x"},
    }.get(name)


def test_only_the_owner_may(served: Served, secret: dict[str, Any]) -> None:
    found = operations(served)
    assert OWNERS & found.keys() == OWNERS
    for name in OWNERS:
        method, path, _ = found[name]
        body = _body(name, secret)
        answer = served.aide.request(method, path.format(entry="m-x", id="x", key="language"), json=body)
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:memfs:not-permitted"), name


@pytest.mark.usefixtures("secret")
def test_an_identity_does_with_its_own_what_it_likes(served: Served) -> None:
    aide = served.aide
    (hit, *_) = aide.get("/api/search", params={"query": "boiler"}).json()["hits"]
    assert hit["text"] == OWN
    entry = hit["id"]
    assert aide.get(f"/api/entries/{entry}").json()["identity"] == "home-aide"
    assert OWN in aide.get("/api/show", params={"reference": entry}).json()["text"]
    assert OWN in aide.get("/api/show", params={"reference": "notes"}).json()["text"]
    assert OWN in aide.get("/api/show", params={"reference": hit["path"]}).json()["text"]
    assert aide.get(f"/api/entries/{entry}/why").json()["entry"]["id"] == entry
    assert aide.get("/api/identities").json() == {"identities": ["home-aide"]}
    assert {one["identity"] for one in aide.get("/api/entries").json()["entries"]} == {"home-aide"}
    changed = aide.patch(f"/api/entries/{entry}", json={"text": "Serviced in June"}).json()
    assert "June" in aide.get("/api/diff", params={"commit": changed["commit"]}).json()["patch"]
    assert aide.post("/api/undo", json={"commit": changed["commit"]}).json()["commit"]
    assert aide.delete(f"/api/entries/{entry}").status_code == 200
    assert (
        aide.post("/api/entries", json={"text": "A new thing"})
        .json()["path"]
        .startswith("memories/home-aide/")
    )


def test_another_ones_entry_is_as_if_it_were_not_there(served: Served, secret: dict[str, Any]) -> None:
    for path in ("/api/entries/{}", "/api/entries/{}/why"):
        theirs, nobodys = (served.aide.get(path.format(id)) for id in (secret["id"], "m-aaaaaaaaaaaaa"))
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.json()["detail"].replace(secret["id"], "") == nobodys.json()["detail"].replace(
            "m-aaaaaaaaaaaaa", ""
        )
        assert theirs.json()["hint"] == nobodys.json()["hint"]


def test_what_identity_md_reads_is_seen_and_not_changed(served: Served, secret: dict[str, Any]) -> None:
    path = served.vault.layout.document("home-aide", "identity.md")
    text = path.read_text()
    assert text.startswith("---\n")
    path.write_text(text.replace("---\n", "---\nreads: [coding-assistant]\n", 1))
    (hit, *_) = served.aide.get("/api/search", params={"query": "vault key map"}).json()["hits"]
    assert hit["text"] == SECRET
    assert served.aide.get(f"/api/entries/{secret['id']}").status_code == 200
    assert served.aide.patch(f"/api/entries/{secret['id']}", json={"text": "x"}).status_code == 404
    assert served.aide.delete(f"/api/entries/{secret['id']}").status_code == 404


@pytest.mark.usefixtures("secret")
def test_the_past_and_commits_of_several_are_the_owners(served: Served) -> None:
    assert served.aide.get("/api/show", params={"reference": "notes", "at": "2026-11-30"}).status_code == 403
    entry = served.owner.get("/api/search", params={"query": "boiler"}).json()["hits"][0]["id"]
    moved = served.owner.post(f"/api/entries/{entry}/move", json={"to": "coding-assistant"}).json()
    assert served.aide.get("/api/diff", params={"commit": moved["commit"]}).status_code == 404
    assert served.aide.post("/api/undo", json={"commit": moved["commit"]}).status_code == 404


def test_the_owner_reaches_all(served: Served, secret: dict[str, Any]) -> None:
    owner: TestClient = served.owner
    assert set(owner.get("/api/identities").json()["identities"]) == {"coding-assistant", "home-aide"}
    assert owner.get("/api/search", params={"query": "vault key"}).json()["hits"][0]["text"] == SECRET
    told = owner.get("/api/show", params={"reference": secret["path"], "at": secret["commit"]})
    assert SECRET in told.json()["text"]
