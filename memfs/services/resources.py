"""Templates and the sample vault: what comes with memfs, and what a vault has of its own.

In an installed wheel the files lie inside the package; in a checkout (and an editable install) beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from memfs.errors import MemfsError
from memfs.vault.layout import Layout

TemplateKind = Literal["types", "prompts"]

_PACKAGE = Path(__file__).resolve().parent.parent


def read_builtin_templates(kind: TemplateKind) -> Mapping[str, str]:
    """The templates that come with memfs: name without ``.md`` -> text, sorted by name."""
    return _read_folder(find_resource("templates") / kind)


def read_vault_templates(layout: Layout, kind: TemplateKind) -> Mapping[str, str]:
    """The vault's own templates; nothing when it has none."""
    return _read_folder(layout.templates / kind)


def find_resource(name: str) -> Path:
    """The folder ``templates`` or ``sample_vault`` as installed; to be read or copied, never written to."""
    for parent in (_PACKAGE, _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise MemfsError(f"this installation of memfs lacks its {name}", hint="install memfs-vault again")


def _read_folder(folder: Path) -> Mapping[str, str]:
    return {path.stem: _read_template(path) for path in sorted(folder.glob("*.md")) if path.is_file()}


def _read_template(path: Path) -> str:
    """A template's text; an unreadable one is empty, which its reader then reports under its name."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
