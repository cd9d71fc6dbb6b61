"""One job at a time in a thread of its own, so that the loop can follow documents and end while a model thinks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Worker(Generic[T]):
    """Does a job; ``wake`` is called when it is done. The thread ends with the process, whatever it is at."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._answer: T
        self._error: BaseException | None = None

    @property
    def busy(self) -> bool:
        """Whether a job was begun whose result nobody took."""
        return self._thread is not None

    @property
    def done(self) -> bool:
        """Whether the result of a job waits to be taken."""
        return self.busy and self._done.is_set()

    def start(self, job: Callable[[], T]) -> None:
        """Begin a job; the one before must have been taken."""
        self._done.clear()
        self._error = None
        self._thread = threading.Thread(target=self._run, args=(job,), name="memfs-ingest", daemon=True)
        self._thread.start()

    def take(self) -> T:
        """The result of the job that is done. Raises what the job raised."""
        self._thread = None
        if self._error is not None:
            raise self._error
        return self._answer

    def wait(self, seconds: float) -> None:
        """Wait for the job under way, at most so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, job: Callable[[], T]) -> None:
        try:
            self._answer = job()
        except BaseException as error:  # noqa: BLE001  # raised again by `take`, in the loop
            self._error = error
        finally:
            self._done.set()
            self._wake()
