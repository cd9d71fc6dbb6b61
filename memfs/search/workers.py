"""Much text is cut up on all processors: by processes of their own, asked over pipes.

    python -m memfs.search.workers ROOT

They know nothing of the vault. One that cannot be started or fails is done without. (Not the processes of
`concurrent.futures`: those run the main program again, which may be any script that uses memfs.)
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import islice
from queue import SimpleQueue
from typing import IO, Any

from memfs.search.cutting import Cutting, Piece, Task

_MOST = 4  # processes: the one that writes the index keeps up with no more
_AT_ONCE = 16  # documents that a process is given at once
_Worker = subprocess.Popen[bytes]
_Lot = list[list[Piece]]


def cut_apart(cutting: Cutting, tasks: Iterator[Task]) -> Iterator[list[Piece]]:
    """Yield what is indexed of documents, in their order; no more is under way than keeps all at work."""
    count = min(os.cpu_count() or 1, _MOST)
    idle: SimpleQueue[_Worker | None] = SimpleQueue()
    waiting: deque[Future[_Lot]] = deque()
    with ExitStack() as stack:
        for _ in range(count):
            idle.put(_start(cutting.root, stack))
        pool = stack.enter_context(ThreadPoolExecutor(count))
        while lot := list(islice(tasks, _AT_ONCE)):
            waiting.append(pool.submit(_ask, idle, cutting, lot))
            if len(waiting) > 2 * count:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _ask(idle: SimpleQueue[_Worker | None], cutting: Cutting, lot: list[Task]) -> _Lot:
    """Return what one of the processes makes of documents; without one it is made here."""
    worker, found = idle.get(), None
    try:
        if worker is not None and worker.stdin and worker.stdout:
            _send(worker.stdin, lot)
            found = _receive(worker.stdout)
    except (OSError, EOFError, ValueError):
        pass  # it is gone
    idle.put(worker if found is not None else None)
    return [cutting.one(task) for task in lot] if found is None else found


def _start(root: str, stack: ExitStack) -> _Worker | None:
    """Start a process that lives until the stack is left; None where that cannot be."""
    command = [sys.executable, "-m", "memfs.search.workers", root]
    pipe = subprocess.PIPE
    try:
        worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    stack.callback(_end, worker)
    return worker


def _end(worker: _Worker) -> None:
    with suppress(OSError), worker:  # closes its pipes, so that it ends, and waits for it
        pass


def _send(stream: IO[bytes], value: list[Any]) -> None:
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Return the next value; None at the end of the stream."""
    length = int.from_bytes(stream.read(8), "big")
    return marshal.loads(stream.read(length)) if length else None


def main(root: str) -> None:
    """Cut up what is asked for, until nobody asks any more."""
    cutting = Cutting(root)
    while (lot := _receive(sys.stdin.buffer)) is not None:
        _send(sys.stdout.buffer, [cutting.one(task) for task in lot])


if __name__ == "__main__":
    main(*sys.argv[1:])
