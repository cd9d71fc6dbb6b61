"""One call of a tool: arguments read, the use case done, and the answer or the error in the form of MCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from memfs.errors import MemfsError
from memfs.interfaces.mcp.tools import TOOLS

if TYPE_CHECKING:
    from memfs.interfaces.reach import Reach


def call_tool(reach: Reach, name: str, given: Mapping[str, Any]) -> CallToolResult:
    """Do what a tool does. An error is an answer, so that the agent reads it and does better."""
    tool = TOOLS.get(name)
    if tool is None:
        return failed(f"no tool is called {name}", f"one of {', '.join(TOOLS)}")
    try:
        answer = tool.run(reach, tool.takes.model_validate(dict(given)))
    except ValidationError as error:
        return failed("; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()))
    except MemfsError as error:
        return failed(error.message, error.hint)
    except OSError as error:
        return failed(error.strerror or str(error))
    return CallToolResult(
        content=[TextContent(type="text", text=tool.told(answer))], structured_content=answer
    )


def failed(message: str, hint: str | None = None) -> CallToolResult:
    """An error as an answer."""
    text = f"{message} ({hint})" if hint else message
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
