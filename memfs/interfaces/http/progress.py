"""How far the daily run is, told to whoever listens while it runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.services.daily import DailyResult, Progress

Event = tuple[str, Mapping[str, Any]]
_Listener = tuple[asyncio.AbstractEventLoop, "asyncio.Queue[Event | None]"]


class ProgressHub:
    """Takes the progress of runs from any thread, and hands it to listeners in the server's loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: set[_Listener] = set()
        self._latest: Event | None = None
        self._ended = False

    def tell(self, progress: Progress) -> None:
        """Hand on how far a run is."""
        data = {"percent": progress.percent, "identity": progress.identity, "phase": progress.phase}
        with self._lock:
            self._latest = ("progress", data)
            self._send(self._latest)

    def finish(self, result: DailyResult) -> None:
        """Hand on what came of the run under way, and let its listeners go; those who wait for one wait on."""
        self._close(
            {
                "extractedCount": result.extracted_count,
                "archivedFiles": result.archived_files,
                "archivedSize": result.archived_size,
                "errors": list(result.errors),
            }
        )

    def fail(self, reason: str) -> None:
        """Hand on that the run under way broke off."""
        self._close({"extractedCount": 0, "archivedFiles": 0, "archivedSize": 0, "errors": [reason]})

    def end(self) -> None:
        """Let all listeners go, and take no more: the server stops."""
        with self._lock:
            self._ended, self._latest = True, None
            self._send(None)

    async def follow(self) -> AsyncIterator[Event]:
        """The events of the run under way, from the latest on, else of the next one: `waiting` is first then."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        listener = (asyncio.get_running_loop(), queue)
        with self._lock:
            if self._ended:
                return
            queue.put_nowait(self._latest or ("waiting", {}))
            self._listeners.add(listener)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def _close(self, data: Mapping[str, Any]) -> None:
        with self._lock:
            if self._latest is None:  # told already, or nothing was begun: nobody follows it
                return
            self._latest = None
            self._send(("done", data))
            self._send(None)

    def _send(self, event: Event | None) -> None:
        for loop, queue in self._listeners:
            loop.call_soon_threadsafe(queue.put_nowait, event)
