"""The official MCP client against the web process of a site, over the network, in both eras."""

import asyncio
import re
import shlex
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
import requests
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.data_folders import ROOT
from tests.runs.episodes.players import ERAS
from tests.runs.episodes.served import served
from tests.waiting import patience

eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
NEXT = re.compile(r"^Period (\d+) of (\d+)", re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), ECONEVALS_API_REQUESTS="100000") as site:
        yield site


def connected(site, token, mode, question):
    """What a coroutine function of the connected client returns."""

    async def ask():
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=patience()) as http:
            transport = streamable_http_client(f"{site.address}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await question(client)

    # In a thread of its own: the browser's driver may keep an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, ask()).result()


async def play(client):
    """A whole episode as a host plays it, by what the tools say; the prices it set."""
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"start_period", "set_prices"} <= tools
    said, prices = await text_of(client, "start_period"), []
    while "finished" not in said:
        period = int(NEXT.search(said)[1])
        assert await text_of(client, "get_attempt_number") == str(period)
        await text_of(client, "get_previous_pricing_data", from_period=max(0, period - 3))
        await text_of(client, "write_notes", notes=f"Period {period}.")
        prices.append(3 + period % 7)
        said = await text_of(client, "set_prices", period=period, prices_dict_str=f"{{'Product_1': {prices[-1]}}}")
    return prices


async def text_of(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.content[0].text


@pytest.mark.long
@eras
def test_the_official_client_plays_an_episode_to_its_end(site, mode):
    episode = site.open_episode(periods=12, harness={"kind": "mcp", "name": "official client", "version": mode})
    assert episode["mcp"].endswith("/mcp")
    prices = connected(site, episode["token"], mode, play)
    run = site.ask("GET", f"/runs/{episode['run']}")
    assert (len(prices), run["state"], run["periods_played"]) == (12, "finished", 12)
    assert run["score"] is not None
    actions = [entry for entry in site.journal(episode["id"]) if entry["is_action"]]
    assert [entry["period"] for entry in actions] == list(range(len(actions)))
    assert [entry["arguments"]["prices_dict_str"]["Product_1"] for entry in actions] == prices[: len(actions)]


@eras
def test_assistants_of_members_read_the_same_site(site, mode):
    async def ask(client):
        return [tool.name for tool in (await client.list_tools()).tools], await text_of(client, "list_agents", limit=1)

    tools, answer = connected(site, site.token, mode, ask)
    assert "list_runs" in tools and "start_period" not in tools
    assert '"items":[{' in answer


def test_the_server_accepts_headers_with_spaces_and_refuses_large_bodies(site):
    token = site.open_episode()["token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    capabilities = {"io.modelcontextprotocol/clientCapabilities": {}}
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"} | capabilities}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": meta}
    spaced = {"MCP-Protocol-Version": "2026-07-28 \t", "Mcp-Method": "tools/list  "}
    answer = requests.post(f"{site.address}/mcp", json=body, headers=headers | spaced, timeout=patience())
    assert len(answer.json()["result"]["tools"]) == 7
    assert (
        requests.post(f"{site.address}/mcp", b"x" * 2_000_000, headers=headers, timeout=patience()).status_code == 413
    )


@pytest.mark.long
def test_the_command_in_the_guide_connects_claude_code(site):
    """It connects to the address and sends the header of the line, in the handshake of the older protocol."""
    (line,) = re.findall(r"^claude mcp add .*$", (ROOT / "docs" / "outside-agents.md").read_text(), re.MULTILINE)
    filled = line.replace("$SITE", site.address).replace("$SEAT", site.open_episode()["token"])
    *words, name, url, option, header = shlex.split(filled)
    assert (words, name, option) == (["claude", "mcp", "add", "--transport", "http"], "econevals", "--header")
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2"},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
    answer = requests.post(url, json=hello, headers=dict([header.split(": ", 1)]), timeout=patience()).json()["result"]
    assert answer["serverInfo"]["name"] == name and "Call start_period first" in answer["instructions"]
