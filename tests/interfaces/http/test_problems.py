"""Every error is one shape, and every error of memfs has a status."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from memfs import errors
from memfs.errors import MemfsError
from memfs.interfaces.http.guard import MAX_BODY
from memfs.interfaces.http.problems import STATUSES, Problem, problem_of
from tests.interfaces.conftest import edit
from tests.interfaces.http.conftest import Served

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, MemfsError) and kind.__module__ == errors.__name__
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status(kind: type[MemfsError]) -> None:
    assert 400 <= STATUSES[kind] < 600


def test_an_error_tells_all_it_knows() -> None:
    error = errors.InvalidDocument("conflict markers", path="notes.md", line=3, hint="mend it")
    assert problem_of(error) == Problem(
        type="urn:memfs:invalid-document",
        title="Invalid document",
        status=409,
        detail="conflict markers",
        hint="mend it",
        path="notes.md",
        line=3,
    )


def test_an_error_of_a_plug_in_has_the_status_of_the_class_above() -> None:
    class BrokenExport(errors.UnknownFormat):
        """A parser's own."""

    assert problem_of(BrokenExport("x")).type == "urn:memfs:unknown-format"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "/api/nope", None, 404, "not-found"),
        ("PUT", "/api/search", None, 405, "method-not-allowed"),
        ("GET", "/api/search", None, 422, "invalid-request"),
        ("GET", "/api/search?query=x&limit=0", None, 422, "invalid-request"),
        ("GET", "/api/search?query=x&identity=nobody", None, 409, "invalid-request"),
        ("GET", "/api/search?query=x&since=soon", None, 422, "invalid-request"),
        ("GET", "/api/entries/m-aaaaaaaaaaaaa", None, 404, "entry-not-found"),
        ("GET", "/api/show?reference=../../etc/passwd", None, 404, "document-not-found"),
        ("GET", "/api/diff?commit=0000000", None, 404, "commit-not-found"),
        ("POST", "/api/undo", {"commit": "--output=x"}, 404, "commit-not-found"),
        (
            "POST",
            "/api/entries",
            {"text": "x", "type": "nope", "identity": "home-aide"},
            409,
            "invalid-request",
        ),
        ("POST", "/api/entries", {"text": "x", "more": 1}, 422, "invalid-request"),
        ("POST", "/api/entries", {"text": "x"}, 409, "invalid-request"),
        ("POST", "/api/entries", {"text": "x", "identity": "home-aid"}, 409, "invalid-request"),
        ("PUT", "/api/config/nope", {"value": "x"}, 409, "config-error"),
        ("PUT", "/api/config/language", {"value": "xx"}, 409, "config-error"),
    ],
)
def test_what_is_refused(
    served: Served, method: str, path: str, body: object, status: int, kind: str
) -> None:
    answer = served.owner.request(method, path, json=body) if body else served.owner.request(method, path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = Problem.model_validate(answer.json())
    assert (told.status, told.type) == (status, f"urn:memfs:{kind}")
    assert told.detail


def test_what_does_not_fit_is_named(served: Served) -> None:
    told = Problem.model_validate(served.owner.post("/api/entries", json={"type": 3}).json())
    assert {one.place for one in told.wrong or ()} == {"body.text", "body.type"}


@pytest.mark.parametrize(
    ("query", "place", "message"),
    [
        ("query=x&limt=1", "query.limt", "no such parameter; did you mean limit?"),
        ("q=x&query=y", "query.q", "says the same as query: give one"),
        ("q=x&limit=0", "query.limit", "Input should be greater than or equal to 1"),
    ],
)
def test_a_wrong_parameter_is_named(served: Served, query: str, place: str, message: str) -> None:
    answer = served.owner.get(f"/api/search?{query}")
    assert answer.status_code == 422
    assert answer.json()["wrong"] == [{"place": place, "message": message}]


def test_names_that_agents_use_are_taken(served: Served) -> None:
    found = served.owner.get("/api/search", params={"q": "knife delivery", "max_results": 1}).json()
    assert found == served.owner.get("/api/search", params={"query": "knife delivery", "limit": 1}).json()
    assert len(found["hits"]) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [("daily.review", True), ("extract.delay_seconds", 30), ("archive.roots", ["~/a", "~/b"])],
)
def test_settings_are_taken_as_json(served: Served, key: str, value: object) -> None:
    answer = served.owner.put(f"/api/config/{key}", json={"value": value})
    assert answer.json().get("value") == value, answer.text
    wrong = served.owner.put(f"/api/config/{key}", json={"value": 1.5})
    assert (wrong.status_code, wrong.json()["type"]) == (409, "urn:memfs:config-error")


def test_files_are_archived_anywhere_but_in_memfs_own_folders(served: Served, tmp_path: Path) -> None:
    put, route = served.owner.put, "/api/store/file_archive_path"
    assert put(route, json={"value": str(tmp_path / "far")}).json() == {"success": True}
    for taken in ("memories/x", ".git/x", str(tmp_path / ".obsidian")):
        for path in (route, "/api/config/file_archive_path"):
            answer = put(path, json={"value": taken})
            assert (answer.status_code, answer.json()["type"]) == (409, "urn:memfs:unsafe-path"), taken


def test_hints_name_no_option_of_the_command_line(served: Served) -> None:
    told = served.owner.post("/api/entries", json={"text": "x"}).json()
    assert told["hint"] == "name the identity: coding-assistant, home-aide"


def test_no_json_and_too_much_of_it(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b"\xff\xfe", b"[]", b"null"):
        assert served.owner.post("/api/entries", content=body, headers=headers).status_code == 422
    broken = served.owner.post("/api/entries", content=b"{", headers=headers)
    assert (broken.status_code, broken.json()["type"]) == (422, "urn:memfs:invalid-request")
    large = served.owner.post("/api/entries", content=b" " * (MAX_BODY + 1), headers=headers)
    assert (large.status_code, large.json()["type"]) == (413, "urn:memfs:too-large")
    assert large.headers["content-type"] == "application/problem+json"


def test_a_busy_repository_says_when_to_come_again(served: Served, git: object) -> None:
    git(served.vault.top, "switch", "-q", "-c", "other")  # type: ignore[operator]
    answer = served.owner.post("/api/entries", json={"text": "x", "identity": "home-aide"})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:memfs:repository-busy")
    assert answer.headers["retry-after"] == "1"
    assert served.owner.get("/ready").status_code == 503
    assert served.owner.get("/health").status_code == 200


def test_a_document_that_cannot_be_written(served: Served) -> None:
    (entry, *_) = served.owner.get("/api/entries", params={"type": "decisions"}).json()["entries"]
    path = served.vault.top / entry["path"]
    edit(path, "# Decisions\n", "# Decisions\n\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n")
    ids = [
        one["id"]
        for one in served.owner.get("/api/entries").json()["entries"]
        if one["path"] == entry["path"]
    ]
    answer = served.owner.patch(f"/api/entries/{next(filter(None, ids))}", json={"text": "x"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:memfs:invalid-document")
    assert answer.json()["path"] == entry["path"]


def test_a_wrong_method_is_told_all_that_there_are(served: Served) -> None:
    answer = served.owner.put("/api/entries/m-x")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, PATCH")
