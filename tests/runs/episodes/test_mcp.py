"""The MCP server for seats, called by the official client in both eras of the protocol."""

import json

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from mcp import MCPError

from agents.notes import READ, WRITE
from environments.registry import ENVIRONMENTS
from runs.episodes.models import Episode, JournalEntry
from tests.runs.episodes.conftest import PLAYERS
from tests.runs.episodes.mcp_messages import PING, ask, call
from tests.runs.episodes.players import ERAS, McpPlayer, RestPlayer
from tests.visitors import signed_in

eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


@pytest.mark.sampled
@eras
@pytest.mark.parametrize("environment", PLAYERS)
def test_a_seat_has_only_the_tools_of_its_environment(opened, environment, mode):
    player = McpPlayer(opened(environment)["token"], mode)
    tools = {tool.name: tool for tool in player.ask(lambda client: client.list_tools()).tools}
    game = ENVIRONMENTS[environment]
    specs = {spec["name"]: spec for spec in game.prompt_set.tools(reasoning=False)} if game.action_tool else {}
    assert list(tools) == ["start_period", *specs] if specs else ["start_period", "answer_questions"]
    action = tools[player.action_tool]
    assert action.input_schema["properties"]["period"]["type"] == "integer"
    assert {"period", player.action_argument} <= set(action.input_schema["required"])
    read_only = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert read_only == set(tools) - {player.action_tool, WRITE}
    sized = {name: tool.meta for name, tool in tools.items() if tool.meta}
    assert sized == ({game.history_tool: {"anthropic/maxResultSizeChars": 250_000}} if specs else {})
    for name, spec in specs.items():
        assert tools[name].description == spec["description"]
        assert spec["input_schema"]["properties"].items() <= tools[name].input_schema["properties"].items()
    foreign = "assign_workers_to_tasks" if environment == "pricing" else "set_prices"
    if foreign not in tools:
        assert player.call(foreign, period=0).text == f"Unknown tool: '{foreign}'"


@pytest.mark.sampled
@eras
def test_a_period_begins_with_the_prompts_that_a_model_gets(opened, mode):
    answer = opened()
    player, rest = McpPlayer(answer["token"], mode), RestPlayer(answer["token"])
    view = rest.seat.begin(0).json()
    text = player.call("start_period").text
    assert text.startswith(f"{view['system']}\n\n{view['prompt']}\n\nPeriod 0 of 3")
    assert "40 calls are left" in text and "set_prices" in text
    told = player.ask(lambda client: _instructions(client))
    assert "Call start_period first" in told and "set_prices" in told
    played = player.act(0, {"Product_1": 5}).text
    assert played.startswith("Accepted.\n\nPeriod 1 of 3") and played.endswith(view["prompt"])
    assert view["system"] not in played


async def _instructions(client):
    return client.instructions


@pytest.mark.sampled
@eras
def test_a_repeated_call_is_answered_again_without_being_counted(opened, mode):
    player = McpPlayer(opened()["token"], mode)
    assert player.call("write_notes", notes="Low.") == player.call("write_notes", notes="Low.")
    assert player.call("get_product_ids") == player.call("get_product_ids")
    assert "38 calls are left" in player.call("start_period").text
    assert player.call(READ, attempt_number=0).text == "Low."
    assert JournalEntry.objects.count() == 3


@pytest.mark.long
@eras
def test_a_history_can_begin_at_any_period(opened, mode):
    player = McpPlayer(opened()["token"], mode)
    for period in range(2):
        player.act(period, {"Product_1": 5})
    whole = player.call("get_previous_pricing_data").text
    part = player.call("get_previous_pricing_data", from_period=1).text
    assert "Attempt 0" in whole and "Attempt 0" not in part and whole.endswith(part)


@eras
def test_a_whole_number_may_be_text_or_a_float(opened, mode):
    """Some languages have a single type of numbers, and some models quote everything."""
    player = McpPlayer(opened()["token"], mode)
    for played, period in enumerate((0.0, "1", 2)):
        assert player.act(period, "{'Product_1': 20}").ok
        assert player.status()[1] == min(played + 1, 3)


