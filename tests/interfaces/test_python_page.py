"""The page on Python says what runs: its blocks, one after another, on the sample vault."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import memfs
from tests.conftest import PROJECT

PAGE = PROJECT / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_its_blocks_run(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("anthropic", reason="the last block of docs/python.md needs the extra `models`")
    monkeypatch.chdir(vault)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 7
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), names)
    printed = capsys.readouterr().out
    assert "The water meter stands in the hall" in printed
    assert "desk The meter is read" in printed
    assert memfs.open(vault).show(names["kept"].id).count("water meter") == 1
