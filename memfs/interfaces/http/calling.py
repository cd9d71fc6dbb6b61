"""Who calls, and what the routes share: the vaults, the metrics, the progress of the daily run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from memfs.interfaces.http.metrics import Metrics
from memfs.interfaces.http.progress import ProgressHub
from memfs.interfaces.library import Memory
from memfs.interfaces.reach import Reach

if TYPE_CHECKING:
    from memfs.interfaces.vaults import Vaults
    from memfs.services.daily import DailyResult
    from memfs.services.tokens import Grant


@dataclass
class Shared:
    """What all requests share. ``unready`` tells why the server is not ready; ``announce`` takes lines of the log.

    ``stopping``: the server was told to end.
    """

    vaults: Vaults
    metrics: Metrics = field(default_factory=Metrics)
    progress: ProgressHub = field(default_factory=ProgressHub)
    unready: Callable[[], Sequence[str]] = tuple
    announce: Callable[[str], None] = lambda _: None
    stopping: Callable[[], bool] = lambda: False

    def finish_daily(self, result: DailyResult) -> None:
        """Count a daily run that has ended, and tell those who follow it."""
        self.metrics.runs.labels("error" if result.errors else "success").inc()
        self.progress.finish(result)


@dataclass(frozen=True)
class Caller:
    """Who calls: what the token grants."""

    shared: Shared
    grant: Grant

    @contextmanager
    def reach(self) -> Iterator[Reach]:
        """The memory as the caller may use it, for this thread alone."""
        with self.shared.vaults.lend() as vault:
            yield Reach(Memory(vault), self.grant.identity)

    @contextmanager
    def whole(self) -> Iterator[Memory]:
        """The whole memory. Raises NotPermitted unless the owner calls."""
        with self.reach() as reach:
            yield reach.whole()


async def _caller(request: Request) -> Caller:
    state: Any = request.state
    return Caller(request.app.state.shared, state.grant)


Calls = Annotated[Caller, Depends(_caller)]
