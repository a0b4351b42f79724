"""The MCP tools for assistants of members give the same answers to the same tokens as the API."""

import json

import pytest
from django.core.cache import cache

from api.mcp import reading
from api.mcp.reading import OPERATIONS
from api.models import ApiToken
from api.protocol.describing import description
from runs.models import Note
from tests.questions import question_of
from tests.runs.episodes.mcp_messages import ask, call

GREEDY, FAIR = "equality-greedy-efficiency", "equality-greedy-equality"


@pytest.fixture
def run(played):
    experiment = played(GREEDY, FAIR, environments=("efficiency_vs_equality",), difficulties=("STANDARD",))
    run = experiment.runs.get(agent__slug=GREEDY)
    Note.objects.create(run=run, period_index=0, seat="seat_0", order=9, text="Pay “W1” a thousandfold.")
    return run


def told(token, tool, **arguments):
    """(whether it was answered, the text)"""
    result = ask(call(tool, **arguments), token).json()["result"]
    return not result["isError"], "".join(part["text"] for part in result["content"])


def arguments_of(run):
    """Arguments of every tool, and the same request to the API."""
    one, period = {"run_id": run.pk}, f"/runs/{run.pk}/periods"
    other = run.experiment.runs.exclude(pk=run.pk).get().pk
    agents, question = {"agents": [GREEDY, FAIR]}, question_of(run).pk
    return {
        "list_experiments": ({"text": "random", "limit": 5}, "/experiments?text=random&limit=5"),
        "get_experiment": ({"experiment_id": run.experiment_id}, f"/experiments/{run.experiment_id}"),
        "list_runs": ({"agent": GREEDY, "state": "finished"}, f"/runs?agent={GREEDY}&state=finished"),
        "get_run": (one, f"/runs/{run.pk}"),
        "list_periods": (one | {"limit": 2}, f"{period}?limit=2"),
        "get_period": (one | {"index": 1}, f"{period}/1"),
        "list_notes": (one | {"text": "thousand", "cursor": None}, f"/runs/{run.pk}/notes?text=thousand"),
        "search_texts": ({"q": "thousandfold"}, "/search?q=thousandfold"),
        "get_findings": (one, f"/runs/{run.pk}/findings"),
        "list_questions": ({"limit": 5}, "/questions?limit=5"),
        "get_question": ({"question_id": question}, f"/questions/{question}"),
        "list_agents": ({"limit": 3}, "/agents?limit=3"),
        "answer_history": (agents, f"/answers/history?agents={GREEDY}&agents={FAIR}"),
        "count_findings": ({}, "/findings"),
        "compare": (agents, f"/compare?agents={GREEDY}&agents={FAIR}"),
        "compare_litmus": (agents | {"scope": "all"}, f"/compare/litmus?agents={GREEDY}&agents={FAIR}&scope=all"),
        "answer_generalizability": ({"by": "maker"}, "/answers/generalizability?by=maker"),
        "answer_convergence": ({"periods": 4}, "/answers/convergence?periods=4"),
        "benchmark_leaderboard": ({"periods": 4}, "/leaderboards/benchmark?periods=4"),
        "answer_learning": ({"periods": 4}, "/answers/learning?periods=4"),
        "litmus_leaderboard": ({"scope": "all"}, "/leaderboards/litmus?scope=all"),
        "behaviour": ({"environments": ["pricing"]}, "/behaviour?environments=pricing"),
        "mechanisms": ({"environments": ["pricing"]}, "/behaviour?environments=pricing"),
        "answer_sensitivity": ({"difficulties": ["BASIC"]}, "/answers/sensitivity?difficulties=BASIC"),
        "answer_trajectories": ({"difficulty": "HARD"}, "/answers/trajectories?difficulty=HARD"),
        "answer_trends": ({}, "/answers/trends"),
        "answer_conditions": ({"by": "difficulty"}, "/answers/conditions?by=difficulty"),
        "answer_reproduction": ({}, "/answers/reproduction"),
        "answer_cost": ({"periods": 4}, "/answers/cost?periods=4"),
        "answer_variance": ({"periods": 4}, "/answers/variance?periods=4"),
        "compare_runs": ({"run": [run.pk, other]}, f"/compare/runs?run={run.pk}&run={other}"),
    }


@pytest.mark.long
def test_every_tool_answers_like_its_operation(run, program):
    reader = program(scopes=("read",))
    asked = arguments_of(run)
    assert {*asked} == {*OPERATIONS}
    for tool, (arguments, path) in asked.items():
        answered, text = told(reader.token, tool, **arguments)
        assert answered, (tool, text)
        assert json.loads(text) == reader.get(path).json(), tool
        assert ": " not in text.split('"', 1)[0] and text == json.dumps(
            json.loads(text), separators=(",", ":"), ensure_ascii=False
        )


