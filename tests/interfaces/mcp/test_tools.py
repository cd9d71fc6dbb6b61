"""The tools by the real client: what they say of themselves, what they take, and that answers fit their schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult, ListToolsResult, TextContent

from memfs.interfaces.answers import Answer
from memfs.interfaces.mcp.tools import TOOLS
from tests.interfaces.mcp.conftest import answer, call, in_process

WANTED = {
    "memory_search",
    "memory_get",
    "memory_context",
    "remember",
    "forget",
    "relay_add",
    "relay_read",
    "memory_why",
    "memory_recent",
    "search",
    "fetch",
}
READING = {
    "memory_search",
    "memory_get",
    "memory_context",
    "memory_list",
    "memory_why",
    "memory_recent",
    "relay_read",
    "search",
    "fetch",
}
TURNS = [{"id": "m-1", "role": "user", "content": "We decided to use DuckDB for the tide cache."}]
# A call of each tool, in an order in which each finds what it needs.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"text": "The meter stands in the hall", "identity": "home-aide"}),
    ("memory_search", {"query": "meter hall"}),
    ("search", {"query": "meter hall"}),
    ("memory_list", {"identity": "home-aide"}),
    ("memory_context", {"message": "meter", "identity": "home-aide"}),
    ("relay_add", {"text": "Took the meter's number, Ana has it", "channel": "cli", "identity": "home-aide"}),
    ("relay_read", {"identity": "home-aide"}),
    ("push_turns", {"session": "s-1", "turns": TURNS, "identity": "home-aide"}),
    ("memory_recent", {"identity": "home-aide", "limit": 3}),
]


def test_the_list(vault: Path) -> None:
    async def work(client: Client) -> ListToolsResult:
        return await client.list_tools()

    tools = {tool.name: tool for tool in in_process(vault, work).tools}
    assert set(tools) == set(TOOLS) >= WANTED
    for name, tool in tools.items():
        assert tool.description
        assert tool.title
        assert tool.annotations is not None
        told = tool.annotations
        assert told.read_only_hint == (name in READING)
        assert told.destructive_hint == (name == "forget")
        assert told.idempotent_hint == (name != "relay_add")
        assert told.open_world_hint is False
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_as_its_schema_says(vault: Path, mode: str) -> None:
    """The client checks answers against the schemas too; keys that a schema does not name are looked for here."""

    async def work(client: Client) -> dict[str, CallToolResult]:
        await client.list_tools()
        answers = {name: await client.call_tool(name, given) for name, given in CALLS}
        kept = answers["remember"].structured_content
        assert isinstance(kept, dict)
        for name in ("memory_get", "fetch", "memory_why", "forget"):
            answers[name] = await client.call_tool(name, {"id": kept["id"]})
        return answers

    answers = in_process(vault, work, mode=mode)
    assert set(answers) == set(TOOLS)
    for name, result in answers.items():
        given = answer(result)
        jsonschema.validate(given, TOOLS[name].gives.model_json_schema(mode="serialization"))
        assert_no_more(TOOLS[name].gives.model_validate(given))
    assert answer(answers["memory_search"])["hits"][0]["text"] == "The meter stands in the hall"
    assert answer(answers["push_turns"]) == {"session": "s-1", "accepted": 1, "known": 0}
    assert answer(answers["relay_read"])["batons"][-1]["text"].startswith("Took the meter's number")
    assert answer(answers["forget"])["action"] == "forget"


def assert_no_more(value: Answer) -> None:
    """The model names every key of the answer, all the way down."""
    assert not value.model_extra, (type(value).__name__, value.model_extra)
    for field in type(value).model_fields:
        inner = getattr(value, field)
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, Answer):
                assert_no_more(one)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("memory_search", {"q": "tide cache", "max_results": 2}),
        ("memory_search", {"text": "tide cache", "top_k": 2}),
        ("memory_search", {"query": "tide cache", "limit": 2, "unknown": True}),
        ("search", {"q": "tide cache"}),
        ("memory_context", {"query": "tide cache", "identity": "coding-assistant", "max_tokens": 500}),
        ("memory_recent", {"n": 2}),
        ("memory_get", {"path": "memories/coding-assistant/decisions.md"}),
        ("memory_get", {"document": "memories/coding-assistant/decisions"}),
        ("remember", {"content": "Tea at four", "agent": "home-aide"}),
    ],
)
def test_arguments_go_by_several_names(vault: Path, name: str, given: dict[str, Any]) -> None:
    assert answer(in_process(vault, call(name, **given)))


def test_limits_hold(vault: Path) -> None:
    assert len(answer(in_process(vault, call("memory_search", q="tide", limit=1)))["hits"]) == 1
    assert len(answer(in_process(vault, call("memory_list", limit=2)))["entries"]) == 2


def test_connectors_get_one_text_of_json(vault: Path) -> None:
    """The shape that ChatGPT's connectors want: results with id, title, url; a page with text and metadata."""

    async def work(client: Client) -> tuple[CallToolResult, CallToolResult]:
        found = await client.call_tool("search", {"query": "tide cache"})
        (content,) = found.content
        assert isinstance(content, TextContent)
        first = json.loads(content.text)["results"][0]
        return found, await client.call_tool("fetch", {"id": first["id"]})

    found, page = in_process(vault, work)
    (content,) = found.content
    assert isinstance(content, TextContent)
    results = json.loads(content.text)
    assert set(results) == {"results"}
    assert all(set(one) == {"id", "title", "url"} for one in results["results"])
    (content,) = page.content
    assert isinstance(content, TextContent)
    told = json.loads(content.text)
    assert set(told) == {"id", "title", "text", "url", "metadata"}
    assert all(isinstance(value, str) for value in told["metadata"].values())
    assert told["url"] == results["results"][0]["url"]


