"""Every setting, declared once: the fields of `Config` and of the groups in it.

A field's default, kind, range, choices and description are its declaration; `SETTINGS` lists them all
under their dotted names, in the order of the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, cast

Kind = Literal["text", "integer", "boolean", "list"]
Value = str | int | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must satisfy. Bounds are inclusive; ``also`` are values allowed outside them.

    ``pattern`` fits the whole text, ``zone`` asks for a time zone's name; ``expected`` says either in words.
    ``local``: names something of this machine, so a file that is committed must not set it.
    ``cron`` asks for a schedule that the cron library can read.
    """

    kind: Kind = "text"
    low: int | None = None
    high: int | None = None
    also: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    zone: bool = False
    expected: str = ""
    local: bool = False
    cron: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: ``key`` is its dotted name, ``place`` the attributes of `Config` that lead to it."""

    key: str
    place: tuple[str, ...]
    default: Value
    rule: Rule
    description: str
    variable: str | None = None

    @property
    def allowed(self) -> str:
        """Range or choices in words, for messages and the reference."""
        return describe_rule(self.rule)

    def value(self, config: Config) -> Value:
        """This setting's value in ``config``."""
        found: Any = config
        for name in self.place:
            found = getattr(found, name)
        return found  # type: ignore[no-any-return]


def describe_rule(rule: Rule) -> str:
    """Say in words which values a rule lets through."""
    if rule.expected:
        return rule.expected
    if rule.choices:
        return ", ".join(f"`{choice}`" for choice in rule.choices)
    if rule.kind == "text":
        if rule.high is not None:
            return f"at most {rule.high:,} characters"
        return "text" if rule.low is None else "text, not empty"
    if rule.kind == "integer":
        others = "".join(f", or {value}" for value in rule.also)
        return (
            f"{rule.low:,} or more{others}" if rule.high is None else f"{rule.low:,} to {rule.high:,}{others}"
        )
    return {"boolean": "`true`, `false`", "list": "list of text"}[rule.kind]


def _kind(default: Value) -> Kind:
    if isinstance(default, bool):
        return "boolean"
    if isinstance(default, int):
        return "integer"
    return "text" if isinstance(default, str) else "list"


