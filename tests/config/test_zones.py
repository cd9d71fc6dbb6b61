"""The person's time zone."""

from __future__ import annotations

from datetime import datetime, timedelta

from memfs.config.zones import local_zone


def offset(name: str, environ: dict[str, str], month: int) -> timedelta | None:
    return datetime(2026, month, 1, tzinfo=local_zone(name, environ)).utcoffset()


def test_a_named_zone_follows_daylight_saving() -> None:
    assert offset("Europe/Madrid", {}, 1) == timedelta(hours=1)
    assert offset("Europe/Madrid", {"TZ": "Asia/Shanghai"}, 7) == timedelta(hours=2)


def test_an_empty_name_means_the_system_zone() -> None:
    assert offset("", {"TZ": ":Asia/Shanghai"}, 1) == timedelta(hours=8)
    assert offset("", {"TZ": "<odd>5rule"}, 1) is not None
    assert offset("", {}, 1) is not None
