"""An agent with Anthropic's own client: ten steps of a scripted model, each really done on the vault."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import anthropic
import pytest

import memfs
from memfs.integrations.anthropic import VaultMemoryTool
from memfs.services.starting import init

STEPS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "# Plan\n\n- [ ] read the tides\n"},
    {"command": "view", "path": "/memories/plan.md"},
    {"command": "str_replace", "path": "/memories/plan.md", "old_str": "- [ ]", "new_str": "- [x]"},
    {
        "command": "insert",
        "path": "/memories/plan.md",
        "insert_line": 3,
        "insert_text": "- [ ] draw the curve\n",
    },
    {"command": "str_replace", "path": "/memories/plan.md", "old_str": "nowhere", "new_str": "x"},
    {"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/done/plan.md"},
    {"command": "create", "path": "/memories/scratch.md", "file_text": "to be deleted\n"},
    {"command": "delete", "path": "/memories/scratch.md"},
    {"command": "view", "path": "/memories/done/plan.md", "view_range": [3, 4]},
]


@dataclass
class Model:
    """Speaks the Messages protocol: one scripted tool call a turn, then a text."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        step = len(self.asked) - 1
        if step < len(STEPS):
            block: dict[str, Any] = {
                "type": "tool_use",
                "id": f"toolu_{step}",
                "name": "memory",
                "input": STEPS[step],
            }
        else:
            block = {"type": "text", "text": "Done."}
        return {
            "id": f"msg_{step}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(model.answer(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        model.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield model
        server.shutdown()
        thread.join()


def results(model: Model) -> list[tuple[str, bool]]:
    """What the model was told of each of its tool calls, in order."""
    messages = [message for request in model.asked for message in request["messages"]]
    blocks = [block for message in messages if message["role"] == "user" for block in message["content"]]
    found = {
        block["tool_use_id"]: block for block in blocks if isinstance(block, dict) and "tool_use_id" in block
    }
    return [(_text(block["content"]), bool(block.get("is_error"))) for block in found.values()]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def test_ten_steps_of_an_agent(tmp_path: Path, model: Model) -> None:
    init(tmp_path / "vault", identities=["robin"])
    memory = memfs.open(tmp_path / "vault")
    with anthropic.Anthropic(api_key="none", base_url=model.url) as client:
        runner = client.beta.messages.tool_runner(
            model="claude-test",
            max_tokens=512,
            tools=[VaultMemoryTool(memory)],
            messages=[{"role": "user", "content": "Keep your plan."}],
        )
        final = runner.until_done()
    assert "".join(block.text for block in final.content if block.type == "text") == "Done."
    assert model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    told = results(model)
    assert [failed for _, failed in told] == [step == 5 for step in range(10)]
    assert "did not appear verbatim" in told[5][0]
    assert told[9][0].splitlines()[1:] == ["     3\t- [x] read the tides", "     4\t- [ ] draw the curve"]
    subjects = [one.subject for one in memory.log() if one.kind == "agent"]
    assert len(subjects) == 6
    assert (
        memory.show("memories/robin/done/plan.md") == "# Plan\n\n- [x] read the tides\n- [ ] draw the curve\n"
    )
    assert memory.search("draw the curve").hits


def test_an_agent_needs_to_say_whose_memory_it_is(tmp_path: Path) -> None:
    init(tmp_path / "vault", identities=["robin", "mara"])
    memory = memfs.open(tmp_path / "vault")
    with pytest.raises(memfs.MemfsError, match="several identities"):
        VaultMemoryTool(memory)
    assert VaultMemoryTool(memory, "mara").files.identity == "mara"


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "memfs.integrations.anthropic")
    monkeypatch.setitem(sys.modules, "anthropic.lib.tools", None)
    with pytest.raises(ImportError, match=re.escape("pip install '.[models]'")):
        import_module("memfs.integrations.anthropic")