def setting(
    default: Value, description: str, *, key: str | None = None, variable: str | None = None, **rule: Any
) -> Any:
    """Declare a setting as a dataclass field; ``key`` where its name in the file is not the attribute's."""
    metadata = {
        "rule": Rule(kind=_kind(default), **rule),
        "description": description,
        "key": key,
        "variable": variable,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class ExtractConfig:
    """How transcripts become operations."""

    model: str = setting(
        "rules",
        "What extracts: `rules` is built in and offline, others are language models; empty turns extraction off.",
        variable="MEMFS_EXTRACT_MODEL",
        pattern=r"(rules|(openai|anthropic|ollama):\S+)?",
        expected="`rules`, `openai:NAME`, `anthropic:NAME`, `ollama:NAME` or empty",
    )
    base_url: str = setting(
        "",
        "Address of an OpenAI-compatible server; empty: the model's own.",
        variable="MEMFS_EXTRACT_BASE_URL",
        pattern=r"(https?://\S+)?",
        expected="an http:// or https:// address",
    )
    key_file: str = setting(
        "",
        "File that holds the key of the model's provider; only in `memfs.local.toml`, and outside the vault.",
        variable="MEMFS_EXTRACT_KEY_FILE",
        local=True,
    )
    when: str = setting(
        "live",
        "`live` extracts as transcripts grow; with `daily` the watcher only notes what is pending.",
        choices=("live", "daily"),
    )
    instructions: str = setting("", "Your own instructions to the model; no effect with `rules`.", high=1000)
    delay_seconds: int = setting(
        90,
        "Seconds of quiet after a transcript's last growth; 0 for trying out.",
        variable="MEMFS_EXTRACT_DELAY_SECONDS",
        low=5,
        high=3600,
        also=(0,),
    )
    min_interval_seconds: int = setting(
        300, "Least seconds between two extractions of one identity; nothing is dropped.", low=0, high=86400
    )
    max_tokens_per_identity_per_day: int = setting(
        100_000,
        "Ceiling for paid models, per identity and day; reaching it only defers. 0: none.",
        low=0,
    )
    max_tokens_per_call: int = setting(
        8000, "Longest prompt that is sent in one call, in tokens.", low=2000, high=200_000
    )
    timeout_seconds: int = setting(120, "Seconds to wait for a model's answer, at most.", low=1, high=480)


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """What may be remembered, unless an identity or a session says it more narrowly."""

    self_enabled: bool = setting(True, "Remember what concerns the identity's own user.", key="self.enabled")
    peer_enabled: bool = setting(True, "Remember what concerns peers.", key="peer.enabled")
    working_memory_enabled: bool = setting(
        True, "Keep a dated summary of each conversation in the journal.", key="working_memory.enabled"
    )
    memory_types: tuple[str, ...] | None = setting(
        None, "The only memory types allowed; unset: all enabled types."
    )


@dataclass(frozen=True, slots=True)
class ArchiveConfig:
    """Files that conversations mention."""

    roots: tuple[str, ...] = setting((), "Folders that files may be archived from, and to.")
    delete_originals: bool = setting(False, "Delete an original after its archived copy was verified.")
    max_megabytes: int = setting(2048, "Larger files are left where they are.", low=1, high=1_000_000)


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """What is searched."""

    include: tuple[str, ...] = setting(("**/*.md",), "Notes that are searched, as globs beneath the vault.")
    sessions: bool = setting(
        False,
        "Where memory holds no answer, look into the transcripts' turns too; their index is made when used.",
    )


@dataclass(frozen=True, slots=True)
class EmbeddingsConfig:
    """The vectors of hybrid search."""

    engine: str = setting(
        "multilingual",
        "`multilingual` is built in; `static`, `minilm` (both English) and `sentence-transformers` are extras; "
        "`none` searches words only.",
        choices=("multilingual", "static", "minilm", "sentence-transformers", "none"),
        variable="MEMFS_EMBEDDINGS_ENGINE",
    )
    model: str = setting(
        "", "Model name or path for `sentence-transformers`.", variable="MEMFS_EMBEDDINGS_MODEL"
    )


@dataclass(frozen=True, slots=True)
class DailyConfig:
    """The daily run."""

    schedule: str = setting(
        "0 59 23 * * *",
        "When the daily run starts: second, minute, hour, day, month, weekday, in local time.",
        pattern=r"[\d*/,A-Za-z?-]+( +[\d*/,A-Za-z?-]+){5}",
        expected="six fields, seconds first",
        cron=True,
    )
    mode: str = setting(
        "compact",
        "What a language model reads in the daily run: `compact` the salient sentences of the day, `full` all of it.",
        choices=("compact", "full"),
    )
    review: bool = setting(True, "Review what is remembered (`memfs review`) at the end of the daily run.")


@dataclass(frozen=True, slots=True)
class HttpConfig:
    """What `memfs up` serves."""

    host: str = setting(
        "127.0.0.1",
        "Address that `memfs up` listens on; any but a loopback address lets other machines reach it.",
        variable="MEMFS_HTTP_HOST",
        low=1,
    )
    port: int = setting(
        8767, "Port of `memfs up`; 0 takes a free one.", variable="MEMFS_HTTP_PORT", low=0, high=65535
    )
    hosts: tuple[str, ...] = setting(
        (), "Further names, with port where it is not 80, under which `memfs up` is reached (a proxy's)."
    )
    origins: tuple[str, ...] = setting(
        (), "Web pages that may call `memfs up`, such as `https://notes.example.org`."
    )


@dataclass(frozen=True, slots=True)
class ReviewConfig:
    """The review of what is remembered."""

    stale_days: int = setting(
        45, "Days without news after which an open task is marked as stale; 0: never.", low=0, high=3650
    )
    archive_days: int = setting(
        90, "Days after which a finished task is archived; 0: never.", low=0, high=3650
    )


@dataclass(frozen=True, slots=True)
class JournalConfig:
    """The working-memory summaries in `journal/`."""

    writer: str = setting(
        "auto",
        "Who writes them: `auto` the language model that extracts, where there is one; `rules` always offline.",
        choices=("auto", "rules"),
    )
    lines: int = setting(
        20, "Most lines of a section; a full one takes no more, and the report says so.", low=5, high=100
    )
    characters: int = setting(300, "Longest line, in characters.", low=80, high=600)


@dataclass(frozen=True, slots=True)
class TranscriptsConfig:
    """Merged transcripts."""

    keep: bool = setting(True, "Keep a redacted copy of merged turns under `archive/transcripts/`.")


@dataclass(frozen=True, slots=True)
class GitConfig:
    """The vault's repository."""

    branch: str = setting("", "Branch that memories are committed to; `memfs init` writes it here.")


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """The watcher."""

    rescan_seconds: int = setting(60, "Seconds between two full looks at the sources.", low=1, high=86400)
    polling: str = setting(
        "auto",
        "`always` for network drives without change events; `auto` polls only where events fail.",
        choices=("auto", "always", "never"),
        variable="MEMFS_WATCH_POLLING",
    )


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """A folder of transcripts: one ``[[sources]]`` block."""

    path: str = setting(
        "", "The folder, or one file; `~` is your home, a relative path starts at the vault. Required.", low=1
    )
    name: str = setting("", "A short name for messages; else the path.")
    identity: str = setting("", "Whose memory it feeds; else the transcript says it.")
    project: str = setting("", "The project its conversations are about; else their working directory.")
    include: tuple[str, ...] = setting((), "Only files that match one of these globs.")
    exclude: tuple[str, ...] = setting((), "No files that match one of these globs.")
    archive: bool = setting(False, "Move merged transcripts to the archive; else they are never touched.")
    me: tuple[str, ...] = setting((), "Your own names in its group chats.")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a vault. ``origins`` names where a setting that is not at its default was set."""

    root: str = setting(
        "",
        "Folder beneath the vault's top that memfs keeps its own folders in; empty: the top itself.",
        pattern=r"(?!/)(?!.*(^|/)\.\.(/|$))[^\\:]*",
        expected="a path inside the vault",
    )
    language: str = setting(
        "en",
        "Headings, messages and commit subjects; memories stay in their conversation's language.",
        choices=("en", "zh"),
        variable="MEMFS_LANGUAGE",
    )
    timezone: str = setting(
        "",
        "Time zone of your days; empty: the system's.",
        variable="MEMFS_TIMEZONE",
        zone=True,
        expected="a time zone such as `Europe/Madrid`",
    )
    file_archive_path: str = setting(
        "", "Where files are archived; empty: `archive/` in the vault.", variable="MEMFS_FILE_ARCHIVE_PATH"
    )
    extract: ExtractConfig = field(default_factory=ExtractConfig)
    memory_policy: PolicyConfig = field(default_factory=PolicyConfig)
    archive: ArchiveConfig = field(default_factory=ArchiveConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    embeddings: EmbeddingsConfig = field(default_factory=EmbeddingsConfig)
    daily: DailyConfig = field(default_factory=DailyConfig)
    http: HttpConfig = field(default_factory=HttpConfig)
    review: ReviewConfig = field(default_factory=ReviewConfig)
    journal: JournalConfig = field(default_factory=JournalConfig)
    transcripts: TranscriptsConfig = field(default_factory=TranscriptsConfig)
    git: GitConfig = field(default_factory=GitConfig)
    watch: WatchConfig = field(default_factory=WatchConfig)
    sources: tuple[SourceConfig, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)


def _declared(group: Any, prefix: str = "", place: tuple[str, ...] = ()) -> Iterator[Setting]:
    for entry in fields(group):
        here = (*place, entry.name)
        if "rule" in entry.metadata:
            yield Setting(
                key=prefix + (entry.metadata["key"] or entry.name),
                place=here,
                default=cast("Value", entry.default),
                rule=entry.metadata["rule"],
                description=entry.metadata["description"],
                variable=entry.metadata["variable"],
            )
        elif is_dataclass(entry.default_factory):
            yield from _declared(entry.default_factory, f"{prefix}{entry.name}.", here)


SETTINGS: Mapping[str, Setting] = {declared.key: declared for declared in _declared(Config)}
SOURCE_SETTINGS: Mapping[str, Setting] = {
    declared.key: declared for declared in _declared(SourceConfig, "sources.")
}
