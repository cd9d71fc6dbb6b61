"""Throughput and memory of reading a long session: ``python benchmarks/transcripts.py [MEGABYTES] [FORMAT]``.

Writes a made-up session of that size (default 300; format claude-code, codex or openai) in a temporary
folder, reads it in a process of its own, and reports MB/s on one core and the peak of resident memory.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from memfs.transcripts.opening import open_transcript
from memfs.transcripts.reader import ReadLimits

PROSE = "the kiln runs hot at cone six so we lower the ramp 试烧 记录 温度 before glaze test é 🌿 data"
WORDS = PROSE.split()
Row = dict[str, object]


def prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def claude_rows(chance: random.Random, number: int) -> Iterator[Row]:
    about: Row = {
        "sessionId": "5e551011-0000-4000-8000-0000000000a1",
        "cwd": "/proj/kiln",
        "isSidechain": False,
    }
    at = f"2026-03-{1 + number % 28:02}T{number % 24:02}:00:00.000Z"
    id = f"{number:08x}-0000-4000-8000-000000000000"
    call = f"toolu_{number}"

    def row(kind: str, uuid: str, message: Row) -> Row:
        return {**about, "type": kind, "uuid": uuid, "timestamp": at, "message": message}

    def answer(block: Row) -> Row:
        return row("assistant", f"a{id}", {"id": f"msg_{number}", "role": "assistant", "content": [block]})

    yield {"type": "file-history-snapshot", "messageId": id, "snapshot": {"files": prose(chance, 20)}}
    yield row("user", id, {"role": "user", "content": prose(chance, 40)})
    yield answer({"type": "thinking", "thinking": prose(chance, 100)})
    yield answer({"type": "text", "text": prose(chance, 120)})
    yield answer({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": prose(chance, 15)}})
    result = {"type": "tool_result", "tool_use_id": call, "content": prose(chance, 600)}
    yield row("user", f"r{id}", {"role": "user", "content": [result]})


def codex_rows(chance: random.Random, number: int) -> Iterator[Row]:
    def row(kind: str, payload: Row) -> Row:
        return {"timestamp": "2026-04-01T10:00:00.000Z", "type": kind, "payload": payload}

    def message(role: str, block: str, text: str) -> Row:
        item: Row = {"type": "message", "role": role, "content": [{"type": block, "text": text}]}
        return row("response_item", item)

    if number == 0:
        yield row("session_meta", {"id": "01a00000-0000-7000-8000-000000000001", "cwd": "/proj/kiln"})
    said, answered, call = prose(chance, 40), prose(chance, 150), f"call_{number}"
    yield message("user", "input_text", said)
    yield row("event_msg", {"type": "user_message", "message": said})
    yield row(
        "response_item", {"type": "function_call", "call_id": call, "name": "shell", "arguments": '{"a": 1}'}
    )
    output = {"type": "function_call_output", "call_id": call, "output": prose(chance, 600)}
    yield row("response_item", output)
    yield message("assistant", "output_text", answered)
    yield row("event_msg", {"type": "agent_message", "message": answered})


def openai_rows(chance: random.Random, number: int) -> Iterator[Row]:
    yield {"role": "user", "content": prose(chance, 60), "created_at": 1777629600 + number}
    yield {"role": "assistant", "content": prose(chance, 300), "created_at": 1777629601 + number}


ROWS: dict[str, Callable[[random.Random, int], Iterator[Row]]] = {
    "claude-code": claude_rows,
    "codex": codex_rows,
    "openai": openai_rows,
}


def write_session(path: Path, size: int, format: str) -> None:
    """Rows until the file has ``size`` bytes. Every 500 exchanges come again, with other ids."""
    chance = random.Random(7)
    with path.open("wb") as file:
        number = 0
        while file.tell() < size:
            for row in ROWS[format](chance, number):
                file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            number += 1


def measure(path: Path) -> None:
    """Read the file and print what it took."""
    begun = time.process_time()
    with path.open("rb") as stream:
        reader = open_transcript(stream, name=path.name, limits=ReadLimits(tool_text=4000))
        turns = sum(1 for _ in reader)
    seconds = time.process_time() - begun
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    size = path.stat().st_size / 1e6
    sys.stdout.write(f"{reader.format}: {size:,.0f} MB, {turns:,} turns in {seconds:.1f} s of CPU\n")
    sys.stdout.write(f"{size / seconds:.0f} MB/s, peak {peak:.0f} MB\n")


def main() -> None:
    if len(sys.argv) > 2 and sys.argv[1] == "--read":
        measure(Path(sys.argv[2]))
        return
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    format = sys.argv[2] if len(sys.argv) > 2 else "claude-code"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        write_session(path, megabytes * 1_000_000, format)
        subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)


if __name__ == "__main__":
    main()