def test_sv_03_one_id_everywhere(vault: Path) -> None:
    """An id in a list is the id in get, fetch, why and forget; a hit without one is read by the id it is given."""

    async def work(client: Client) -> None:
        listed = answer(await client.call_tool("memory_list", {"limit": 1000}))["entries"]
        ids = [one["id"] for one in listed if one["id"]]
        assert len(ids) > 5
        for id in ids:
            text = answer(await client.call_tool("memory_get", {"id": id}))["text"]
            assert f"^{id}" in text
            assert answer(await client.call_tool("fetch", {"id": id}))["id"] == id
            assert answer(await client.call_tool("memory_why", {"id": id}))["entry"]["id"] == id
        for query in ("tide cache", "harbour", "database"):
            for one in answer(await client.call_tool("search", {"query": query}))["results"]:
                assert answer(await client.call_tool("fetch", {"id": one["id"]}))["text"]

    in_process(vault, work)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("memory_search", {}, "query: Field required"),
        ("memory_search", {"q": "x", "limit": 0}, "limit"),
        ("memory_get", {"id": "m-aaaaaaaaaaaaa"}, "no entry"),
        ("memory_get", {"id": "../../../etc/passwd"}, "no such document"),
        ("remember", {"text": "x"}, "several identities"),
        ("remember", {"text": "x", "identity": "home-aide", "type": "nope"}, "no memory type"),
        ("remember", {"text": "x", "identity": "home-aide", "fields": {"topic": {}}}, "a text"),
        ("forget", {"id": "m-aaaaaaaaaaaaa"}, "no entry has the id"),
        ("relay_add", {"text": "x" * 401, "channel": "cli"}, "text"),
        ("nope", {}, "no tool is called nope"),
    ],
)
def test_an_error_is_an_answer_that_says_what_to_do(
    vault: Path, name: str, given: dict[str, Any], told: str
) -> None:
    result = in_process(vault, call(name, **given))
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert told in content.text


def test_sv_02_success_is_only_said_after_the_write(vault: Path, git: Any) -> None:
    """On another branch nothing can be written: the answer is an error, and nothing was made."""
    git(vault, "switch", "-q", "-c", "other")
    before = git(vault, "rev-parse", "HEAD")
    result = in_process(vault, call("remember", text="Kept?", identity="home-aide"))
    assert result.is_error
    assert git(vault, "rev-parse", "HEAD") == before
    assert "Kept?" not in (vault / "memories" / "home-aide" / "notes.md").read_text()


def test_one_identity_alone(vault: Path) -> None:
    """``memfs mcp --identity``: the agent need not name it, and cannot reach another."""

    async def work(client: Client) -> None:
        kept = answer(await client.call_tool("remember", {"text": "Mine"}))
        assert kept["path"].startswith("memories/home-aide/")
        entries = answer(await client.call_tool("memory_list", {"limit": 1000}))["entries"]
        assert {one["identity"] for one in entries} == {"home-aide"}
        other = await client.call_tool("memory_list", {"identity": "coding-assistant"})
        assert other.is_error
        read = await client.call_tool("memory_get", {"id": "memories/coding-assistant/decisions.md"})
        assert read.is_error

    in_process(vault, work, identity="home-aide")


def test_resources_and_prompts(vault: Path) -> None:
    async def work(client: Client) -> None:
        listed = (await client.list_resources()).resources
        uris = {one.name: str(one.uri) for one in listed}
        name = "memories/coding-assistant/decisions.md"
        (content,) = (await client.read_resource(uris[name])).contents
        assert content.text == (vault / name).read_text()  # type: ignore[union-attr]
        assert (await client.list_resource_templates()).resource_templates
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        assert prompts == {"memory_context", "hand_over"}
        given = {"message": "tide cache", "identity": "coding-assistant"}
        (message,) = (await client.get_prompt("memory_context", given)).messages
        assert "tide cache" in message.content.text  # type: ignore[union-attr]
        (message,) = (await client.get_prompt("hand_over", {"channel": "feishu"})).messages
        assert "feishu" in message.content.text  # type: ignore[union-attr]
        with pytest.raises(Exception, match=r"no such|no entry|no resource"):
            await client.read_resource("memfs://vault/../../etc/passwd")

    in_process(vault, work)
