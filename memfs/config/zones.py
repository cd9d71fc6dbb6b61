"""The time zone that a person's days are counted in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_SYSTEM_ZONE = Path("/etc/localtime")


def local_zone(name: str, environ: Mapping[str, str]) -> tzinfo:
    """The zone called ``name``; empty: the system's (``TZ``, then its zone file, then UTC)."""
    wanted = name or environ.get("TZ", "").lstrip(":")
    if wanted:
        try:
            return ZoneInfo(wanted)
        except (ValueError, OSError, KeyError):  # a rule such as "EST5EDT4,M3..." names no zone file
            pass
    try:
        with _SYSTEM_ZONE.open("rb") as stream:
            return ZoneInfo.from_file(stream)
    except (ValueError, OSError):
        return UTC