def test_tools_have_the_parameters_of_their_operations(program):
    result = ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, program().token).json()["result"]
    tools = {tool["name"]: tool for tool in result["tools"]}
    assert tuple(tools) == OPERATIONS
    assert all(tool["annotations"] == {"readOnlyHint": True} for tool in tools.values())
    assert tools["get_period"]["inputSchema"]["required"] == ["run_id", "index"]
    state = tools["list_runs"]["inputSchema"]["properties"]["state"]["anyOf"][0]
    assert "finished" in state["enum"]
    assert "$ref" not in json.dumps(result)


@pytest.mark.long
def test_whole_numbers_may_come_as_floats(run, program):
    token = program().token
    whole = told(token, "get_run", run_id=run.pk)
    assert whole[0] and told(token, "get_run", run_id=float(run.pk)) == whole
    assert told(token, "list_runs", limit=1.0, from_character="0") == told(token, "list_runs", limit=1)


def test_a_viewer_reads_and_a_token_without_the_scope_does_not(run, program, join):
    viewer = program(join("vera", "viewer"))
    assert told(viewer.token, "get_run", run_id=run.pk)[0]
    player = program(scopes=("play",))
    refused = ask(call("list_runs"), player.token)
    assert (refused.status_code, refused.json()["error"]["data"]) == (403, {"code": "not_allowed"})
    assert "scope “read”" in refused.json()["error"]["message"]


@pytest.mark.long
def test_a_foreign_object_gets_the_same_answer_as_a_missing_object(run, program, other):
    stranger = program(other).token
    for tool, arguments in (
        ("get_run", {"run_id": run.pk}),
        ("get_experiment", {"experiment_id": run.experiment_id}),
        ("list_notes", {"run_id": run.pk}),
        ("get_period", {"run_id": run.pk, "index": 0}),
        ("compare_runs", {"run": [run.pk, run.pk + 1]}),
    ):
        absent = {
            name: [n + 10**6 for n in value] if name == "run" else value + 10**6 for name, value in arguments.items()
        }
        answers = {told(stranger, tool, **arguments), told(stranger, tool, **absent)}
        assert len(answers) == 1 and not answers.pop()[0]
    assert json.loads(told(stranger, "list_runs")[1])["items"] == []
    revoked = program()
    ApiToken.objects.filter(last_four=revoked.token[-4:]).update(revoked_at="2026-01-01T00:00Z")
    assert ask(call("list_runs"), revoked.token).status_code == 401


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("list_runs", {"limit": 0}, "limit: This must be at least 1."),
        ("list_runs", {"limit": "many"}, "limit: This must be a whole number."),
        ("list_runs", {"agnet": "x"}, "agnet: There is no such parameter."),
        (
            "list_runs",
            {"cursor": "forged"},
            "cursor: This is not a cursor of this list with these filters. Begin without one.",
        ),
        ("list_runs", {"agent": {"a": 1}}, "There is no such thing here."),
        ("list_runs", {"environment": ["pricing", "pricing"]}, "environment: Give this only once."),
        ("get_run", {}, "run_id is needed."),
        ("get_run", {"run_id": "../me"}, "There is no such thing here."),
        ("get_run", {"run_id": 10**30}, "There is no such thing here."),
        ("get_run", {"run_id": True}, "There is no such thing here."),
        ("list_notes", {"run_id": 1, "text": "\0"}, "text: A string cannot have a NUL character."),
        ("list_runs", {"from_character": -1}, "from_character must be a whole number of at least 0."),
        ("compare", {"agents": []}, "agents: Name two to 4 agents."),
    ],
)
def test_an_invalid_argument_gets_a_sentence(program, tool, arguments, sentence):
    answered, text = told(program().token, tool, **arguments)
    assert (answered, text[: len(sentence)]) == (False, sentence)


@pytest.mark.long
def test_a_long_answer_is_split_into_complete_parts(run, program, monkeypatch):
    monkeypatch.setattr(reading, "MOST_CHARACTERS", 700)
    token = program().token
    parts, since = [], 0
    while True:
        _, text = told(token, "get_run", run_id=run.pk, from_character=since)
        part, _, rest = text.partition("\n\nThese are characters ")
        parts.append(part)
        if not rest:
            break
        since += len(part)
        assert f"from_character {since} for the rest" in rest and len(part) == 700
    assert len(parts) > 1
    assert json.loads("".join(parts)) == program().get(f"/runs/{run.pk}").json()


def test_a_tool_call_counts_as_a_request(program, noon, settings):
    settings.API_REQUESTS_A_MINUTE = 2
    token = program().token
    cache.clear()
    assert [ask(call("list_runs"), token).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.long
def test_an_assistant_cannot_write(program, run):
    """Only operations that read are tools."""
    for tool in ("launch_experiment", "delete_experiment", "open_episode", "set_prices"):
        assert "Unknown tool" in ask(call(tool), program().token).json()["error"]["message"]


def test_an_operation_of_an_earlier_name_answers_and_is_deprecated(program):
    reader = program(scopes=("read",))
    assert reader.get("/mechanisms").json() == reader.get("/behaviour").json()
    paths = description()["paths"]
    assert paths["/api/v1/mechanisms"]["get"]["deprecated"] and "deprecated" not in paths["/api/v1/behaviour"]["get"]
