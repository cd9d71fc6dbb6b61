"""Changing one key of a settings file: comments and layout stay, and a bad value is never written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.config.checks import nearest, parse_typed
from memfs.config.reading import LOCAL_NAME, SHARED_NAME, read_settings, read_text
from memfs.config.settings import SETTINGS
from memfs.errors import ConfigError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Given = str | bool | int | float | Sequence[str] | None
_BOM = "\ufeff"


def set_setting(top: Path, key: str, value: Given, *, local: bool = False) -> Path:
    """Set ``key`` in ``memfs.toml`` (``local``: in ``memfs.local.toml``), or remove it: ``value`` None.

    ``value`` is of the setting's kind, or text as a person types it: ``true``, ``90``, ``a, b`` or ``["a", "b"]``.
    The file is replaced in one step, and only when all of it is valid afterwards.

    Returns:
        The file that was changed.

    Raises:
        ConfigError: no such key, a value that does not fit, or a file that is already wrong.
    """
    import tomlkit

    path = top / (LOCAL_NAME if local else SHARED_NAME)
    declared = SETTINGS.get(key)
    if declared is None:
        raise ConfigError(f"no setting is called {key}", key=key, path=str(path), hint=nearest(key, SETTINGS))
    before = read_text(path) or ""
    read_settings(before, str(path))  # a file that is wrong already is not touched
    document = tomlkit.parse(before)
    if value is None:
        _remove(document, key.split("."))
    else:
        typed = parse_typed(declared.rule, value) if isinstance(value, str) else value
        _assign(document, key.split("."), typed)
    after = document.as_string()
    try:
        read_settings(after, str(path), shared=not local)
    except ConfigError as error:  # of a line that is never written: what was typed is wrong, not the file
        raise ConfigError(error.message, key=error.key, hint=error.hint) from error
    if after != before:
        _replace(path, after)
    return path


def _assign(document: TOMLDocument, names: list[str], value: Any) -> None:
    import tomlkit

    table: Any = document
    for name in names[:-1]:
        if name not in table:
            table[name] = tomlkit.table(is_super_table=len(names) > 2 and name == names[0])
        table = table[name]
    table[names[-1]] = value


def _remove(document: MutableMapping[str, Any], names: list[str]) -> None:
    tables = [document]
    for name in names[:-1]:
        inner = tables[-1].get(name)
        if not isinstance(inner, Mapping):
            return
        tables.append(inner)  # type: ignore[arg-type]
    tables[-1].pop(names[-1], None)


def _replace(path: Path, text: str) -> None:
    """Write ``text`` beside the file, then put it in its place; a link's target is replaced, not the link."""
    target = path.resolve()
    old = target.read_bytes() if target.exists() else b""
    mode = target.stat().st_mode & 0o777 if old else 0o644
    data = ((_BOM if old.startswith(_BOM.encode()) else "") + text).encode("utf-8")
    handle, temporary = tempfile.mkstemp(prefix=".memfs-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
