"""A made-up corpus for redaction: secrets of many kinds in the words people put around them, and look-alikes.

The same seed gives the same corpus. It was written from what providers document of their formats, before looking
at what redaction catches; what is found wanting is mended in redaction, not here.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.extraction.secret_kinds import KINDS
from tests.extraction.secret_lookalikes import LOOKALIKES

SEED = 20261130
SECRETS_PER_KIND = 12
LOOKALIKE_COUNT = 5200
_WINDOW = 12  # characters of a secret that must not be left together


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, what kind of thing stands in it, and the secret (None: it holds none)."""

    kind: str
    text: str
    secret: str | None = None

    def leaks(self, text: str) -> bool:
        """Whether ``text`` still tells the secret, or a good part of it."""
        secret = self.secret or ""
        size = min(len(secret), _WINDOW)
        return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def secrets(seed: int = SEED, per_kind: int = SECRETS_PER_KIND) -> Iterator[Sample]:
    """Secrets of every kind, in every frame of theirs, at least ``per_kind``."""
    chance = random.Random(seed)
    for name, kind in KINDS.items():
        for at in range(max(per_kind, len(kind.frames))):
            value = kind.make(chance)
            frame = kind.frames[at % len(kind.frames)]
            yield Sample(name, frame.format(v=value), value)


def lookalikes(seed: int = SEED, count: int = LOOKALIKE_COUNT) -> Iterator[Sample]:
    """What must stay as it is: of every kind in turn, no text twice."""
    chance = random.Random(seed)
    known: set[str] = set()
    for name in itertools.cycle(LOOKALIKES):
        text = LOOKALIKES[name](chance)
        if text not in known:
            known.add(text)
            yield Sample(name, text)
        if len(known) == count:
            return
