"""The desk that does the work itself: it opens the vault when the first work comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from memfs.errors import MemfsError
from memfs.interfaces.mcp.calling import call_tool, failed

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_types import CallToolResult, GetPromptResult, ListResourcesResult, ReadResourceResult

    from memfs.interfaces.reach import Reach

Open = Callable[[Any], "AbstractContextManager[Reach]"]


class LocalDesk:
    """Works on the vault in this process; ``open`` gives what a caller may reach, for one thread at a time."""

    def __init__(self, open: Open) -> None:
        self._open = open

    def call(self, caller: Any, name: str, given: Mapping[str, Any]) -> CallToolResult:
        try:
            with self._open(caller) as reach:
                return call_tool(reach, name, given)
        except MemfsError as error:
            return failed(error.message, error.hint)

    def resources(self, caller: Any) -> ListResourcesResult:
        from memfs.interfaces.mcp.resources import list_resources

        with self._open(caller) as reach:
            return list_resources(reach)

    def resource(self, caller: Any, uri: str) -> ReadResourceResult:
        from memfs.interfaces.mcp.resources import read_resource

        with self._open(caller) as reach:
            return read_resource(reach, uri)

    def prompt(self, caller: Any, name: str, given: Mapping[str, Any]) -> GetPromptResult:
        from memfs.interfaces.mcp.resources import get_prompt

        with self._open(caller) as reach:
            return get_prompt(reach, name, given)


def vault_opener(top: Path, identity: str | None) -> Open:
    """Opens the vault when it is first asked for, limited to an identity where one is given."""
    kept: list[Any] = []

    @contextmanager
    def open(_: Any) -> Iterator[Reach]:
        from memfs.interfaces.library import Memory
        from memfs.interfaces.reach import Reach
        from memfs.interfaces.vaults import Vaults
        from memfs.services.opening import open_vault

        if not kept:
            kept.append(Vaults(open_vault(top)))
        with kept[0].lend() as vault:
            yield Reach(Memory(vault)).narrowed(identity)

    return open
