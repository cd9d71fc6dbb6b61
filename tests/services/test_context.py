"""What an agent reads: stepping down within a budget, marks, the last day of the journal."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.search.context import estimate_tokens
from memfs.services.changing import remember
from memfs.services.context import context
from memfs.services.opening import Vault
from tests.services.lexical import lexical_vault, reopened
from tests.services.vaults import document, merge, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v")


LINES = {
    "en": "Cache rule {n} holds. It was found after a long outage in which nobody knew what to do about it at all.",
    "zh": "第{n}条缓存规则有效。这是在一次很长的故障之后发现的，当时没有人知道应该怎么处理这个问题，后来写进了手册。",
}


@pytest.mark.parametrize("language", LINES)
def test_everything_is_given_in_brief_before_anything_is_left_out(vault: Vault, language: str) -> None:
    count = 12
    merge(
        vault,
        *(
            proposal("preferences", 1, topic=f"Cache {n}", content=LINES[language].format(n=n))
            for n in range(10, 10 + count)
        ),
    )
    whole = context(vault, budget=5000)
    assert (whole.left_out, whole.text.count("…")) == (0, 0)
    tight = context(vault, budget=whole.tokens * 3 // 4)
    assert tight.left_out == 0
    assert tight.tokens <= whole.tokens * 3 // 4
    assert 0 < tight.text.count("…") < count  # some came back in full
    assert len(re.findall(r"^- ", tight.text, re.MULTILINE)) == count
    smallest = context(vault, budget=whole.tokens // 3)
    assert smallest.left_out > 0
    assert smallest.tokens == estimate_tokens(smallest.text) <= whole.tokens // 3


def test_what_was_superseded_is_marked_and_gives_way_to_its_successor(vault: Vault) -> None:
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis", reason="operations run it"))
    merge(vault, proposal("decisions", 9, topic="Queue", decision="Use Kafka", reason="it replays"))
    told = context(vault, "which queue do we use").text
    assert "Kafka" in told
    assert "Redis" not in told
    path = document(vault, "decisions.md")
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "Kafka" not in line))
    told = context(vault, "is redis the queue that operations run").text
    assert re.search(
        r"^- \[superseded\] .*Redis.* \(memories/coding-assistant/decisions.md:\d+", told, re.MULTILINE
    )


def test_overdue_actions_are_marked(vault: Vault) -> None:
    today = vault.now().date()
    for name, days in (("Late", -3), ("Coming", 3), ("Today", 0), ("Ancient", -90)):
        merge(
            vault, proposal("actions", 6, task=f"{name} task", due=(today + timedelta(days=days)).isoformat())
        )
    told = context(vault).text
    assert re.findall(r"^- (\[overdue\] )?(\w+) task", told, re.MULTILINE) == [
        ("[overdue] ", "Late"),
        ("", "Today"),
        ("", "Coming"),
        ("[overdue] ", "Ancient"),
    ]


def test_the_journal_of_these_two_days_else_of_the_last_one(vault: Vault) -> None:
    today = vault.now().date()
    journal = document(vault, "journal/x.md").parent
    journal.mkdir(parents=True)
    for days in (-30, -9, 1):
        day = (today + timedelta(days=days)).isoformat()
        (journal / f"{day}.md").write_text(f"# {day}\n\n- Day {days}\n")
    told = context(vault).text
    assert re.findall(r"^- Day (-?\d+)", told, re.MULTILINE) == ["-9"]
    for days in (-1, 0):
        day = (today + timedelta(days=days)).isoformat()
        (journal / f"{day}.md").write_text(f"# {day}\n\n- Day {days}\n")
    assert re.findall(r"^- Day (-?\d+)", context(vault).text, re.MULTILINE) == ["0", "-1"]


def test_every_line_says_where_it_stands_and_when_it_was_said(vault: Vault) -> None:
    merge(
        vault,
        proposal("profile", 3, name="Priya"),
        proposal("preferences", 4, topic="Style", content="Short answers"),
        proposal("decisions", 5, topic="Queue", decision="Use Redis"),
    )
    remember(vault, "The queue is watched by Tom")
    lines = [line for line in context(vault, "queue watched").text.splitlines() if line.startswith("- ")]
    assert len(lines) == 4
    for line in lines:
        place = re.search(r" \((memories/\S+\.md):(\d+), \d{4}-\d\d-\d\d\)$", line)
        assert place is not None, line
        written = (vault.top / place[1]).read_text().splitlines()[int(place[2]) - 1]
        assert line[: place.start()].split()[-1] in written


def test_a_chinese_vault_has_chinese_labels(vault: Vault) -> None:
    settings = vault.top / "memfs.toml"
    settings.write_text('language = "zh"\n', encoding="utf-8")
    merge(vault, proposal("profile", 1, name="Priya", role="engineer"))
    told = context(reopened(vault)).text
    assert "## 个人信息" in told
    assert "- 名字：Priya (" in told or "- 姓名：Priya (" in told
    assert "role: " not in told
