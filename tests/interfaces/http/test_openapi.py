"""The description says what the routes do: schemathesis finds nothing, and answers have the keys it names."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

from memfs.interfaces.http.app import describe, routes_of
from memfs.services.opening import open_vault
from memfs.services.tokens import owner_token
from tests.interfaces.http.conftest import URL, build

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own imports
    import schemathesis
    from schemathesis.config import SchemathesisConfig
    from schemathesis.engine import Status, events, from_schema

EXAMPLES = 8


@pytest.fixture(scope="module")
def described(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The description as schemathesis reads it, of the application over a copy of the filled vault."""
    folder = tmp_path_factory.mktemp("served") / "vault"
    shutil.copytree(filled, folder, symlinks=True)
    vault = open_vault(folder)
    shared, app = build(vault)
    shared.progress.end()  # else whoever follows the daily run would wait for one
    config = SchemathesisConfig.from_dict(
        {
            "headers": {
                "Authorization": f"Bearer {owner_token(vault.layout)}",
                "Host": URL.removeprefix("http://"),
            },
            "generation": {"deterministic": True, "max-examples": EXAMPLES},
        }
    )
    loaded = schemathesis.openapi.from_dict(describe(app.app), config=config)
    loaded.app = app
    return loaded


def test_schemathesis_finds_nothing(described: Any) -> None:
    found, tested = [], set()
    for event in from_schema(described).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            found.append(repr(event))
        elif isinstance(event, events.ScenarioFinished):
            tested.add(event.recorder.label)
            found += [
                f"{event.recorder.label}: {check.name}: {check.failure_info}"
                for checks in event.recorder.checks.values()
                for check in checks
                if check.status is Status.FAILURE
            ]
    assert not found, "\n".join(found)
    assert tested >= {f"{method} {path}" for method, path in routes_of(described.app) if path != "/mcp"}
