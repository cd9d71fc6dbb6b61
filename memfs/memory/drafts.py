"""From an operation to drafts: the entries as they would be written, before they meet what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from memfs.errors import ConfigError, InvalidRequest
from memfs.markdown.escape import escape_line
from memfs.memory.fields import clean_fields, main_field, open_field
from memfs.memory.filling import facts, fill_entry
from memfs.memory.headings import Language, heading
from memfs.memory.ids import entry_id, normalise_key
from memfs.memory.names import link_names
from memfs.memory.operators import add_number, apply_patch, is_patch
from memfs.memory.render import render
from memfs.memory.slugs import slug
from memfs.memory.types import FieldType, MemoryType, Registry
from memfs.memory.wording import split_label, split_tags
from memfs.model import Draft, Dropped, Evidence, FieldValue, Operation, Target

_PATH_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _Context:
    """What all drafts of one operation share."""

    type: MemoryType
    target: Target
    evidence: Evidence
    language: Language
    today: date
    names: Mapping[str, str]
    existing: Mapping[str, str]
    inferred: bool = False
    peer_name: str | None = None
    values: Mapping[str, FieldValue] = field(default_factory=dict)


def draft_entries(
    op: Operation,
    target: Target,
    registry: Registry,
    evidence: Evidence,
    *,
    language: Language,
    today: date,
    names: Mapping[str, str] | None = None,
    existing: Mapping[str, str] | None = None,
    peer_name: str | None = None,
) -> tuple[Draft, ...] | Dropped:
    """The drafts of one operation for one target, or why there are none.

    A type of shape ``fields`` gives one draft per field, per value where the operator is union; the others
    give one. ``names``: known names -> document in the vault, linked at their first mention. ``existing``:
    id -> text of the entries there are (``merge.entry_texts``); patches and sums need the old value. A
    value that does not fit its field leaves that field as it was; a missing key or an empty entry drops the
    operation. ``peer_name``: what the peer is called, where its id is a slug; kept as an alias.
    """
    memory_type = registry.types.get(op.type)
    if memory_type is None:
        return Dropped(op.type, "unknown memory type")
    context = _Context(
        memory_type, target, evidence, language, today, names or {}, existing or {}, op.inferred, peer_name
    )
    try:
        context = replace(context, values=clean_fields(memory_type, op.fields, evidence.time.date()))
        drafts = tuple(_field_drafts(context) if memory_type.shape == "fields" else _entry_drafts(context))
    except (InvalidRequest, ConfigError) as error:
        return Dropped(op.type, str(error))
    return drafts or Dropped(op.type, "nothing to write in it")


def _field_drafts(context: _Context) -> Iterator[Draft]:
    for name, value in context.values.items():
        declared = context.type.field(name) or open_field(name, value)
        if name in context.type.key or declared is None:
            continue
        for item in value if isinstance(value, tuple) else (value,):
            if draft := _field_draft(context, declared, item):
                yield draft


def _field_draft(context: _Context, declared: FieldType, item: str | int) -> Draft | None:
    """One line ``field: value``; None where the operator fails and the field keeps its old value."""
    keyed = [declared.name, str(item)] if declared.operator == "union" else [declared.name]
    parts = [str(context.values[part]) for part in context.type.key if part != "field"] + keyed
    entry = entry_id(context.target.identity, context.target.peer, context.type.name, parts)
    labelled = split_label(context.existing.get(entry, ""))
    value = _operate(declared, labelled[1] if labelled else None, item)
    if value is None:
        return None
    values = {**context.values, "field": declared.name, "value": value}
    text, _ = fill_entry(context.type, values, longest=("value",))
    draft = _draft(context, entry, " ".join(normalise_key(part) for part in keyed), text)
    mode = "add_only" if declared.operator == "immutable" else context.type.mode
    return replace(draft, field=declared.name, mode=mode)


def _entry_drafts(context: _Context) -> Iterator[Draft]:
    """The one draft of an ``item`` or ``paragraph``."""
    main = main_field(context.type)
    if main and main.name not in context.values:
        raise InvalidRequest(f"{main.name} is missing")
    longest = tuple(each.name for each in context.type.fields if each.kind == "text")
    values: dict[str, Any] = dict(context.values)
    # A key that is cut is cut before the id is made: the id must fit the text that will stand in the file.
    text, values = fill_entry(context.type, values, longest)
    parts = [str(values.get(part) or values[main.name if main else part]) for part in context.type.key]
    entry = entry_id(context.target.identity, context.target.peer, context.type.name, parts)
    if main and main.operator == "patch" and is_patch(str(values[main.name])):
        old = split_tags(context.existing[entry])[0] if entry in context.existing else None
        patched = apply_patch(old, str(values[main.name]))
        if patched is None:
            raise InvalidRequest(f"the patch of {main.name} does not match exactly once")
        text, values = fill_entry(context.type, {**context.values, main.name: patched}, longest)
    yield _draft(context, entry, " ".join(normalise_key(part) for part in parts), text)


def _operate(declared: FieldType, old: str | None, item: str | int) -> str | int | None:
    if declared.operator == "sum" and isinstance(item, int):
        return add_number(old, item)
    if declared.operator == "patch" and isinstance(item, str):
        return apply_patch(old, item)
    return item


def _draft(context: _Context, entry: str, key: str, text: str) -> Draft:
    memory_type, target = context.type, context.target
    document = _document(context)
    shown = link_names(escape_line(text), context.names, own=f"memories/{target.identity}/{document}")
    return Draft(
        id=entry,
        type=memory_type.name,
        field=None,
        document=document,
        section=_section(context),
        text=shown,
        evidence=context.evidence,
        title=_titled(context, memory_type.title) or memory_type.name,
        key=key,
        shape="paragraph" if memory_type.shape == "paragraph" else "item",
        box=_box(context),
        supersedes=memory_type.supersedes,
        inferred=context.inferred,
        mode=memory_type.mode,
        peer=target.peer,
        frontmatter=_frontmatter(context),
    )


def _document(context: _Context) -> str:
    day = str(context.values.get("date", ""))
    dated = {"yyyy": day[:4], "mm": day[5:7], "dd": day[8:10]}

    def part(match: re.Match[str]) -> str:
        return dated.get(match[1]) or slug(str(context.values.get(match[1], "")))

    path = _PATH_FIELD.sub(part, context.type.path)
    return f"peers/{context.target.peer}/{path}" if context.target.peer else path


def _section(context: _Context) -> tuple[str, ...]:
    title = _titled(context, context.type.section)
    return (title,) if title else ()


def _titled(context: _Context, source: str) -> str:
    values = {each.name: "" for each in context.type.fields} | dict(context.values)
    rendered = render(context.type.name, source, {**values, **facts(context.values)})
    words = " ".join(rendered.split())
    return heading(escape_line(words), context.language) if words else ""


def _box(context: _Context) -> str | None:
    status = context.type.field("status")
    if status is None or "done" not in status.choices:
        return None
    said = context.values.get("status")
    return "" if said is None else "x" if said == "done" else " "


def _frontmatter(context: _Context) -> dict[str, str | tuple[str, ...]]:
    front: dict[str, str | tuple[str, ...]] = {
        "identity": context.target.identity,
        "type": context.type.name,
        "created": context.today.isoformat(),
    }
    if context.target.peer:
        front["peer"] = context.target.peer
    if isinstance(category := context.values.get("category"), str):
        front["tags"] = (slug(category),)
    named = _PATH_FIELD.findall(context.type.path)
    name = str(context.values.get(named[-1], "")) if named else ""
    called = name or context.peer_name or ""
    if called and called != (slug(name) if name else context.target.peer):
        front["aliases"] = (called,)
    return front
