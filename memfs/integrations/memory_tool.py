"""The commands of Anthropic's memory tool (``memory_20250818``) over a vault, for any client that passes them on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from memfs.errors import MemfsError
from memfs.services.agent_files import AgentFiles


@dataclass(frozen=True, slots=True)
class Answer:
    """The text for the model; ``is_error`` goes into the tool result."""

    text: str
    is_error: bool = False


class _Command(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _View(_Command):
    path: str
    view_range: tuple[int, int] | None = None


class _Create(_Command):
    path: str
    file_text: str


class _StrReplace(_Command):
    path: str
    old_str: str
    new_str: str = ""


class _Insert(_Command):
    path: str
    insert_line: int
    insert_text: str


class _Delete(_Command):
    path: str


class _Rename(_Command):
    old_path: str
    new_path: str


_COMMANDS: Mapping[str, tuple[type[_Command], Callable[[AgentFiles, Any], str]]] = {
    "view": (_View, lambda files, its: files.view(its.path, its.view_range)),
    "create": (_Create, lambda files, its: files.create(its.path, its.file_text)),
    "str_replace": (_StrReplace, lambda files, its: files.str_replace(its.path, its.old_str, its.new_str)),
    "insert": (_Insert, lambda files, its: files.insert(its.path, its.insert_line, its.insert_text)),
    "delete": (_Delete, lambda files, its: files.delete(its.path)),
    "rename": (_Rename, lambda files, its: files.rename(its.old_path, its.new_path)),
}


def answer_command(files: AgentFiles, told: Mapping[str, Any]) -> Answer:
    """Do one command, as the input of a ``tool_use`` block holds it. What goes wrong is an answer too."""
    name = str(told.get("command"))
    if name not in _COMMANDS:
        return Answer(f"Error: Unknown command: {name}", is_error=True)
    shape, run = _COMMANDS[name]
    try:
        return Answer(run(files, TypeAdapter(shape).validate_python(dict(told))))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or name
        return Answer(f"Error: Invalid `{where}` parameter: {first['msg']}", is_error=True)
    except MemfsError as error:
        return Answer(f"Error: {error.message}", is_error=True)
