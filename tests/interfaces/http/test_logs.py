"""What the log of `memfs up` tells of errors: where in the code, and nothing that a request said."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from memfs.errors import InvalidRequest
from memfs.interfaces.http.logs import EventLog, describe_error


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_fault_of_memfs_is_told_by_its_kind_and_its_place() -> None:
    line = describe_error(raised(KeyError("what a person said")))
    assert line.startswith("KeyError at test_logs.py:")
    assert "person" not in line


def test_an_error_with_words_of_its_own_is_told_by_them() -> None:
    assert describe_error(raised(InvalidRequest("no identity is called x"))) == "no identity is called x"


def test_the_reason_follows_what_a_library_says() -> None:
    lines: list[str] = []
    EventLog(lines.append, lambda: datetime(2026, 3, 14, tzinfo=UTC), as_json=True).follow_libraries()
    logging.getLogger("uvicorn.error").error(
        "Exception in ASGI application\n", exc_info=raised(ValueError("secret"))
    )
    (event,) = map(json.loads, lines)
    assert event["event"].startswith("Exception in ASGI application: ValueError at test_logs.py:")
    assert "secret" not in lines[0]
