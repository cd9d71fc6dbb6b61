"""The watcher: what changes on disk, when a transcript is due, and the one loop that acts on both.

`loop.watch` runs it; `watcher.Watcher` yields change sets, `debounce.Debounce` decides what is due.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from memfs.services.opening import Vault

__all__ = ["watch"]


def watch(
    vault: Vault, *, announce: Callable[[str], None], stop: threading.Event | None = None, once: bool = False
) -> None:
    """Keep memory up with transcripts and the index with documents, until ``stop``; see `loop.watch`."""
    from memfs.daemon.loop import watch as run

    run(vault, announce=announce, stop=stop, once=once)
