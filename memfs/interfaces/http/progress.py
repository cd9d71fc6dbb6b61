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

    def tell(self, progress: Progress) -> None:
        """Hand on how far a run is."""
        data = {"percent": progress.percent, "identity": progress.identity, "phase": progress.phase}
        with self._lock:
            self._latest = ("progress", data)
            self._send(self._latest)

    def finish(self, result: DailyResult) -> None:
        """Hand on what came of a run, and let the listeners go."""
        data = {
            "extractedCount": result.extracted_count,
            "archivedFiles": result.archived_files,
            "archivedSize": result.archived_size,
            "errors": list(result.errors),
        }
        with self._lock:
            self._send(("done", data))
        self.close()

    def close(self) -> None:
        """Let all listeners go: there is no run any more."""
        with self._lock:
            self._latest = None
            self._send(None)

    async def follow(self) -> AsyncIterator[Event]:
        """The events of the run under way, from the latest on; nothing where none is."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        listener = (asyncio.get_running_loop(), queue)
        with self._lock:
            if self._latest is None:
                return
            queue.put_nowait(self._latest)
            self._listeners.add(listener)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def _send(self, event: Event | None) -> None:
        for loop, queue in self._listeners:
            loop.call_soon_threadsafe(queue.put_nowait, event)
