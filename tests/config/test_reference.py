"""The generated reference of settings is the committed one."""

from __future__ import annotations

from pathlib import Path

from memfs.config.reference import render_reference
from memfs.config.settings import SETTINGS

DOCUMENT = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_committed_reference_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render_reference(), "run `make docs`"


def test_every_setting_has_a_sentence_and_a_row() -> None:
    text = render_reference()
    for key, setting in SETTINGS.items():
        assert f"| `{key}` |" in text
        assert setting.description.endswith(".")
