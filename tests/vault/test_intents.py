from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.errors import VaultError
from memfs.processes import Process
from memfs.vault.intents import (
    Intent,
    IntentTarget,
    drop_intent,
    parse_intent,
    read_intent,
    render_intent,
    write_intent,
)
from memfs.vault.layout import Layout

TARGET = IntentTarget(
    "memories/a/profile.md", "old", "new", "新\r\n".encode() + b"\xff\x00", "b1", "b2", temp=".memfs-1"
)
INTENT = Intent(
    id="i1",
    branch="refs/heads/main",
    old="c0",
    message="coding-assistant: 2 decisions\n\nMemfs-Kind: merge\n",
    targets=(TARGET, IntentTarget("memories/a/old.md", "old", None, None)),
    author={"name": "Robin", "email": "robin@example.org"},
    children=(Process(7, "boot/1"),),
    extra={"cursors": [1, 2]},
)


def test_what_is_written_is_read(layout: Layout) -> None:
    assert read_intent(layout) is None
    write_intent(layout, INTENT)
    assert read_intent(layout) == INTENT
    drop_intent(layout)
    assert read_intent(layout) is None
    drop_intent(layout)


def test_a_later_stage_replaces_an_earlier_one(layout: Layout) -> None:
    write_intent(layout, INTENT)
    later = INTENT.at("placed").with_target(replace(TARGET, placed=True, displaced="/x"))
    write_intent(layout, later)
    found = read_intent(layout)
    assert found == later
    assert found is not None
    assert (found.stage, found.targets[0].placed, found.targets[1].placed) == ("placed", True, False)


def test_one_commit_at_a_time(layout: Layout) -> None:
    write_intent(layout, INTENT)
    with pytest.raises(VaultError, match="recovered"):
        write_intent(layout, replace(INTENT, id="i2"))
    assert read_intent(layout) == INTENT


@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"{}", b'{"version": 2}', b'{"version": 1, "targets": 3}', b"\xff"]
)
def test_a_record_that_cannot_be_read_is_an_error_with_a_way_on(layout: Layout, data: bytes) -> None:
    write_intent(layout, INTENT)
    (layout.local / "intent.json").write_bytes(data)
    with pytest.raises(VaultError) as caught:
        read_intent(layout)
    assert caught.value.hint
    assert caught.value.path == str(layout.local / "intent.json")


def test_a_cut_record_is_never_taken_for_a_whole_one() -> None:
    whole = render_intent(INTENT)
    for length in range(len(whole)):
        with pytest.raises((ValueError, KeyError, TypeError)):
            parse_intent(whole[:length])


def test_a_temp_file_left_by_a_crash_is_not_the_record(layout: Layout) -> None:
    write_intent(layout, INTENT)
    (layout.local / ".memfs-0000").write_bytes(b"{half")
    assert read_intent(layout) == INTENT
    assert sorted(os.listdir(layout.local)) == [".memfs-0000", "intent.json"]


@given(st.text(), st.none() | st.binary(), st.integers(0, 0o777))
def test_any_text_and_bytes_survive(text: str, data: bytes | None, mode: int) -> None:
    intent = Intent("x", text, None, text, (IntentTarget(text, None, text, data, mode=mode),), {"name": text})
    assert parse_intent(render_intent(intent)) == intent
