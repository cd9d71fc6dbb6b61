"""A small OpenAI-compatible server: the real protocol over a real socket, misbehaving as its script says.

Run as a process (``python -m tests.extraction.model.server``); it prints its port. Each test has a *room*, the first
part of the path, with a script of its own: ``PUT /ROOM/script`` sets it, ``GET /ROOM/calls`` tells what was
received. ``POST /ROOM/v1/chat/completions`` takes the next step of the script, the last one again when it is over.

A step is an object with one of these, and what belongs to it:

``content``   an answer; ``finish`` (stop, length, content_filter), ``usage`` [in, out], ``thinking``
``tool``      an answer that calls a tool with these arguments
``status``    an HTTP error; ``body`` (object or text), ``headers``
``raw``       these bytes (latin-1) as the whole body of a 200; ``type``
``reset``     the head and some of the body, then the connection is torn down
``hang``      nothing at all until the client gives up
``stall``     the head and some of the body, then nothing until the client gives up
``short``     a body that ends before its announced length
``obey``      the answer does whatever the conversation asks for (``obedient.py``)
``formats``   in any step: response formats the server knows; a request for another one gets ``refusal``
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.extraction.model.obedient import obey

Step = dict[str, Any]
_REFUSAL = {"status": 400, "body": {"error": {"message": "response_format is not supported by this server"}}}


class Room:
    """One test's script and what it received."""

    def __init__(self) -> None:
        self.script: list[Step] = [{"content": "{}"}]
        self.calls: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def next_step(self, request: dict[str, Any], key: str) -> Step:
        with self.lock:
            self.calls.append({"request": request, "key": key})
            step = self.script[0]
            known = step.get("formats")
            wanted = request.get("response_format", {"type": "text"})["type"]
            if known is not None and wanted not in known:
                return dict(step.get("refusal", _REFUSAL))
            if len(self.script) > 1:
                self.script.pop(0)
            return step


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        room, rest = self._room()
        if rest == "calls":
            self._json(200, room.calls)
        elif rest == "v1/models":
            self._json(200, {"object": "list", "data": [{"id": "test", "object": "model"}]})
        else:
            self._json(404, {"error": {"message": "no such page"}})

    def do_PUT(self) -> None:
        room, _ = self._room()
        room.script = json.loads(self._body())
        self._json(200, {})

    def do_POST(self) -> None:
        room, rest = self._room()
        request = json.loads(self._body())
        key = self.headers.get("x-api-key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        if rest == "v1/messages":
            self._json(200, _message(room.next_step(request, key), request))
            return
        if rest != "v1/chat/completions":
            self._json(404, {"error": {"message": f"no such page: {rest}"}})
            return
        problem = _problem(request)
        if problem:
            self._json(400, {"error": {"message": problem, "type": "invalid_request_error"}})
            return
        self._take(room.next_step(request, key), request)

    def _take(self, step: Step, request: dict[str, Any]) -> None:
        if "obey" in step:
            step = {**step, "content": obey(request["messages"][-1]["content"])}
        if "status" in step:
            self._json(
                step["status"], step.get("body", {"error": {"message": "no"}}), step.get("headers", {})
            )
        elif "hang" in step:
            select.select([self.connection], [], [], 30)
            self.close_connection = True
        elif "reset" in step:
            self._begin()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
        elif "stall" in step:
            self._begin()
            select.select([self.connection], [], [], 30)
            self.close_connection = True
        elif "short" in step:
            self._begin()
            self.close_connection = True
        elif "raw" in step:
            self._send(200, step["raw"].encode("latin-1"), step.get("type", "application/json"))
        elif request.get("stream"):
            self._stream(step, request)
        else:
            self._json(200, _completion(step, request))

    def _begin(self) -> None:
        """The beginning of an answer that never comes to its end."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n")
        self.wfile.write(b'{"id": "x", "object": "chat.completion", "choices": [{"message": {"content": "{')
        self.wfile.flush()

    def _stream(self, step: Step, request: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        whole = _completion(step, request)
        choice = whole["choices"][0]
        text = choice["message"]["content"] or ""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[at : at + 7]} for at in range(0, len(text), 7)]
        if calls := choice["message"].get("tool_calls"):
            deltas.append({"tool_calls": [{"index": 0, **calls[0]}]})
        for delta in deltas:
            self._event(whole, [{"index": 0, "delta": delta, "finish_reason": None}])
        self._event(whole, [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
        if request.get("stream_options", {}).get("include_usage"):
            self._event(whole, [], usage=whole["usage"])
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, whole: dict[str, Any], choices: list[Any], **more: Any) -> None:
        about = {key: whole[key] for key in ("id", "created", "model")}
        chunk = {**about, "object": "chat.completion.chunk", "choices": choices, **more}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _room(self) -> tuple[Room, str]:
        name, _, rest = self.path.lstrip("/").partition("/")
        return self.server.room(name), rest

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _json(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self._send(status, data, "application/json", headers or {})

    def _send(self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()

    def room(self, name: str) -> Room:
        with self._lock:
            return self._rooms.setdefault(name, Room())


def _problem(request: dict[str, Any]) -> str | None:
    """What the real API would not take."""
    if not request.get("model") or not request.get("messages"):
        return "model and messages are required"
    format_ = request.get("response_format", {})
    if format_.get("type") == "json_object" and "json" not in json.dumps(request["messages"]).lower():
        return "'messages' must contain the word 'json' in some form"
    if format_.get("type") == "json_schema":
        return _schema_problem(format_["json_schema"]["schema"])
    return None


def _schema_problem(schema: dict[str, Any]) -> str | None:
    """The strict mode's rules: every object closed, every key required."""
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return "Invalid schema: additionalProperties must be false"
        if sorted(schema.get("required", [])) != sorted(schema["properties"]):
            return "Invalid schema: required must name every key"
        return next(
            (found for each in schema["properties"].values() if (found := _schema_problem(each))), None
        )
    return _schema_problem(schema["items"]) if schema.get("type") == "array" else None


def _completion(step: Step, request: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.get("content")}
    finish = step.get("finish", "stop")
    if "thinking" in step:
        message["reasoning_content"] = step["thinking"]
    if "tool" in step:
        call = {"name": "answer", "arguments": step["tool"]}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
        finish = "tool_calls"
    sent, answered = step.get("usage", (700, 60))
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered},
    }


def _message(step: Step, request: dict[str, Any]) -> dict[str, Any]:
    """The same answer in Anthropic's words (``POST /ROOM/v1/messages``)."""
    sent, answered = step.get("usage", (700, 60))
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [{"type": "text", "text": step.get("content", "")}],
        "stop_reason": {"length": "max_tokens"}.get(step.get("finish", "stop"), "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": sent, "output_tokens": answered},
    }


if __name__ == "__main__":
    with Server() as running:
        sys.stdout.write(f"{running.server_address[1]}\n")
        sys.stdout.flush()
        running.serve_forever()
