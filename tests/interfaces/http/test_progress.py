"""Following the daily run: events as they come, the latest first for who comes late, and an end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from memfs.interfaces.http.progress import ProgressHub
from memfs.services.daily import DailyResult, Progress
from tests.interfaces.http.conftest import Served


def test_listeners_get_what_comes_and_are_let_go() -> None:
    async def run() -> tuple[list[Any], list[Any]]:
        hub = ProgressHub()
        hub.tell(Progress(0, None, "extraction"))
        early = asyncio.create_task(collect(hub))
        await asyncio.sleep(0)
        await asyncio.to_thread(hub.tell, Progress(10, "aide", "extraction"))
        await asyncio.sleep(0)
        late = asyncio.create_task(collect(hub))
        await asyncio.sleep(0)
        await asyncio.to_thread(hub.finish, DailyResult(1, 2, 300, ("x",)))
        return await early, await late

    early, late = asyncio.run(run())
    done = ("done", {"extractedCount": 1, "archivedFiles": 2, "archivedSize": 300, "errors": ["x"]})
    tenth = ("progress", {"percent": 10, "identity": "aide", "phase": "extraction"})
    assert early == [("progress", {"percent": 0, "identity": None, "phase": "extraction"}), tenth, done]
    assert late == [tenth, done]


async def collect(hub: ProgressHub) -> list[Any]:
    return [event async for event in hub.follow()]


def test_who_comes_before_a_run_waits_for_it() -> None:
    async def run() -> list[Any]:
        hub = ProgressHub()
        early = asyncio.create_task(collect(hub))
        await asyncio.sleep(0)
        await asyncio.to_thread(
            hub.finish, DailyResult()
        )  # of one that had nothing to do: it is not followed
        await asyncio.to_thread(hub.tell, Progress(0, None, "extraction"))
        await asyncio.to_thread(hub.fail, "broke off")
        return await early

    waiting, progress, (name, data) = asyncio.run(run())
    assert waiting == ("waiting", {})
    assert progress[0] == "progress"
    assert (name, data["errors"]) == ("done", ["broke off"])


def test_all_are_let_go_when_the_server_stops() -> None:
    async def run() -> list[Any]:
        hub = ProgressHub()
        waiting = asyncio.create_task(collect(hub))
        await asyncio.sleep(0)
        await asyncio.to_thread(hub.end)
        return [await waiting, await collect(hub)]

    assert asyncio.run(run()) == [[("waiting", {})], []]


def test_the_route_sends_events_of_a_run(served: Served) -> None:
    """A run under way in another thread: its listener gets the events, and the stream ends with the run."""
    served.shared.progress.tell(Progress(0, None, "extraction"))
    lines = []
    with served.owner.stream("GET", "/api/memory/extract-events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            lines.append(line)
            if line.startswith("data:") and '"percent"' in line:
                served.shared.finish_daily(DailyResult(extracted_count=2))
    told = [line for line in lines if line.startswith(("event:", "data:"))]
    page = (Path(__file__).parents[3] / "docs" / "serving.md").read_text(encoding="utf-8")
    example = page.partition("api/memory/extract-events\nevent: waiting\ndata: {}\n")[2].partition("```")[0]
    assert told == [line for line in example.splitlines() if line], "as the page shows it"
