"""memfs: long-term memory for AI agents and their people, as Markdown files in git.

``memfs.open()`` opens a vault and gives its `Memory`, whose methods are the commands of the command line:

    import memfs

    memory = memfs.open("~/vault")
    memory.ingest()
    for hit in memory.search("what did we decide about the cache").hits:
        print(hit.score, hit.view.text, hit.view.path)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.errors import MemfsError
    from memfs.interfaces.library import Memory
    from memfs.interfaces.library import open_memory as open

__all__ = ["MemfsError", "Memory", "__version__", "open"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the library when it is first used: ``import memfs`` alone costs nothing."""
    if name == "MemfsError":
        from memfs.errors import MemfsError

        return MemfsError
    if name in ("Memory", "open"):
        from memfs.interfaces import library

        return library.Memory if name == "Memory" else library.open_memory
    raise AttributeError(f"module 'memfs' has no attribute {name!r}")
