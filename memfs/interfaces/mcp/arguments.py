"""The arguments of the tools. Agents say ``q`` for a query and ``max_results`` for a limit: both are taken."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class Arguments(BaseModel):
    """What all arguments are. One that no tool has is ignored: clients add their own."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=10_000,
        validation_alias=AliasChoices("query", "q", "text", "search"),
        description="Plain words in any language; no character has a special meaning.",
    ),
]
Limit = Annotated[
    int,
    Field(
        ge=1,
        le=100,
        validation_alias=AliasChoices("limit", "max_results", "n", "top_k", "count"),
        description="At most so many.",
    ),
]
Identity = Annotated[
    str | None,
    Field(
        max_length=80,
        validation_alias=AliasChoices("identity", "agent", "identity_id"),
        description="Whose memory (an agent role, never a model); not needed where there is only one.",
    ),
]
Entry = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        validation_alias=AliasChoices("id", "entry", "entry_id", "memory_id"),
        description="The id of a memory, as search gives it.",
    ),
]
Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=20_000,
        validation_alias=AliasChoices("text", "content", "memory", "fact"),
    ),
]


class Search(Arguments):
    """What to look for."""

    query: Query
    identity: Identity = None
    type: str | None = Field(
        default=None, max_length=80, description="decisions, actions, preferences, notes ..."
    )
    peer: str | None = Field(default=None, max_length=200, description="Only what is known of this peer.")
    tag: str | None = Field(default=None, max_length=200)
    since: date | None = Field(default=None, description="From this day on (2026-11-30).")
    until: date | None = Field(default=None, description="Up to this day.")
    limit: Limit = 10


class Get(Arguments):
    """What to read: a memory's id, or a document's path."""

    reference: Annotated[
        str,
        Field(
            min_length=1,
            max_length=500,
            validation_alias=AliasChoices("id", "reference", "entry", "path", "document"),
            serialization_alias="id",
            description="The id of a memory, or the path of a document, as search gives them.",
        ),
    ]


class Context(Arguments):
    """What is to be answered, if anything."""

    message: str = Field(
        default="",
        max_length=20_000,
        validation_alias=AliasChoices("message", "query", "q"),
        description="The message at hand; what it brings to mind is added.",
    )
    identity: Identity = None
    budget: int | None = Field(
        default=None,
        ge=50,
        le=100_000,
        validation_alias=AliasChoices("budget", "max_tokens"),
        description="At most so many tokens.",
    )


class Remember(Arguments):
    """What to keep."""

    text: Annotated[Text, Field(description="One fact, decision, preference, task or note, in a sentence.")]
    identity: Identity = None
    type: str = Field(
        default="notes", max_length=80, description="decisions, actions, preferences, profile, notes"
    )
    peer: str | None = Field(default=None, max_length=200, description="It is about this peer.")
    fields: dict[str, Any] | None = Field(
        default=None, description="Fields of the type, such as topic, due or priority."
    )


class OneEntry(Arguments):
    """Which memory."""

    entry: Annotated[Entry, Field(serialization_alias="id")]


class AddBaton(Arguments):
    """A note for the next agent."""

    text: Annotated[Text, Field(max_length=400, description="What you did or need, in your own words.")]
    channel: str = Field(max_length=80, description="Where this conversation takes place (feishu, cli ...).")
    identity: Identity = None
    role: Literal["user", "assistant"] = "assistant"
    session: str | None = Field(default=None, max_length=300)
    message: str | None = Field(default=None, max_length=300, description="The id of the message it sums up.")
    reply_to: str | None = Field(default=None, max_length=80, description="The baton that it answers.")


class OneIdentity(Arguments):
    """Whose."""

    identity: Identity = None


class Recent(Arguments):
    """How far back."""

    identity: Identity = None
    limit: Limit = 20
    since: date | None = Field(default=None, description="From this day on (2026-11-30).")


class ListEntries(Arguments):
    """Which memories to list."""

    identity: Identity = None
    type: str | None = Field(default=None, max_length=80)
    peer: str | None = Field(default=None, max_length=200)
    limit: Annotated[Limit, Field(le=1000)] = 100


class PushedTurn(Arguments):
    """One message. ``id`` is its own for ever: however often it is sent, it is kept once."""

    id: str = Field(min_length=1, max_length=300)
    role: Literal["user", "assistant", "participant"]
    text: str = Field(max_length=1_000_000, validation_alias=AliasChoices("text", "content"))
    timestamp: str | None = Field(default=None, max_length=64, description="ISO 8601; else now.")
    speaker: str | None = Field(default=None, max_length=300)
    peer: str | None = Field(default=None, max_length=300)


class Push(Arguments):
    """Turns of one conversation, in their order."""

    session: str = Field(min_length=1, max_length=300, validation_alias=AliasChoices("session", "session_id"))
    turns: list[PushedTurn] = Field(
        min_length=1, max_length=1000, validation_alias=AliasChoices("turns", "messages")
    )
    identity: Identity = None
    channel: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)


class FindPages(Arguments):
    """What to look for, as ChatGPT's connectors say it."""

    query: Query


class FetchPage(Arguments):
    """What to read, as ChatGPT's connectors say it."""

    id: Annotated[str, Field(min_length=1, max_length=500, validation_alias=AliasChoices("id", "reference"))]
