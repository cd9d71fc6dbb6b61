"""`memfs up`: one process that watches, keeps the schedule, and serves HTTP and MCP, until it is told to stop."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from memfs import __version__
from memfs.daemon import watch
from memfs.daemon.schedule import follow_schedule
from memfs.errors import InvalidRequest
from memfs.interfaces.http.app import create_app
from memfs.interfaces.http.calling import Shared
from memfs.interfaces.http.guard import Names
from memfs.interfaces.http.logs import describe_error
from memfs.interfaces.mcp.mounted import mount_mcp
from memfs.interfaces.vaults import Vaults, apart
from memfs.services.serving import Serving, announce_serving, only_watch
from memfs.services.tokens import owner_token

if TYPE_CHECKING:
    from types import FrameType

    from memfs.interfaces.http.logs import EventLog
    from memfs.services.opening import Vault

STOP_SECONDS = 4.5  # within which all has ended after the word to stop
_GRACEFUL_SECONDS = 2  # of these, for requests under way


def run_up(
    vault: Vault, *, log: EventLog, host: str | None = None, port: int | None = None, stop: threading.Event
) -> None:
    """Serve a vault until ``stop`` is set or a signal comes; what is under way then is ended or left to the next start.

    ``host`` and ``port`` take the place of the settings.

    Raises:
        VaultLocked: the vault is watched or served by another process.
        InvalidRequest: the address cannot be listened on.
    """
    http = vault.config.http
    with (
        only_watch(vault.layout, "up"),
        _listen(host or http.host, http.port if port is None else port) as bound,
    ):
        address, number = bound.getsockname()[:2]
        owner_token(vault.layout)
        log.follow_libraries()
        running = _Running(vault, log, stop)
        names = Names.of(host or http.host, number, http.hosts, http.origins)
        with announce_serving(vault.layout, _reachable(address), number, __version__) as serving:
            running.serve(names, bound, serving)


def _reachable(address: str) -> str:
    """Where this machine's own processes reach a server that listens on all addresses."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)


@contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as bound:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            yield bound
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InvalidRequest(
                f"port {port} is taken by another program",
                hint="memfs config http.port NUMBER --local chooses another; 0 takes a free one",
            ) from error
        raise InvalidRequest(f"memfs cannot listen on {host}:{port}: {error.strerror}") from error


class _Running:
    """The parts of one server, each in a thread of its own; HTTP has the main thread."""

    def __init__(self, vault: Vault, log: EventLog, stop: threading.Event) -> None:
        self._vault, self._log, self._stop = vault, log, stop
        self._threads: dict[str, threading.Thread] = {}
        self._shared = Shared(
            Vaults(vault),
            unready=self._unready,
            announce=partial(log.say, "call"),
            stopping=stop.is_set,
        )

    def serve(self, names: Names, bound: socket.socket, serving: Serving) -> None:
        self._start("watch", lambda: watch(apart(self._vault), announce=self._watched, stop=self._stop))
        self._start("schedule", self._keep_schedule)
        guard = create_app(
            self._shared, names, further=[mount_mcp(self._shared.vaults)], answered=self._log.answered
        )
        server = _Server(
            uvicorn.Config(
                guard,
                log_config=None,
                access_log=False,
                server_header=False,
                ws="none",
                lifespan="on",
                timeout_graceful_shutdown=_GRACEFUL_SECONDS,
            ),
            self._stop,
            lambda: self._log.say("up", f"serving {self._vault.top} at {serving.url}", url=serving.url),
            self._shared.progress.end,
        )
        try:
            server.run(sockets=[bound])
        finally:
            self._stop.set()
            self._end(time.monotonic() + STOP_SECONDS)
        self._log.say("up", "ended")

    def _start(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001  # the others go on, and readiness tells
                self._log.say(name, describe_error(error), level="error")

        self._threads[name] = threading.Thread(target=run, name=f"memfs-{name}", daemon=True)
        self._threads[name].start()

    def _end(self, deadline: float) -> None:
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        for name, thread in self._threads.items():
            if thread.is_alive():
                self._log.say(
                    name, "still at work, and left: the next start goes on with it", level="warning"
                )

    def _keep_schedule(self) -> None:
        follow_schedule(
            apart(self._vault),
            self._stop,
            announce=partial(self._log.say, "daily"),
            progress=self._shared.progress.tell,
            ended=self._shared.finish_daily,
        )

    def _watched(self, line: str) -> None:
        self._shared.metrics.events.labels("watch").inc()
        self._log.say("watch", line)

    def _unready(self) -> Sequence[str]:
        return [f"the {name} has ended" for name, thread in self._threads.items() if not thread.is_alive()]


class _Server(uvicorn.Server):
    """A server that says when it answers, and lets the other parts stop in the moment it is told to.

    ``leave`` ends the answers that would go on for ever, before it waits for those under way.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        stop: threading.Event,
        ready: Callable[[], None],
        leave: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._stop, self._ready, self._leave = stop, ready, leave

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leave()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._stop.set()
        self.force_exit = self.should_exit  # told twice: at once
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        if self._stop.is_set():
            self.should_exit = True
        return await super().on_tick(counter)
