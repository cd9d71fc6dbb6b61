"""Documents as resources, and two prompts: for clients in which a person picks what an agent is to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from mcp_types import (
    GetPromptResult,
    ListResourcesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from memfs.errors import EntryNotFound, InvalidRequest

if TYPE_CHECKING:
    from memfs.interfaces.reach import Reach

SCHEME = "memfs://vault/"
_LISTED = 500
TEMPLATES = (
    ResourceTemplate(
        uri_template=SCHEME + "{+path}",
        name="document",
        title="A document of the vault",
        description="The Markdown of a document, such as memories/coding-assistant/decisions.md.",
        mime_type="text/markdown",
    ),
)
PROMPTS = (
    Prompt(
        name="memory_context",
        title="What memory knows of this",
        description="Puts what memory holds before the conversation, and what a message brings to mind.",
        arguments=[
            PromptArgument(name="message", description="What it is about.", required=False),
            PromptArgument(name="identity", description="Whose memory.", required=False),
        ],
    ),
    Prompt(
        name="hand_over",
        title="Hand over to the next agent",
        description="Asks the agent to note for the next one what was done and what is open.",
        arguments=[
            PromptArgument(
                name="channel", description="Where this takes place (cli, feishu ...).", required=False
            )
        ],
    ),
)
_HAND_OVER = (
    "Sum up what was done in this conversation and what is open, in at most 400 characters and your own words, "
    "and put it on the relay board with the tool relay_add (channel: {channel}). Leave out pleasantries and "
    "secrets. Then keep each lasting decision, preference or task with the tool remember, if it is not kept yet."
)


def list_resources(reach: Reach) -> ListResourcesResult:
    """The documents of memory that the caller sees."""
    from memfs.vault.scan import scan_documents

    vault = reach.memory.vault
    folders = [vault.layout.rel(vault.layout.identity_dir(name)) for name in reach.identities()]
    found = scan_documents(vault.layout, [f"{folder}/**/*.md" for folder in folders]).documents
    return ListResourcesResult(
        resources=[
            Resource(uri=SCHEME + quote(path), name=path, mime_type="text/markdown", size=found[path].size)
            for path in sorted(found)[:_LISTED]
        ]
    )


def read_resource(reach: Reach, uri: str) -> ReadResourceResult:
    """A document's text. Raises EntryNotFound where there is none that the caller sees."""
    address, _, entry = uri.partition("#^")
    if not address.startswith(SCHEME):
        raise EntryNotFound(f"no resource {uri!r}", hint=f"they begin with {SCHEME}")
    text = reach.show(entry or unquote(address.removeprefix(SCHEME)))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/markdown", text=text)])


def get_prompt(reach: Reach, name: str, given: Mapping[str, Any]) -> GetPromptResult:
    """What a prompt puts before the agent. Raises InvalidRequest for one that there is not."""
    if name == "memory_context":
        found = reach.context(str(given.get("message") or ""), identity=given.get("identity") or None)
        text = found.text or "Memory holds nothing on this yet."
    elif name == "hand_over":
        text = _HAND_OVER.format(channel=given.get("channel") or "cli")
    else:
        raise InvalidRequest(f"no prompt {name!r}")
    description = next(prompt.description for prompt in PROMPTS if prompt.name == name)
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=description, messages=[message])
