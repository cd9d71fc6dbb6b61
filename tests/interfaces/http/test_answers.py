"""Answers have the keys that their models name, no more and no less; so the description is the truth."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.routing import APIRoute

from memfs.interfaces.answers import Answer
from memfs.interfaces.http.routes import ROUTERS
from tests.interfaces.http.conftest import Served

ROUTES = {route.name: route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)}
AIDE = {"identity": "home-aide"}
# A call of each route whose answer is one of our models: query, body. ENTRY and COMMIT stand for real ones.
CALLS: dict[str, tuple[dict[str, Any], Any]] = {
    "search": ({"query": "tide cache last week"}, None),
    "similar": ({}, None),
    "links": ({}, None),
    "context": (AIDE, None),
    "list": ({}, None),
    "entry": ({}, None),
    "show": ({"reference": "ENTRY"}, None),
    "edit": ({}, {"text": "Edited"}),
    "remember": ({}, {"text": "Kept", **AIDE}),
    "why": ({}, None),
    "log": ({}, None),
    "diff": ({}, None),
    "push": ({}, {"turns": [{"id": "m-1", "role": "user", "text": "We decided to take DuckDB."}], **AIDE}),
    "ingest": ({}, None),
    "retry": ({}, None),
    "review": ({}, None),
    "redact": ({"scan": True}, None),
    "relay_add": ({}, {"text": "Took the meter's number, Ana has it", "channel": "cli", **AIDE}),
    "relay_show": (AIDE, None),
    "archive": ({"dry_run": True}, None),
    "status": ({}, None),
    "identities": ({}, None),
    "types": ({}, None),
    "config": ({}, None),
    "set_config": ({}, {"value": "30"}),
    "check": ({}, None),
    "reindex": ({}, None),
    "token_add": ({}, AIDE),
    "token_list": ({}, None),
    "health": ({}, None),
    "ready": ({}, None),
    "undo": ({}, {"commit": "COMMIT"}),
    "forget": ({}, None),
}
# Answered by models that forbid anything else, or tested where what they need is made.
ELSEWHERE = {
    "daily",
    "daily_status",
    "daily_events",
    "file_archive_path",
    "metrics",
    "move",
    "accept",
    "reject",
    "token_remove",
}


def test_every_route_is_called() -> None:
    assert set(ROUTES) == set(CALLS) | ELSEWHERE


def test_answers_are_what_their_models_say(served: Served) -> None:
    kept = served.owner.post("/api/entries", json={"text": "The meter stands in the hall", **AIDE}).json()
    for name, (query, body) in CALLS.items():
        route = ROUTES[name]
        path = route.path.format(entry=kept["id"], session="s", key="extract.delay_seconds")
        asked = {key: kept["id"] if value == "ENTRY" else value for key, value in query.items()}
        told = {"commit": kept["commit"]} if name == "undo" else body
        raw = served.owner.request(next(iter(route.methods)), path, params=asked, json=told)
        assert raw.status_code in (200, 201), (name, raw.text)
        model = route.response_model
        assert isinstance(model, type)
        assert issubclass(model, Answer), name
        assert_no_more(model.model_validate(raw.json()), name)


def assert_no_more(value: Answer, where: str) -> None:
    """The model names every key, all the way down."""
    assert not value.model_extra, (where, value.model_extra)
    for field in type(value).model_fields:
        inner = getattr(value, field)
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, Answer):
                assert_no_more(one, f"{where}.{field}")


@pytest.mark.parametrize("name", ["accept", "reject"])
def test_what_is_offered_can_be_taken_or_not(served: Served, name: str) -> None:
    offered = [
        one for one in served.owner.get("/api/entries").json()["entries"] if one["status"] == "suggestion"
    ]
    entry = offered[0]["id"].removesuffix("-q")
    changed = served.owner.post(f"/api/entries/{entry}/{name}").json()
    assert changed["action"] == name
    assert changed["commit"]
    assert served.owner.post(f"/api/entries/{entry}/{name}").status_code == 404
