"""The table of all settings: ``docs/settings.md`` is this module's output (``make docs``)."""

from __future__ import annotations

import json
import sys

from memfs.config.settings import SETTINGS, SOURCE_SETTINGS, Setting, Value

_HEAD = """\
# Settings

<!-- Made by `make docs` from memfs/config/settings.py; change it there. -->

`memfs.toml` lies at the top of the vault and is committed with it. `memfs.local.toml` beside it is not
committed: it is for this machine's paths and sources, and wins over `memfs.toml`. Environment variables win
over both. `memfs config` shows every value and where it comes from; `memfs config KEY VALUE` changes one and
keeps your comments. Keys of model providers belong in the environment, never in these files.
"""
_SOURCES = """\
## Sources

A source is a folder of transcripts: one `[[sources]]` block each. The blocks of both files are joined; of two
with one `name` (or else one `path`) the one in `memfs.local.toml` counts.

```toml
[[sources]]
path = "~/.claude/projects"
identity = "coding-assistant"
```
"""


def render_reference() -> str:
    """``docs/settings.md`` as it must read."""
    settings = _table([_row(setting) for setting in SETTINGS.values()])
    variables = [f"| `{s.variable}` | `{s.key}` |" for s in SETTINGS.values() if s.variable]
    environment = "\n".join(["| variable | setting |", "|---|---|", *variables])
    sources = _table([_row(setting, "sources.") for setting in SOURCE_SETTINGS.values()])
    return f"{_HEAD}\n{settings}\n\n## Environment\n\n{environment}\n\n{_SOURCES}\n{sources}\n"


def _table(rows: list[str]) -> str:
    return "\n".join(["| key | default | allowed | what it does |", "|---|---|---|---|", *rows])


def _row(setting: Setting, prefix: str = "") -> str:
    default = "not set" if setting.default is None else f"`{show_value(setting.default)}`"
    return f"| `{setting.key.removeprefix(prefix)}` | {default} | {setting.allowed} | {setting.description} |"


def show_value(value: Value) -> str:
    """A value as it is written in TOML; nothing for one that is not set."""
    if value is None:
        return ""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(render_reference())
