"""The log of `memfs up`: a line per event, for people or as JSON; what libraries warn of goes there too."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

from memfs.errors import MemfsError

Level = Literal["info", "warning", "error"]
_LIBRARIES = ("uvicorn.error", "mcp", "asyncio")
_PLACES = 6  # of a traceback, the innermost


class EventLog:
    """Writes events, from any thread. ``write`` takes one line; ``now`` is the person's clock."""

    def __init__(self, write: Callable[[str], object], now: Callable[[], datetime], *, as_json: bool) -> None:
        self._write, self._now, self._as_json = write, now, as_json
        self._lock = threading.Lock()

    def say(self, area: str, text: str, *, level: Level = "info", **fields: Any) -> None:
        """Write one event. ``area`` is the part of the server that says it; ``fields`` are for programs."""
        line = self._json(area, text, level, fields) if self._as_json else self._plain(area, text, level)
        with self._lock:
            self._write(line)

    def _json(self, area: str, text: str, level: Level, fields: dict[str, Any]) -> str:
        time = self._now().isoformat(timespec="milliseconds")
        return json.dumps({"time": time, "level": level, "area": area, "event": text, **fields})

    def _plain(self, area: str, text: str, level: Level) -> str:
        time = self._now().strftime("%Y-%m-%d %H:%M:%S")
        mark = "" if level == "info" else f"{level}: "
        return f"{time} {area}: {mark}{text}"

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note an answered request: every one as JSON, for people only what went wrong in the server."""
        if not self._as_json and status < 500:
            return
        level: Level = "error" if status >= 500 else "info"
        told = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
        self.say("http", f"{method} {route} {status}", level=level, **told)

    def follow_libraries(self) -> None:
        """Take in what the libraries warn of; they print nothing themselves."""
        for name in _LIBRARIES:
            logger = logging.getLogger(name)
            logger.handlers = [_Handler(self)]
            logger.setLevel(logging.WARNING)
            logger.propagate = False


class _Handler(logging.Handler):
    """Hands records of `logging` on. Requests' contents are never in them."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        said = record.getMessage().strip().partition("\n")[0]
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        self._log.say(
            record.name.partition(".")[0], f"{said}: {describe_error(error)}" if error else said, level=level
        )


def describe_error(error: BaseException) -> str:
    """An error in one line; of one that is a fault of memfs, where in the code it was raised.

    The words of such an error may hold what a request said, so only its kind is told.
    """
    if isinstance(error, MemfsError):
        return error.message
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
    return f"{type(error).__name__} at {' < '.join(reversed(places[-_PLACES:]))}"
