"""MCP over streamable HTTP in a real ``memfs up``: the same tools, the same door, the same reach."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from memfs.interfaces.mcp.tools import TOOLS
from memfs.services.opening import open_vault
from memfs.services.tokens import add_token
from tests.interfaces.mcp.conftest import Up, answer, call, over_http, over_stdio, serving


@pytest.fixture
def up(vault: Path) -> Iterator[Up]:
    with serving(vault) as running:
        yield running


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_real_client_lists_and_calls(up: Up, mode: str) -> None:
    async def work(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(TOOLS)
        kept = answer(await client.call_tool("remember", {"text": "By HTTP", "identity": "home-aide"}))
        assert "By HTTP" in answer(await client.call_tool("memory_get", {"id": kept["id"]}))["text"]
        assert (await client.list_resources()).resources
        assert (await client.get_prompt("hand_over", {})).messages

    over_http(f"{up.url}/mcp", up.token, work, mode=mode)


def test_an_identitys_token_reaches_that_identity(up: Up, vault: Path) -> None:
    token = add_token(open_vault(vault), "home-aide").token or ""

    async def work(client: Client) -> None:
        kept = answer(await client.call_tool("remember", {"text": "Mine"}))
        assert kept["path"].startswith("memories/home-aide/")
        assert (await client.call_tool("memory_list", {"identity": "coding-assistant"})).is_error
        document = "memories/coding-assistant/decisions.md"
        assert (await client.call_tool("memory_get", {"id": document})).is_error
        assert not [one for one in (await client.list_resources()).resources if "home-aide" not in one.name]

    over_http(f"{up.url}/mcp", token, work)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "OWNER", "Host": "evil.example.org"}, 421),
        ({"Authorization": "OWNER", "Origin": "https://evil.example.org"}, 403),
    ],
)
def test_the_same_door(up: Up, headers: dict[str, str], status: int) -> None:
    told = {name: value.replace("OWNER", f"Bearer {up.token}") for name, value in headers.items()}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    request = urllib.request.Request(
        f"{up.url}/mcp", body, {"Content-Type": "application/json", "Accept": "application/json", **told}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == status
    refused.value.close()


def test_what_one_way_writes_the_others_read(up: Up, vault: Path) -> None:
    kept = answer(
        over_http(f"{up.url}/mcp", up.token, call("remember", text="Anywhere", identity="home-aide"))
    )
    assert "Anywhere" in answer(over_stdio(vault, call("memory_get", id=kept["id"])))["text"]
    request = urllib.request.Request(
        f"{up.url}/api/entries/{kept['id']}", headers={"Authorization": f"Bearer {up.token}"}
    )
    with urllib.request.urlopen(request) as told:
        assert json.load(told)["text"] == "Anywhere"
