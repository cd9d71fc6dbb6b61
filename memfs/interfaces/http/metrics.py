"""What Prometheus may read: requests, pushed turns, daily runs, and how the vault does at the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily

if TYPE_CHECKING:
    from memfs.services.status import Status

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "memfs_http_requests", "Answered requests.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "memfs_http_request_seconds", "Seconds to an answer.", ("route",), registry=self.registry
        )
        self.turns = Counter(
            "memfs_pushed_turns", "Pushed turns, new and known ones.", ("result",), registry=self.registry
        )
        self.runs = Counter(
            "memfs_daily_runs", "Daily runs by their end.", ("result",), registry=self.registry
        )
        self.events = Counter(
            "memfs_events",
            "Lines that the watch has said, by what said them.",
            ("area",),
            registry=self.registry,
        )

    def seen(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def render(self, status: Status) -> bytes:
        """The page that Prometheus reads."""
        registry = CollectorRegistry()
        registry.register(_Gauges(lambda: status))
        return generate_latest(self.registry) + generate_latest(registry)


class _Gauges:
    """The vault's state in the moment it is asked for."""

    def __init__(self, status: Callable[[], Status]) -> None:
        self._status = status

    def collect(self) -> Iterator[GaugeMetricFamily]:
        status = self._status()
        yield GaugeMetricFamily("memfs_identities", "Identities of the vault.", len(status.identities))
        yield GaugeMetricFamily(
            "memfs_busy", "1: git cannot take a commit now.", int(status.busy is not None)
        )
        yield GaugeMetricFamily("memfs_quarantined_ranges", "Ranges set aside.", len(status.quarantine))
        yield GaugeMetricFamily("memfs_warnings", "What needs a person.", len(status.warnings))
        unmerged = GaugeMetricFamily(
            "memfs_unmerged_transcripts", "By source.", labels=("source", "identity")
        )
        for source in status.sources:
            unmerged.add_metric((source.name, source.identity or ""), source.unmerged)
        yield unmerged
        tokens = GaugeMetricFamily("memfs_tokens_today", "Tokens of models.", labels=("identity",))
        runs = GaugeMetricFamily(
            "memfs_last_extraction_timestamp_seconds", "When it last ran.", labels=("identity",)
        )
        for one in status.identities:
            tokens.add_metric((one.identity,), one.tokens_today)
            if one.last_run is not None:
                runs.add_metric((one.identity,), one.last_run)
        yield tokens
        yield runs
