"""Reading by API: experiments, runs, leaderboards, comparisons, exports."""

import itertools
import json
from unittest.mock import Mock

import pytest
from django.db import connection

from accounts.services.endpoints import endpoint_set_headers
from analysis.base.benchmark_filters import CompareFilter, TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.figures.light import coloured
from analysis.saved.services import leaderboard_create
from runs.models import Note, Period, RunState
from tests.cast import HOSTILE, think


def ok(response):
    assert response.status_code == 200, response.content[:1000]
    return response.json()


@pytest.mark.long
def test_an_experiment_is_watched_to_its_end(owning, played):
    experiment = played("random", "pricing-constant", seeds=(0, 1))
    answer = ok(owning.get(f"/experiments/{experiment.pk}"))
    assert (answer["state"], answer["is_done"], answer["progress"]) == ("finished", True, 1.0)
    assert answer["runs"] == {"total": 4, "by_state": {"finished": 4}}
    assert len(answer["run_states"]) == 4 and all(run["score"] is not None for run in answer["run_states"])
    assert ok(owning.get("/experiments"))["items"] == [
        {k: v for k, v in answer.items() if k not in ("run_states", "staged")}
    ]


@pytest.mark.long
def test_an_experiment_reported_as_done_shows_only_final_states(owning, page, launch):
    experiment = launch("random", seeds=(0, 1))
    address = f"/experiments/{experiment.pk}"

    def said_to_program():
        told = ok(owning.get(address))
        return told["is_done"], {run["state"] for run in told["run_states"]}

    def said_to_page():
        html = page.get(f"{address}/", headers={"HX-Request": "true"}).text
        return 'hx-trigger="every' not in html, {state for state in RunState.values if f'"state {state}"' in html}

    for said in (said_to_program, said_to_page):
        answers = []
        for number in itertools.count():
            experiment.runs.update(state=RunState.RUNNING)
            with before_query(number, lambda: experiment.runs.update(state=RunState.FINISHED)):
                answers.append(said())
            if not experiment.runs.filter(state=RunState.FINISHED).exists():
                break
        assert {done for done, _ in answers} == {True, False}
        assert all(states == {RunState.FINISHED} for done, states in answers if done)


def before_query(number, deed):
    """Do something before the query of this number, from 0."""
    numbers = itertools.count()

    def first(execute, *query):
        if next(numbers) == number:
            deed()
        return execute(*query)

    return connection.execute_wrapper(first)


@pytest.mark.long
def test_a_run_has_periods_notes_transcript_and_instance(owning, played):
    run = played("random").runs.get()
    detail = ok(owning.get(f"/runs/{run.pk}"))
    assert detail["score"] == run.score and detail["metrics"]["profit_share_by_period"]
    periods = ok(owning.get(f"/runs/{run.pk}/periods"))["items"]
    assert [period["period"] for period in periods] == [0, 1, 2, 3]
    assert set(periods[0]["outcome"]) >= {"quantities", "profits", "total_profit", "share_of_optimum"}
    one = ok(owning.get(f"/runs/{run.pk}/periods/2"))
    notes = one.pop("notes")
    assert one == periods[2] and [note["period"] for note in notes] == [2]
    transcript = ok(owning.get(f"/runs/{run.pk}/periods/0/transcript"))
    assert transcript["seats"][0]["player"] == "random" and transcript["seats"][0]["system"]
    assert notes[0] in ok(owning.get(f"/runs/{run.pk}/notes"))["items"]
    assert owning.get(f"/runs/{run.pk}/periods/4").status_code == 404
    instance = ok(owning.get(f"/instances/{run.instance_id}"))
    assert set(instance["parameters"]) == {"products", "costs", "price_ceilings"}
    assert set(instance["reference"]) == {"optimal_prices", "optimal_profit"}
    assert instance["hidden"] == run.instance.hidden


def test_notes_are_filtered_by_text_and_period(owning, launch):
    run = launch("random").runs.get()
    for period, text in enumerate(("Prices are low.", "Try 20.", "Prices rose.")):
        Note.objects.create(run=run, period_index=period, seat="seat_0", order=0, text=text)
    found = ok(owning.get(f"/runs/{run.pk}/notes", text="prices"))["items"]
    assert [note["text"] for note in found] == ["Prices are low.", "Prices rose."]
    assert [n["text"] for n in ok(owning.get(f"/runs/{run.pk}/notes", period=1))["items"]] == ["Try 20."]


@pytest.mark.long
def test_runs_are_filtered(owning, played, launch):
    first = played("random", "optimum", environments=("pricing", "scheduling"))
    launch("random", seeds=(5,))

    def number(**filters):
        return len(ok(owning.get("/runs", **filters))["items"])

    assert number() == 5
    assert number(experiment=first.pk) == 4
    assert number(agent="random") == 3
    assert number(environment="scheduling", agent="optimum") == 1
    assert number(state="queued") == 1
    assert number(difficulty="HARD") == 0


