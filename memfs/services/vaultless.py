"""A vault that is nowhere, for looking at transcripts outside of any: built-in types, no files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memfs.config.reading import load_config
from memfs.config.zones import local_zone
from memfs.services.opening import Vault
from memfs.vault.layout import Layout

_NOWHERE = Path("/nonexistent/memfs")


def open_without_vault(
    *, environ: Mapping[str, str] | None = None, clock: Callable[[], datetime] | None = None
) -> Vault:
    """An empty vault without a place: settings are the environment's and the defaults; nothing is written.

    Raises:
        ConfigError: the environment sets something that cannot be used.
    """
    env = os.environ if environ is None else environ
    config = load_config(_NOWHERE, env)
    return Vault(
        layout=Layout(_NOWHERE, "", _NOWHERE / ".git"),
        config=config,
        clock=clock or (lambda: datetime.now(UTC)),
        zone=local_zone(config.timezone, env),
    )
