"""What an ingest tells: a report per session, and its line for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfs.model import Dropped, Tokens

if TYPE_CHECKING:
    from memfs.services.opening import Language


@dataclass(frozen=True, slots=True)
class SessionReport:
    """What came of one session (or one batch of a long one).

    ``undone``: earlier merges of it that were taken back, because it was put off the record. ``trained``: entries
    that were learned from its cases. ``waiting``: why something of it was not merged yet.
    """

    source: str
    session: str
    identity: str
    turns: int
    added: int = 0
    updated: int = 0
    superseded: int = 0
    kept: int = 0
    dropped: tuple[Dropped, ...] = ()
    skipped_lines: int = 0
    commit: str | None = None
    problems: tuple[str, ...] = ()
    withheld: int = 0
    off_record: bool = False
    undone: tuple[str, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    path: str = ""
    trained: int = 0
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. ``waiting`` names what has to be tried again and why; ``problems`` what could not be read.

    ``left_out``: how many transcripts a backfill choice made in this call closed.
    """

    sessions: tuple[SessionReport, ...] = ()
    waiting: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    left_out: int = 0


_DONE = {
    "added": ("{} added", "新增 {}"),
    "updated": ("{} updated", "更新 {}"),
    "superseded": ("{} superseded", "取代 {}"),
    "kept": ("{} kept by hand", "保留手改 {}"),
    "dropped": ("{} dropped", "舍弃 {}"),
    "skipped": ("{} line{s} skipped", "跳过 {} 行"),
    "withheld": ("{} withheld", "按要求不看 {}"),
    "undone": ("{} taken back", "撤回 {}"),
    "trained": ("{} learned", "习得 {}"),
}
_NOTHING = ("nothing to record", "无可记录")
_WAITS = ("waits", "等待中")
_LINE = ("{}: {} turn{s} of {}: {}{}", "{}：{} 条消息（{}）：{}{}")


def describe(report: SessionReport, language: Language = "en") -> str:
    """One line for people: what a session brought."""
    chinese = language == "zh"
    counts = {
        "added": report.added,
        "updated": report.updated,
        "superseded": report.superseded,
        "kept": report.kept,
        "dropped": len(report.dropped),
        "skipped": report.skipped_lines,
        "withheld": report.withheld,
        "undone": len(report.undone),
        "trained": report.trained,
    }
    done = [_DONE[name][chinese].format(count, s=_s(count)) for name, count in counts.items() if count]
    done += [_WAITS[chinese]] if report.waiting else []
    words = ("，" if chinese else ", ").join(done) or _NOTHING[chinese]
    commit = f" [{report.commit[:8]}]" if report.commit else ""
    session = f"{report.source}/{report.session}"
    return _LINE[chinese].format(report.identity, report.turns, session, words, commit, s=_s(report.turns))


def _s(count: int) -> str:
    return "" if count == 1 else "s"
