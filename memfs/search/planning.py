"""What an update has to do: which files are new to the index, which are gone, which only lie differently."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from memfs.model import Stat
from memfs.search.analysis import encodable
from memfs.search.manifest import Record

Content = str | bytes | None
_UNSETTLED_NS = 2_000_000_000  # a file written less than this before it was read may be written again unseen


@dataclass(slots=True)
class Plan:
    """Records to write, the texts to cut up, paths to drop, stats of unchanged files, names that are no text."""

    put: list[Record] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    drop: list[str] = field(default_factory=list)
    same: dict[str, Stat | None] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)


def plan_changes(
    files: Mapping[str, Content], stats: Mapping[str, Stat], known: Mapping[str, Record]
) -> Plan:
    """Compare ``files`` with what is ``known`` of them."""
    plan, now = Plan(), time.time_ns()
    for path, content in files.items():
        if path != encodable(path):
            plan.unnamed.append(path)
            continue
        if content is None:
            plan.drop.append(path)
            continue
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        stat = stats.get(path)
        if stat is not None and now - stat.ctime_ns < _UNSETTLED_NS:
            stat = None
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        if path in known and known[path].hash == digest:
            plan.same[path] = stat
            continue
        problem = None
        try:
            plan.texts[path] = data.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"not UTF-8 text (byte {error.start})"
        plan.put.append(Record(path, digest, stat, problem))
    return plan
