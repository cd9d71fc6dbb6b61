"""Every sample parses to exactly what its expected file says."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from memfs.errors import TranscriptError
from memfs.transcripts.opening import open_transcript
from memfs.transcripts.report import transcript_json

SAMPLES = Path(__file__).parent / "samples"
ABOUT_THE_FILES = {"notes", "input", "ignored_files"}
SINGLE = [
    path
    for path in sorted(SAMPLES.glob("*/*.expected.json"))
    if path.name.split(".")[1] not in ("split", "not-chat", "growing", "encodings")
]


def read(path: Path, start: int = 0) -> dict[str, Any]:
    return transcript_json(open_transcript(io.BytesIO(path.read_bytes()), name=path.name, start=start))


def input_of(expected: Path) -> Path:
    named = json.loads(expected.read_text()).get("input")
    stem = expected.name.removesuffix(".expected.json")
    candidates = [path for path in expected.parent.glob(f"{stem}.*") if path != expected]
    return expected.parent / named if named else min(candidates, key=lambda path: len(path.name))


def assert_covers(actual: Any, expected: Any, where: str = "") -> None:
    """Every key of ``expected`` is in ``actual`` with that value; lists match one to one."""
    if isinstance(expected, dict):
        for key in expected.keys() - ABOUT_THE_FILES:
            assert key in actual, f"{where}.{key} is missing"
            assert_covers(actual[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), f"{where}: {actual} != {expected}"
        for number, item in enumerate(expected):
            assert_covers(actual[number], item, f"{where}[{number}]")
    else:
        assert actual == expected, f"{where}: {actual!r} != {expected!r}"


@pytest.mark.parametrize("expected", SINGLE, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[1]}")
def test_sample_parses_as_expected(expected: Path) -> None:
    assert_covers(read(input_of(expected)), json.loads(expected.read_text()))


def test_growing_session_gives_new_turns_at_each_stage() -> None:
    folder = SAMPLES / "claude-code"
    start = 0
    for stage in json.loads((folder / "sample.growing.expected.json").read_text())["stages"]:
        report = read(folder / stage["input"], start)
        report["new_turns"] = report["turns"]
        assert_covers(report, stage)
        start = report["consumed_bytes"]


def test_encodings_are_read_or_refused_by_name() -> None:
    folder = SAMPLES / "plain-text"
    expected = json.loads((folder / "sample.encodings.expected.json").read_text())
    for name, outcome in expected["inputs"].items():
        if "error" in outcome:
            with pytest.raises(TranscriptError) as caught:
                read(folder / name)
            assert caught.value.path == name
        else:
            report = read(folder / name)
            assert report["format"] == expected["format"]
            assert_covers(report, outcome)


def test_file_that_is_no_chat_is_refused_by_name() -> None:
    with pytest.raises(TranscriptError) as caught:
        read(SAMPLES / "claude-ai-export" / "sample.not-chat.json")
    assert caught.value.path == "sample.not-chat.json"
