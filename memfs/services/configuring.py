"""Changing a setting: what it says must fit its kind, and a folder must be one that memfs may write to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.config.changing import Given
    from memfs.services.opening import Vault


def change_setting(vault: Vault, key: str, value: Given, *, local: bool = False) -> Path:
    """Set ``key`` in ``memfs.toml`` (``local``: ``memfs.local.toml``), or remove it: None. The file that was changed.

    Raises:
        ConfigError: no such key, a value that does not fit, or a file that is wrong already.
        UnsafePath: ``file_archive_path`` lies in a folder that memfs never archives into.
    """
    from memfs.config.changing import set_setting

    if key == "file_archive_path" and isinstance(value, str) and value:
        from memfs.services.archiving.places import usable_folder

        usable_folder(vault, value)
    return set_setting(vault.layout.config.parent, key, value, local=local)