@pytest.mark.sampled
@eras
@pytest.mark.parametrize("period", [None, True, "zero", 0.5, [0]])
def test_an_action_needs_the_number_of_its_period(opened, mode, period):
    player = McpPlayer(opened()["token"], mode)
    refused = player.act(period, {"Product_1": 5})
    assert (refused.ok, "set_prices needs period" in refused.text) == (False, True)
    assert player.status() == ("open", 0)


@pytest.mark.sampled
@eras
def test_the_last_action_reports_the_end_of_the_episode(opened, mode):
    player = McpPlayer(opened(periods=1)["token"], mode)
    assert player.act(0, {"Product_1": 5}).text == "Accepted. The episode is finished."
    assert player.act(0, {"Product_1": 5}).text.endswith("before. The episode is finished.")
    assert player.call("start_period").text == "The episode is finished."
    assert not player.call("get_product_ids").ok


@pytest.mark.sampled
@eras
def test_a_seat_waits_for_the_other_seat(opened, mode):
    seats = {
        name: McpPlayer(token, mode) for name, token in opened("collusiveness_vs_competitiveness")["seats"].items()
    }
    waits = seats["seat_0"].act(0, {"Product_1": 5}).text
    assert waits.startswith("Accepted. Period 1 has not begun: the other seat") and "start_period" in waits
    assert not seats["seat_0"].call("start_period").ok
    assert "Period 1 of 3" in seats["seat_1"].act(0, {"Product_1": 6}).text
    assert "Period 1 of 3" in seats["seat_0"].call("start_period").text


@pytest.mark.sampled
@eras
def test_a_survey_is_answered_by_question(opened, mode):
    answer = opened("patience_vs_impatience")
    player, asked = McpPlayer(answer["token"], mode), RestPlayer(answer["token"]).seat.begin(0).json()["questions"]
    text = player.call("start_period").text
    assert all(question["prompt"] in text for question in asked)
    # Equal questions are written once, under all of their numbers.
    assert text.count("\nQuestion") == len({question["prompt"] for question in asked})
    answers = {question["key"]: "A" for question in asked}
    missing = player.act(0, dict(list(answers.items())[:-1]))
    assert (missing.ok, missing.text) == (False, f"Every question needs an answer; missing: {asked[-1]['key']}.")
    assert "Period 1 of 3" in player.act(0, answers).text
    assert "Period 2 of 3" in player.act(1, json.dumps(answers)).text


@eras
def test_tools_are_listed_while_the_optimum_is_being_computed(opened, mode):
    answer = opened("procurement")
    assert Episode.objects.get(pk=answer["id"]).prepared_at is None
    player = McpPlayer(answer["token"], mode)
    assert len(player.ask(lambda client: client.list_tools()).tools) > 2
    refused = player.call("start_period")
    assert (refused.ok, refused.text.startswith("The optimum of the instance is being computed.")) == (False, True)


# Who may ask


@pytest.mark.sampled
@eras
@pytest.mark.parametrize("token", ["ep_" + "0" * 40, "ee_" + "0" * 40, "something else"])
def test_an_invalid_token_gets_a_sentence(opened, mode, token):
    player = McpPlayer(opened()["token"], mode)
    player.token = token
    with pytest.raises(ExceptionGroup) as refused:
        player.ask(lambda client: client.list_tools())
    error = refused.value.subgroup(MCPError)
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    assert "token" in str(error)


def test_an_invalid_token_gets_401_without_a_sign_in_hint(opened):
    token = opened()["token"]
    for wrong in (None, "", "ep_", token[:-1], token + "0", "ee_x"):
        refused = ask(PING, wrong)
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, 'Bearer realm="EconEvals"')
        assert refused.json()["id"] == 7 and refused.json()["error"]["data"] == {"code": "not_authenticated"}
    # Beside OAuth metadata some clients ignore a token that was configured.
    for path in ("oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"):
        assert Browser().get(f"/.well-known/{path}").status_code == 404
    assert ask(PING, token).json() == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.long
