"""CPU of the web process for a call of an outside agent, and many episodes at once on one web process.

    python -m benchmarks episodes [--at-once 64] [--think 2] [--periods 15]

A period of pricing HARD has six calls: three getters, the history of the last five periods, a note and the action. They
are sent by REST, and by MCP in two versions of the protocol, in the form of the official client. Two other operations of
the API are measured for comparison.

Then `--at-once` episodes are played at the same time. Before each call the agents think for `--think` seconds on average;
a second round is without thinking. A first round warms up and is not counted. Site and agents share the machine.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from benchmarks.harness import Spent, spending
from benchmarks.processes import cpu_seconds
from tests.runs.episodes.served import ServedSite, served

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
}
GETTERS = ("get_product_ids", "get_attempt_number", "read_notes")
ACTION, ARGUMENT = "set_prices", "prices_dict_str"

Request = tuple[str, str, dict[str, Any] | None, dict[str, str]]
Form = Callable[[int, str, dict[str, Any]], Request]


def by_rest(period: int, tool: str, arguments: dict[str, Any]) -> Request:
    where = f"/api/v1/episode/periods/{period}"
    if tool == ACTION:
        return "PUT", f"{where}/action", {"action": arguments[ARGUMENT]}, {}
    return "POST", f"{where}/calls", {"tool": tool, "arguments": arguments}, {}


def by_mcp(version: str) -> Form:
    def tool_call(period: int, tool: str, arguments: dict[str, Any]) -> Request:
        is_modern = version == MODERN
        params = {"name": tool, "arguments": arguments | ({"period": period} if tool == ACTION else {})}
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": params | ({"_meta": META} if is_modern else {}),
        }
        headers = {"MCP-Protocol-Version": version, "Accept": "application/json, text/event-stream"}
        return "POST", "/mcp", body, headers | ({"Mcp-Method": "tools/call", "Mcp-Name": tool} if is_modern else {})

    return tool_call


FORMS: dict[str, Form] = {"REST": by_rest, f"MCP {MODERN}": by_mcp(MODERN), f"MCP {LEGACY}": by_mcp(LEGACY)}


class Agent:
    """A persistent connection to the site with a token."""

    def __init__(self, site: ServedSite, token: str):
        self.connection = HTTPConnection("127.0.0.1", site.port, timeout=120)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, request: Request) -> float:
        """Return the seconds until the whole answer has arrived. Reconnects if the site has closed the connection."""
        with spending() as spent:
            try:
                answer = self.send(request)
            except ConnectionError:
                self.connection.close()
                answer = self.send(request)
            text = answer.read()
        assert answer.status == 200 and b'"isError":true' not in text and b'"is_error": true' not in text, text[:500]
        return spent.seconds

    def send(self, request: Request) -> HTTPResponse:
        method, path, body, headers = request
        self.connection.request(method, path, None if body is None else json.dumps(body), self.headers | headers)
        return self.connection.getresponse()


def calls(form: Form, periods: range, prices: str) -> Iterator[Request]:
    for period in periods:
        for tool in GETTERS:
            yield form(period, tool, {"attempt_number": period} if tool == "read_notes" else {})
        yield form(period, "get_previous_pricing_data", {"from_period": max(0, period - 5)})
        yield form(period, "write_notes", {"notes": f"Period {period}: the price was a little higher than before."})
        yield form(period, ACTION, {ARGUMENT: prices})


def open_hard(site: ServedSite) -> tuple[str, str]:
    """Open an episode of pricing HARD. Returns its token, and the text of an action for it."""
    token = site.open_episode(difficulty="HARD")["token"]
    answer = site.ask("POST", "/episode/periods/0/calls", token, json={"tool": "get_product_ids"})
    return token, str(dict.fromkeys(json.loads(answer["text"].replace("'", '"')), 20.0))


def spending_of(site: ServedSite) -> AbstractContextManager[Spent]:
    """Measure a block with the processor time of the web process."""
    return spending(lambda: cpu_seconds(site.process.pid))


def cost(site: ServedSite, token: str, requests: list[Request]) -> dict[str, float]:
    """Send the requests one after the other. Returns the CPU time of the web process per request, and the median time."""
    agent, number = Agent(site, token), len(requests)
    with spending_of(site) as spent:
        median = statistics.median([agent.ask(request) for request in requests])
    return {"calls": number, "cpu_ms": 1000 * spent.processor / number, "median_ms": 1000 * median}


def costs(site: ServedSite, periods: int) -> dict[str, dict[str, float]]:
    """Return the `cost` of each form of calls and of two other operations: medians of three turns after a warm-up."""
    games = {name: open_hard(site) for name in FORMS}
    turns = []
    for turn in range(4):
        span = range(turn * periods, (turn + 1) * periods)
        work = {name: (games[name][0], [*calls(form, span, games[name][1])]) for name, form in FORMS.items()}
        for path in ("/api/v1/runs?limit=20", "/api/v1/me"):
            work[f"GET {path}"] = site.token, [("GET", path, None, {})] * (6 * periods)
        turns.append({name: cost(site, *requests) for name, requests in work.items()})
    return {
        name: {key: statistics.median(turn[name][key] for turn in turns[1:]) for key in row}
        for name, row in turns[0].items()
    }


def many_at_once(site: ServedSite, form: Form, episodes: int, periods: int, think: float) -> dict[str, float]:
    """Play `episodes` episodes at the same time. Response times exclude the first and the last period of each episode."""
    games = [open_hard(site) for _ in range(episodes)]

    def play(number: int) -> list[float]:
        token, prices = games[number]
        rng, agent = random.Random(number), Agent(site, token)
        durations = []
        for request in calls(form, range(periods), prices):
            time.sleep(rng.expovariate(1 / think) if think else 0)
            durations.append(agent.ask(request))
        return durations[6:-6]

    with spending_of(site) as spent, ThreadPoolExecutor(episodes) as pool:
        seconds = sorted(second for durations in pool.map(play, range(episodes)) for second in durations)
    return {
        "calls_per_second": episodes * 6 * periods / spent.seconds,
        "cores": spent.processor / spent.seconds,
        "p50_ms": 1000 * seconds[len(seconds) // 2],
        "p95_ms": 1000 * seconds[int(0.95 * len(seconds))],
        "max_ms": 1000 * seconds[-1],
    }


def main(*, at_once: int = 64, think: float = 2.0, periods: int = 15) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="econevals-episodes.") as folder,
        served(Path(folder) / "site", ECONEVALS_API_REQUESTS="1000000") as site,
    ):
        for name, row in costs(site, periods).items():
            print_row(name, row)
        # A warm-up: the first connections start threads of the site and their database connections.
        many_at_once(site, by_rest, at_once, 3, 0.0)
        for name, form in FORMS.items():
            for pause in (think, 0.0):
                row = many_at_once(site, form, at_once, periods, pause)
                print_row(f"{at_once} at once by {name}, thinking {pause:g} s", row)


def print_row(name: str, row: dict[str, float]) -> None:
    print(f"{name:50}", "  ".join(f"{key} {value:.1f}" for key, value in row.items()), flush=True)
