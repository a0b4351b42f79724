"""The examples for LangGraph and the OpenAI Agents SDK play an episode with a scripted model.

The packages want an earlier version of the MCP client than ours, so they have an environment of their own, whose Python is
ECONEVALS_AGENTS_PYTHON.
"""

import json
import os
import re
import subprocess

import pytest

from tests.conftest import need
from tests.data_folders import ROOT
from tests.runs.episodes.served import served
from tests.stub_provider import StubAnswer, StubProvider
from tests.waiting import patience

pytestmark = pytest.mark.long
PYTHON = os.environ.get("ECONEVALS_AGENTS_PYTHON", "")
PERIODS = 4
PERIOD = re.compile(r"Period (\d+) of \d+")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served")) as site:
        yield site


def play_by_rote(wire, body, headers):
    """A model that asks for the products, notes something, sets a price by the period, and then stops."""
    said = json.dumps(body["messages"])
    called = [call["function"]["name"] for one in body["messages"] for call in one.get("tool_calls") or []]
    if "set_prices" in called:
        assert "Accepted" in said
        return StubAnswer(text="This period is played.")
    if "get_product_ids" not in called:
        return StubAnswer(calls=(("get_product_ids", {}), ("get_previous_pricing_data", {"from_period": 0})))
    assert "['Product_1']" in said
    period = int(PERIOD.findall(said)[-1])
    prices = {"period": period, "prices_dict_str": f"{{'Product_1': {5 + period}}}"}
    return StubAnswer(calls=(("write_notes", {"notes": f"Period {period}."}), ("set_prices", prices)))


@pytest.mark.parametrize("example", ["langgraph_agent.py", "openai_agents.py"])
def test_an_example_plays_an_episode_to_its_end(site, example, tmp_path):
    need("The environment of the agent frameworks", bool(PYTHON))
    episode = site.open_episode(periods=PERIODS, harness={"kind": "mcp", "name": example})
    with StubProvider(play_by_rote) as stub:
        variables = {
            "PATH": os.environ["PATH"],
            "ECONEVALS_URL": site.address,
            "EPISODE_TOKEN": episode["token"],
            "MODEL": "scripted",
            "OPENAI_BASE_URL": stub.base_url("openai"),
            "OPENAI_API_KEY": "sk-test-key-0001",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
        command = [PYTHON, str(ROOT / "docs" / "examples" / example)]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=patience())
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "The episode is finished."
    run = site.ask("GET", f"/runs/{episode['run']}")
    assert (run["state"], run["periods_played"]) == ("finished", PERIODS)
    actions = [entry for entry in site.journal(episode["id"]) if entry["is_action"]]
    assert [entry["arguments"]["prices_dict_str"]["Product_1"] for entry in actions] == [5, 6, 7, 8]
    # Three queries of the model a period: the tools, the action, the end.
    assert stub.count == 3 * PERIODS