def test_an_address_that_guesses_tokens_is_blocked(opened, noon):
    token = opened()["token"]
    assert {ask(PING, "ep_guess").status_code for _ in range(30)} == {401}
    refused = ask(PING, "ep_guess")
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 0
    assert "wrong token" in refused.json()["error"]["message"]
    assert ask(PING, token).status_code == 200


def test_a_seat_shares_its_rate_limit_between_mcp_and_rest(opened, noon, settings):
    settings.API_REQUESTS_A_MINUTE = 3
    token = opened()["token"]
    cache.clear()
    assert [ask(PING, token).status_code for _ in range(2)] == [200, 200]
    assert RestPlayer(token).seat.begin(0).status_code == 200
    assert ask(PING, token).status_code == 429


def test_a_session_in_the_same_browser_has_no_effect(opened, alice):
    token, browser = opened()["token"], signed_in(alice)
    browser.handler.enforce_csrf_checks = True
    assert ask(PING, browser=browser).status_code == 401
    assert ask(PING, token, browser=browser).status_code == 200


def test_a_request_from_a_foreign_origin_is_refused(opened):
    token = opened()["token"]
    assert ask(PING, token, Origin="https://evil.example").status_code == 403
    assert ask(PING, token, Origin="http://127.0.0.1:6274").status_code == 200


# What is sent


def test_spaces_around_header_values_have_no_effect(opened):
    """Those of RFC 9110, which httptools keeps."""
    body = call("get_product_ids")
    capabilities = {"io.modelcontextprotocol/clientCapabilities": {}}
    body["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"} | capabilities
    headers = {"MCP-Protocol-Version": " 2026-07-28\t", "Mcp-Method": "tools/call ", "Mcp-Name": "\tget_product_ids "}
    answer = ask(body, f" {opened()['token']} ", **headers)
    assert answer.json()["result"]["content"] == [{"type": "text", "text": "['Product_1']"}]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "The body is not JSON."),
        (b'{"id": 1, "id": 2}', 400, "The body has an object with the same key twice."),
        (b"[" * 5000 + b"]" * 5000, 400, "The body is nested more than 64 deep."),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"n": NaN}}', 400, "The body has NaN"),
        (b"[]", 400, "Invalid JSON-RPC 2.0 message"),
        (b'"' + b"x" * 1_100_000 + b'"', 413, "A request body has at most 1 MiB."),
        (b"x" * 3_000_000, 413, "A request body has at most 1 MiB."),
    ],
)
def test_an_unreadable_body_is_a_protocol_error(opened, body, status, words):
    answer = ask(body, opened()["token"])
    assert (answer.status_code, answer.json()["error"]["message"][: len(words)]) == (status, words)


def test_notifications_are_accepted_and_other_http_methods_refused(opened):
    token = opened()["token"]
    answer = ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, token)
    assert (answer.status_code, answer.content) == (202, b"")
    # Clients of the older protocol ask for a stream, and end a session; there are none.
    for method in ("GET", "DELETE"):
        assert Browser().generic(method, "/mcp", headers={"Authorization": f"Bearer {token}"}).status_code == 405


@pytest.mark.long
def test_the_query_count_does_not_grow_with_the_periods(opened):
    player = RestPlayer(opened(periods=30)["token"])
    token, counts = player.seat.program.token, []
    ask(call("start_period"), token)
    for period in range(20):
        player.act(period, {"Product_1": 5})
        with CaptureQueriesContext(connection) as queries:
            assert not ask(call("get_previous_pricing_data"), token).json()["result"]["isError"]
        counts.append(len(queries))
    # On PostgreSQL one more locks the episode.
    assert set(counts) == {12 if connection.vendor == "postgresql" else 11}
