"""A vault as the memory tool of Anthropic's Python client.

    import anthropic, memfs
    from memfs.integrations.anthropic import VaultMemoryTool

    tool = VaultMemoryTool(memfs.open("~/memory"), identity="coding-assistant")
    runner = anthropic.Anthropic().beta.messages.tool_runner(model=..., max_tokens=1024, tools=[tool], messages=...)

Each change is a commit, and `memfs undo` takes any of them back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memfs.errors import extra_hint
from memfs.integrations.memory_tool import answer_command
from memfs.services.agent_files import AgentFiles

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
except ImportError as error:
    raise ImportError(
        f"the memory tool needs Anthropic's client, of the extra models; {extra_hint('models')} ({error})",
        name="anthropic",
    ) from error

if TYPE_CHECKING:
    from memfs.interfaces.library import Memory


class VaultMemoryTool(BetaAbstractMemoryTool):
    """The memory tool over one identity's memory; ``identity`` may be left out where there is only one."""

    def __init__(self, memory: Memory, identity: str | None = None, *, agent: str = "memory tool") -> None:
        super().__init__()
        self.files = AgentFiles(memory.vault, memory.vault.choose_identity(identity), agent)

    def _answer(self, command: Any) -> str:
        answer = answer_command(self.files, command.to_dict())
        if answer.is_error:
            raise ToolError(answer.text)
        return answer.text

    view = create = str_replace = insert = delete = rename = _answer
