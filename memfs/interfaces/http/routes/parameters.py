"""Parameters that several routes take."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

# No control characters: no name, id or path has one.
PLAIN = r"^[^\x00-\x1f\x7f]+$"
# What can name an identity, as far as a pattern tells.
IDENTITY = r"^[A-Za-z0-9_@-]([A-Za-z0-9_.@-]{0,78}[A-Za-z0-9_@-])?$"


def _day(value: object) -> object:
    """Only what is written as a day is one: a bare number is none."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError("write a day like 2026-11-30")
    return value


Day = Annotated[date, BeforeValidator(_day)]
IdentityName = Annotated[str, Field(min_length=1, max_length=80, pattern=IDENTITY)]
AskedIdentity = Annotated[
    str | None,
    Query(max_length=80, pattern=IDENTITY, description="Whose memory; not needed where there is only one."),
]
AskedType = Annotated[
    str | None, Query(max_length=80, pattern=PLAIN, description="Only this type of memory.")
]
AskedPeer = Annotated[
    str | None, Query(max_length=200, pattern=PLAIN, description="Only what is known of this peer.")
]
Since = Annotated[Day | None, Query(description="From this day on.")]
Until = Annotated[Day | None, Query(description="Up to this day.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="At most so many.")]
EntryId = Annotated[
    str,
    Path(
        min_length=1,
        max_length=120,
        pattern=r"^\^?[A-Za-z0-9-]+$",
        description="The id of an entry, with or without ^.",
    ),
]


class Body(BaseModel):
    """What every request body is: nothing in it is ignored."""

    model_config = ConfigDict(extra="forbid")
