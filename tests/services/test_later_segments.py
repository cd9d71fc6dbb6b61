"""A correction after a long silence, which begins another segment, still corrects what the file said before."""

from __future__ import annotations

import json
from pathlib import Path

from memfs.services.dryrun import extract
from memfs.services.vaultless import open_without_vault


def propose(folder: Path, *said: tuple[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The texts of a dry run's entries, with the messages that prove them."""
    path = folder / "chat.json"
    turns = [
        {"role": "user", "content": text, "timestamp": f"2026-03-11T{time}:00+00:00"} for time, text in said
    ]
    path.write_text(json.dumps(turns), encoding="utf-8")
    done = extract(open_without_vault(environ={}), path)
    return [(text, each.evidence.messages) for each, text in done.proposals]


def test_the_stale_entry_is_not_shown(tmp_path: Path) -> None:
    found = propose(
        tmp_path,
        ("09:00", "the offsite is in Berlin on 4 May"),
        ("09:05", "please always answer in English"),
        ("14:00", "offsite moved to Hamburg, same day"),
    )
    texts = " / ".join(text for text, _ in found)
    assert "Hamburg" in texts
    assert "English" in texts
    assert "Berlin" not in texts
    assert len({messages for _, messages in found}) == len(found) == 2


def test_what_is_said_again_after_a_silence_is_one_entry(tmp_path: Path) -> None:
    found = propose(tmp_path, ("09:00", "I always use tabs"), ("14:00", "as I said, I always use tabs"))
    assert len(found) == 1


def test_a_later_decision_on_a_topic_leaves_the_earlier_to_the_merge(tmp_path: Path) -> None:
    """It stays to be read as superseded: what was chosen before is part of why."""
    found = propose(
        tmp_path,
        ("09:00", "We decided to use PostgreSQL for the tide cache."),
        ("14:00", "Change of plan: we decided to use SQLite for the tide cache instead of PostgreSQL."),
    )
    assert [text.count("PostgreSQL for the tide cache") + 2 * text.count("SQLite") for text, _ in found] == [
        1,
        2,
    ]
