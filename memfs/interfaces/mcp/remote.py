"""The desk that hands all work to the running `memfs up`, so that this process holds neither model nor index."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, GetPromptResult, ListResourcesResult, ReadResourceResult

from memfs.errors import MemfsError
from memfs.interfaces.mcp.calling import failed

if TYPE_CHECKING:
    from memfs.services.serving import Serving

PROTOCOL = "2025-06-18"
IDENTITY_HEADER = "Memfs-Identity"
_SECONDS = 600.0


class Unreachable(Exception):
    """Nobody listens where `memfs up` said it would: nothing was sent."""


class RemoteDesk:
    """Hands work to `memfs up` with the owner's token, limited to an identity where one is given."""

    def __init__(self, serving: Serving, token: str, identity: str | None = None) -> None:
        self._serving, self._token, self._identity = serving, token, identity

    def call(self, _: Any, name: str, given: Mapping[str, Any]) -> CallToolResult:
        try:
            found = self._ask("tools/call", {"name": name, "arguments": dict(given)})
        except MemfsError as error:
            return failed(error.message, error.hint)
        return CallToolResult.model_validate(found)

    def resources(self, _: Any) -> ListResourcesResult:
        return ListResourcesResult.model_validate(self._ask("resources/list", {}))

    def resource(self, _: Any, uri: str) -> ReadResourceResult:
        return ReadResourceResult.model_validate(self._ask("resources/read", {"uri": uri}))

    def prompt(self, _: Any, name: str, given: Mapping[str, Any]) -> GetPromptResult:
        return GetPromptResult.model_validate(
            self._ask("prompts/get", {"name": name, "arguments": dict(given)})
        )

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of one request. Raises Unreachable before anything was sent, MemfsError after."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        connection = http.client.HTTPConnection(self._serving.host, self._serving.port, timeout=_SECONDS)
        try:
            connection.connect()
        except OSError as error:
            raise Unreachable from error
        try:
            connection.request("POST", "/mcp", body.encode(), self._headers())
            answer = connection.getresponse()
            found = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            hint = "memfs up ended or hangs; whether it was done, memory_recent says"
            raise MemfsError(f"the answer of memfs up did not come: {error}", hint=hint) from error
        finally:
            connection.close()
        if "error" in found:
            raise MemfsError(str(found["error"].get("message", "memfs up could not do it")))
        if answer.status != 200:
            raise MemfsError(str(found.get("detail", "memfs up refused")), hint=found.get("hint"))
        return found["result"]

    def _headers(self) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
        }
        return headers | ({IDENTITY_HEADER: self._identity} if self._identity else {})
