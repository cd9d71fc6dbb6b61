"""How the built-in types word an entry: its key and parts, read back from a text as it stands in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memfs.memory.ids import normalise_key
from memfs.memory.plain import find_words, has_cjk, negates, plain_text

FIELD_TYPES = frozenset(
    ("profile", "projects", "events", "cases", "identity", "soul", "trajectories", "skills", "tools")
)
_LABEL = re.compile(r"\s*(?P<label>[^\W\d][\w -]{0,30}?)\s*[:：]\s*(?P<value>\S.*)", re.DOTALL)
_BOLD = re.compile(r"\*\*(?P<topic>.+?)\*\*\s*[:：]?\s*")
_DATE_TAIL = re.compile(r"(?<![\s.。])[\s.。]*[(（](?P<date>\d{4}-\d{2}-\d{2})[)）]\s*$")
_TAG = re.compile(r"#[^\s#]+")
_STRUCK = re.compile(r"~~(?P<text>.*?)~~(?P<rest>.*)", re.DOTALL)
_SUPERSEDED_TAIL = re.compile(
    r"(?<!\s)\s*[(（]?\b(?:superseded|已被取代|取代于)\s*(?P<date>\d{4}-\d{2}-\d{2})[)）]?\s*$"
)
_PRIORITIES = {"high": "high", "medium": "medium", "low": "low", "高": "high", "中": "medium", "低": "low"}
_META = re.compile(
    r"(?<!\s)\s*[,，、;；]\s*(?:(?P<progress>in progress|进行中)"
    r"|(?P<priority>high|medium|low|高|中|低)(?: priority|优先级)?"
    r"|(?:due|截止|期限|by)\s*(?:[:：]\s*)?(?P<due>\d{4}-\d{2}-\d{2}))\s*$",
    re.IGNORECASE,
)
_DONE_TAIL = re.compile(r"(?<!\s)\s*[(（](?:done|完成于?)\s*\d{4}-\d{2}-\d{2}[)）]\s*$", re.IGNORECASE)
_STALE_TAIL = re.compile(
    r"(?<!\s)\s*[(（](?:stale since\s*|自\s*)(?P<day>\d{4}-\d{2}-\d{2})(?:\s*起无进展)?[)）]\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ActionText:
    """A task's line, taken apart."""

    task: str
    priority: str | None = None
    due: str | None = None
    in_progress: bool = False


def parse_action(text: str) -> ActionText:
    """The task and what its line says after it."""
    found: dict[str, str] = {}
    rest = _DONE_TAIL.sub("", without_stale(text))
    while match := _META.search(rest):
        found = {**{name: value for name, value in match.groupdict().items() if value}, **found}
        rest = rest[: match.start()]
    priority = _PRIORITIES.get(found.get("priority", "").lower())
    return ActionText(rest.strip(), priority, found.get("due"), "progress" in found)


def render_action(action: ActionText) -> str:
    """The task's line; Chinese words where the task has CJK letters."""
    zh = has_cjk(action.task)
    comma = "，" if zh else ", "
    priority = (
        {"high": "高", "medium": "中", "low": "低"}[action.priority]
        if zh and action.priority
        else action.priority
    )
    parts = [action.task]
    parts += [("进行中" if zh else "in progress")] if action.in_progress else []
    parts += [priority] if priority else []
    parts += [f"{'截止' if zh else 'due'} {action.due}"] if action.due else []
    return comma.join(parts)


def without_stale(text: str) -> str:
    """A task without the mark that nothing was heard of it for long."""
    return _STALE_TAIL.sub("", text)


def is_stale(text: str) -> bool:
    """Whether a task bears the mark that nothing was heard of it for long."""
    return _STALE_TAIL.search(text) is not None


def stale(text: str, since: str) -> str:
    """The task with that mark; ``since`` is the day (ISO) it was last heard of."""
    mark = f"（自 {since} 起无进展）" if has_cjk(text) else f" (stale since {since})"
    return f"{without_stale(text)}{mark}"


def split_label(text: str) -> tuple[str, str] | None:
    """``stage: beta`` -> (stage, beta); None for a text without a label."""
    match = _LABEL.fullmatch(plain_text(text))
    return (match["label"], match["value"]) if match else None


def split_topic(text: str) -> tuple[str, str] | None:
    """``**Topic**: decision`` -> (topic, the rest)."""
    match = _BOLD.match(text.strip())
    return (match["topic"], text.strip()[match.end() :]) if match else None


def decision_date(text: str) -> str | None:
    """The date in brackets at the end of a decision."""
    match = _DATE_TAIL.search(plain_text(unstruck(text)))
    return match["date"] if match else None


def without_date(text: str) -> str:
    """A decision without its date in brackets."""
    return _DATE_TAIL.sub("", text)