@pytest.mark.long
def test_figures_equal_those_of_the_pages(owning, played, client, alice):
    run = played("random").runs.get()
    client.force_login(alice)
    assert ok(owning.get(f"/runs/{run.pk}/figure")) == coloured(client.get(f"/runs/{run.pk}/figure.json").json())
    assert ok(owning.get("/leaderboards/benchmark/figure")) == coloured(client.get("/leaderboard/figure.json").json())
    for name in ("pareto", "patience", "names", "markets"):
        assert ok(owning.get(f"/leaderboards/litmus/{name}")) == coloured(client.get(f"/litmus/{name}.json").json())


@pytest.mark.long
def test_leaderboards_have_own_and_published_rows(owning, played):
    played("random", periods=None)
    rows = ok(owning.get("/leaderboards/benchmark"))["rows"]
    own = next(row for row in rows if row["agent"] == "random")
    assert [(cell["environment"], cell["n"], cell["of"]) for cell in own["cells"]] == [("pricing", 1, 1)]
    assert {row["kind"] for row in rows} == {"baseline", "published"}
    assert [r["kind"] for r in ok(owning.get("/leaderboards/benchmark", rows="baseline"))["rows"]] == ["baseline"]
    tests = ok(owning.get("/leaderboards/litmus"))["rows"][0]["scores"]
    assert {"test", "litmus", "competency", "reliability", "steadiness", "joint", "weak", "bound"} == set(tests[0])


def test_runs_of_the_same_instance_are_compared(owning, played):
    first, second = played("optimum", "random", environments=("pricing",), seeds=(0,), periods=4).runs.order_by("id")
    found = ok(owning.get("/compare/runs", run=[first.pk, second.pk]))
    assert [run["id"] for run in found["runs"]] == [first.pk, second.pk] and found["compared"] == 4
    assert found["sentences"][0].startswith(f"Clairvoyant optimum (run {first.pk}) has the highest score: 100.0")
    assert found["first_parted"] == found["parted"][0]
    assert owning.get("/compare/runs", run=[first.pk]).status_code == 422
    assert owning.get("/compare/runs", run=[first.pk, 10**8]).status_code == 404


def test_the_history_of_an_agent_is_its_table(owning, played):
    played("random", environments=("pricing",), seeds=(0, 1), periods=4)
    (row,) = ok(owning.get("/agents/random/history"))["rows"]
    assert (row["environment"], row["difficulty"], row["periods"], row["instances"]) == ("pricing", "BASIC", 4, 2)
    assert row["interval"] is None and row["cost_usd"] == 0 and row["standard_error"] > 0


@pytest.mark.long
def test_two_agents_are_compared(owning, played):
    played("random", "optimum", seeds=(0, 1, 2))
    (found,) = ok(owning.get("/compare", agents=["optimum", "random"], periods=4))["comparisons"]
    assert (found["first"], found["n"], found["exact"]) == ("Clairvoyant optimum", 3, True) and found["difference"] < 0
    assert found["p"] == found["adjusted_p"] == 0.25 and "points less than Clairvoyant optimum" in found["sentence"]
    assert owning.get("/compare", agents=["random"]).status_code == 422


def test_an_invalid_filter_is_reported_and_not_ignored(owning):
    days = {"start": "2026-02-01", "end": "2026-01-01"}
    for query in ({"environments": "chess"}, {"sort": "luck"}, {"periods": "17"}, days):
        answer = owning.get("/leaderboards/benchmark", **query)
        assert answer.status_code == 422 and answer.json()["error"]["fields"], query
    answer = owning.get("/leaderboards/benchmark", environment="pricing")
    assert answer.json()["error"]["fields"] == {"environment": "There is no such parameter."}


def test_an_export_has_a_line_per_period(owning, played):
    experiment = played("random", seeds=(0, 1))
    response = owning.get(f"/experiments/{experiment.pk}/export")
    assert response["Content-Type"] == "application/x-ndjson; charset=utf-8"
    lines = [json.loads(line) for line in response.getvalue().decode().splitlines()]
    assert len(lines) == 8 and {line["seed"] for line in lines} == {0, 1}
    run = experiment.runs.first()
    assert len(owning.get(f"/runs/{run.pk}/export").getvalue().splitlines()) == 4


def test_agents_and_endpoints_are_listed_without_keys(owning, model_agent):
    made = model_agent(Mock(base_url=lambda wire: "http://127.0.0.1:1/v1"), key="sk-canary-98765432")
    agents = ok(owning.get("/agents", limit=200))["items"]
    found = next(agent for agent in agents if agent["slug"] == made.slug)
    assert (found["key"], found["endpoint"], found["is_baseline"]) == ("set", made.endpoint_id, False)
    assert ok(owning.get(f"/agents/{made.slug}")) == found
    endpoint_set_headers(endpoint=made.endpoint, headers="api-key: canary-5432")
    response = owning.get("/endpoints")
    assert ["api-key"] in [endpoint["header_names"] for endpoint in ok(response)["items"]]
    assert any(endpoint["has_key"] for endpoint in ok(response)["items"])
    assert b"canary" not in response.content and b"5432" not in response.content


