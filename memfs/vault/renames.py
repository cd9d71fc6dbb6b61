"""The kernel's renames that lose nothing: swap two names, or fail when the new name exists."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from typing import Any

_CALL, _EXCHANGE, _NO_REPLACE = ("renameatx_np", 2, 4) if sys.platform == "darwin" else ("renameat2", 2, 1)
# What a kernel or file system says that does not know the flag.
_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def exchange_names(folder: int, one: str, other: str) -> bool:
    """Swap two names in the folder of the descriptor. False where unsupported. Raises OSError."""
    return _rename(folder, one, other, _EXCHANGE)


def rename_new(folder: int, old: str, new: str) -> bool:
    """Rename, never over something. False where unsupported. Raises OSError (FileExistsError when taken)."""
    return _rename(folder, old, new, _NO_REPLACE)


@cache
def _kernel_call() -> Any:
    call = getattr(ctypes.CDLL(None, use_errno=True), _CALL, None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        call.restype = ctypes.c_int
    return call


def _rename(folder: int, old: str, new: str, flags: int) -> bool:
    call = _kernel_call()
    if call is None:
        return False
    if call(folder, os.fsencode(old), folder, os.fsencode(new), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), old, None, new)
