"""Talking to a child through its pipes, within a deadline and without unbounded output."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress

from memfs.errors import HistoryError

OUTPUT_CAP = 256 * 1024 * 1024  # bytes
_ERROR_CAP = 64 * 1024


def drain(
    child: subprocess.Popen[bytes], stdin: bytes | None, deadline: float, name: str
) -> tuple[bytes, bytes]:
    """Feed and drain a child until it closes its outputs, within the deadline and the caps."""
    assert child.stdout is not None
    assert child.stderr is not None
    output: dict[int, bytearray] = {child.stdout.fileno(): bytearray(), child.stderr.fileno(): bytearray()}
    pending = memoryview(stdin or b"")
    with selectors.DefaultSelector() as selector:
        for stream in (child.stdout, child.stderr):
            selector.register(stream, selectors.EVENT_READ)
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            selector.register(child.stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready and time.monotonic() >= deadline:
                _kill(child)
                raise HistoryError(f"git {name} did not finish in time and was stopped")
            for key, mask in ready:
                if mask & selectors.EVENT_WRITE:
                    pending = _feed(child, pending, selector)
                elif not (part := os.read(key.fd, 1 << 16)):
                    selector.unregister(key.fileobj)
                else:
                    _keep(child, output[key.fd], part, key.fd == child.stderr.fileno(), name)
    return bytes(output[child.stdout.fileno()]), bytes(output[child.stderr.fileno()])


def _feed(
    child: subprocess.Popen[bytes], pending: memoryview, selector: selectors.BaseSelector
) -> memoryview:
    assert child.stdin is not None
    try:
        pending = pending[os.write(child.stdin.fileno(), pending[: 1 << 16]) :]
    except BrokenPipeError:  # the child has read what it wanted; its exit code tells the rest
        pending = pending[:0]
    if not pending:
        selector.unregister(child.stdin)
        child.stdin.close()
    return pending


def _keep(child: subprocess.Popen[bytes], kept: bytearray, part: bytes, is_error: bool, name: str) -> None:
    if is_error:
        kept += part[: max(0, _ERROR_CAP - len(kept))]
        return
    kept += part
    if len(kept) > OUTPUT_CAP:
        _kill(child)
        raise HistoryError(f"git {name} wrote more than {OUTPUT_CAP} bytes and was stopped")


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
