"""The git children of a commit under way, written into its intent log, so that a lock they leave can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from memfs.vault.intents import Intent, write_intent
from memfs.vault.layout import Layout

if TYPE_CHECKING:
    from memfs.history.locks import Child


@dataclass
class ChildRecorder:
    """Told of each git child that takes a lock; while a commit is under way it makes a durable note of it."""

    layout: Layout | None = None
    intent: Intent | None = None

    def __call__(self, child: Child) -> None:
        """Note the child in the intent log."""
        if self.layout is None or self.intent is None:
            return
        children = [*self.intent.extra.get("children", ()), asdict(child)]
        self.intent = replace(self.intent, extra={**self.intent.extra, "children": children})
        write_intent(self.layout, self.intent)

    @contextmanager
    def recording(self, layout: Layout, intent: Intent) -> Iterator[None]:
        """Note children in the log of this commit."""
        self.layout, self.intent = layout, intent
        try:
            yield
        finally:
            self.layout = self.intent = None


def recorded_children(intent: Intent) -> tuple[Child, ...]:
    """The children that the log of a commit names."""
    from memfs.history.locks import Child

    return tuple(Child(**record) for record in intent.extra.get("children", ()))