def is_struck(text: str) -> bool:
    """Whether an entry is marked as superseded in its own text."""
    return text.lstrip().startswith("~~") or _SUPERSEDED_TAIL.search(text) is not None


def unstruck(text: str) -> str:
    """A superseded entry's text without its marks."""
    bare = _SUPERSEDED_TAIL.sub("", text.strip())
    match = _STRUCK.fullmatch(bare)
    if match is None:
        return bare
    return _SUPERSEDED_TAIL.sub("", (match["text"] + match["rest"]).strip())


def strike(text: str, date: str) -> str:
    """The text of a superseded entry."""
    mark = f"（已被取代 {date}）" if has_cjk(text) else f" (superseded {date})"
    return f"~~{text}~~{mark}"


def split_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """A note's content and the tags at its end."""
    rest, tags = text.strip(), list[str]()
    while len(parts := rest.rsplit(None, 1)) == 2 and _TAG.fullmatch(parts[1]):
        rest, tags = parts[0], [parts[1][1:], *tags]
    return rest, tuple(tags)


@lru_cache(maxsize=16384)
def core_key(type_name: str, text: str) -> str:
    """The normalised text that counts when entries are compared: without dates, tags and priority."""
    if type_name == "actions":
        return normalise_key(parse_action(plain_text(text)).task)
    if type_name == "notes":
        return normalise_key(split_tags(text)[0])
    if type_name == "decisions":
        return normalise_key(without_date(text))
    return normalise_key(text)


def text_keys(type_name: str, trail: Sequence[str], text: str, *, owned: bool) -> frozenset[str]:
    """The normalised keys that an entry in a file may be known by, as its text stands now.

    ``trail``: the headings it stands under. ``owned``: memfs wrote it; then the heading of a preference is
    its topic (a hand-written line under the same heading may be about something else).
    """
    keys = {core_key(type_name, text)}
    if type_name in FIELD_TYPES:
        keys |= _field_keys(text)
    elif type_name == "decisions":
        topic = split_topic(text) or split_label(text)
        keys |= {normalise_key(topic[0])} if topic else set()
    elif type_name == "preferences" and owned and trail:
        keys |= {normalise_key(trail[-1])}
    return frozenset(keys)


def _field_keys(text: str) -> set[str]:
    parts = split_label(text)
    if parts is None:
        return set()
    label, value = parts
    items = [value, *re.split(r"\s*[,，、;；]\s*", value)]
    return {normalise_key(label), *(normalise_key(f"{label} {item}") for item in items)}


def combine(type_name: str, ours: str, theirs: str, *, status_said: bool = True) -> str:
    """The text to write where ``theirs`` is newer: an empty part never overwrites.

    ``status_said``: the new text says where a task stands; else "in progress" stays.
    """
    if type_name == "actions":
        old, new = parse_action(ours), parse_action(theirs)
        progress = new.in_progress or (old.in_progress and not status_said)
        same_task = normalise_key(old.task) == normalise_key(new.task)
        task = old.task if same_task else new.task
        whole = ActionText(task, new.priority or old.priority, new.due or old.due, progress)
        return theirs if whole == new else render_action(whole)
    if type_name == "notes" and core_key(type_name, ours) == core_key(type_name, theirs):
        content, tags = split_tags(theirs)
        known = dict.fromkeys((*split_tags(ours)[1], *tags))
        return " ".join([content, *(f"#{tag}" for tag in list(known)[:8])])
    if type_name == "decisions" and restates(theirs, ours):
        return ours
    return theirs


def redated(text: str, like: str) -> str:
    """A decision with the date that another text bears: said again, it is the same decision."""
    date = decision_date(like)
    return f"{without_date(text)} ({date})" if date and decision_date(text) else text


def same_sense(type_name: str, ours: str, theirs: str) -> bool:
    """Whether two entries of one key say the same, or one of them only more words of it.

    The key of tasks and notes is what they say; of a decision or a field it is only what they are about.
    """
    if type_name != "decisions" and type_name not in FIELD_TYPES:
        return True
    old, new = core_key(type_name, ours), core_key(type_name, theirs)
    if new in text_keys(type_name, (), ours, owned=False):
        return True  # one item of a list that the person keeps on one line
    short, long = sorted((old, new), key=len)
    at = find_words(short, long)
    return at >= 0 and not negates(f"{long[:at]} {long[at + len(short) :]}")


def restates(short: str, long: str) -> bool:
    """Whether a decision says what another says, dates aside, or says before a comma (", because ...")."""
    brief, full = _bare_decision(short), _bare_decision(long)
    rest = full[len(brief) :]
    added = full.startswith(brief) and rest[:1] in tuple(",;(，；、（") and not negates(rest)
    return added or normalise_key(brief) == normalise_key(full)


def _bare_decision(text: str) -> str:
    return without_date(plain_text(text)).casefold().rstrip(" .。!！")
