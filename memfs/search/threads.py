"""Numpy on one thread: several wait for each other on a busy machine, and then a product takes many times as long."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which numpy multiplies on one thread."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _controller() -> Any:
    import numpy  # noqa: F401  (its libraries are looked for among those that are loaded)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