def test_invalid_unicode_and_infinite_numbers_of_models_are_readable(owning, launch):
    """A lone surrogate is not valid Unicode and infinity is not valid JSON; neither may break the answer."""
    run = launch("random").runs.get()
    Period.objects.create(run=run, index=0, action={"a": "\ud800"}, result={"x": float("inf"), "y": [float("nan")]})
    answer = ok(owning.get(f"/runs/{run.pk}/periods/0"))
    assert answer["action"] == {"a": "\ud800"} and answer["outcome"] == {"x": None, "y": [None]}
    assert json.loads(owning.get(f"/runs/{run.pk}/export").getvalue())["outcome"] == {"x": None, "y": [None]}


def test_a_transcript_holds_thinking_and_the_parameters_of_each_query(owning, played):
    run = played("random", periods=1).runs.get()
    first = ok(owning.get(f"/runs/{run.pk}/periods/0/transcript"))["seats"][0]["exchanges"][0]
    assert (first["thinking"], first["thinking_tokens"], first["sent"]) == ("", 0, None)
    think(run, stop="invalid", fault="No JSON.")
    first = ok(owning.get(f"/runs/{run.pk}/periods/0/transcript"))["seats"][0]["exchanges"][0]
    assert (first["thinking"], first["thinking_tokens"], first["thinking_usd"]) == (HOSTILE, 250, 0)
    assert (first["stop"], first["fault"], first["is_estimated"]) == ("invalid", "No JSON.", False)
    assert (first["sent"]["wire"], first["sent"]["effort"], first["sent"]["left_out"]) == ("responses", "high", [])
    assert ok(owning.get(f"/runs/{run.pk}"))["reasoning_tokens"] == run.reasoning_tokens


@pytest.mark.long
def test_a_saved_leaderboard_equals_the_open_table_with_the_same_filters(owning, played, saved):
    played("random", "pricing-constant", seeds=(0, 1))
    ours = saved("Pricing only", TableFilter(environments=("pricing",), rows=("own", "baseline"), periods=4))
    (row,) = owning.get("/leaderboards").json()["items"]
    assert (row["id"], row["name"], row["kind"], row["is_pinned"]) == (ours.pk, "Pricing only", "benchmark", False)
    found = owning.get(f"/leaderboards/{ours.pk}").json()
    free = owning.get("/leaderboards/benchmark", **row["filters"]).json()
    assert found["litmus"] is None and found["benchmark"] == free and len(free["rows"]) == 2
    assert row == {name: found[name] for name in row}


def test_a_saved_litmus_table_has_its_rows(owning, saved):
    ours = saved("Tests", LitmusFilter(rows=("published",)))
    found = owning.get(f"/leaderboards/{ours.pk}").json()
    assert found["benchmark"] is None and found["litmus"] == owning.get("/leaderboards/litmus", rows="published").json()
    assert found["litmus"]["rows"]


def test_another_saved_answer_is_as_its_operation_returns_it(owning, played, organization):
    played("random", "pricing-constant")
    filters = CompareFilter(agents=("random", "pricing-constant"), environments=("pricing",), periods=4)
    ours = leaderboard_create(organization=organization, user=None, kind="compare", name="Two", filters=filters)
    found = owning.get(f"/leaderboards/{ours.pk}").json()
    assert found["benchmark"] is found["litmus"] is None and len(found["answer"]["comparisons"]) == 1
    assert found["answer"] == owning.get("/compare", **found["filters"]).json()


def test_instances_are_listed_and_filtered(owning, launch):
    launch("random", environments=("pricing", "scheduling"), seeds=(0, 1))
    everything = owning.get("/instances").json()["items"]
    assert len(everything) == 4 and set(everything[0]) == {"id", "environment", "difficulty", "seed", "generator"}
    narrowed = owning.get("/instances", environment="pricing", seed=1).json()["items"]
    assert narrowed == [row for row in everything if (row["environment"], row["seed"]) == ("pricing", 1)]
    assert owning.get("/instances", environment="chess").status_code == 422
    assert owning.get(f"/instances/{narrowed[0]['id']}").json()["hidden"]


def test_an_unknown_address_is_reported_as_unknown(owning):
    for address in ("/nothing", "/compare/", "/runs/abc/periods"):
        error = owning.get(address).json()["error"]
        assert error["code"] == "not_found" and error["message"].startswith("The API has no such address."), address
    assert "was deleted" in owning.get("/runs/999999").json()["error"]["message"]
