"""The page of an agent: means per set of conditions, intervals, cost, figures, release date."""

from datetime import UTC, datetime

import pytest

from analysis.agent_page.history import Conditions, Sums, interval_of
from analysis.agent_page.selectors import ScoredRun, history_of
from analysis.figures.agent_page import litmus_profile, over_time_figure
from runs.models import Agent, Run
from stats.means import MANY, mean_interval
from stats.summaries import standard_error
from tests.figures import check_figure

CONDITIONS = Conditions("pricing", "BASIC", "main", 100, "published", False, "")


def rows_of(slug="house"):
    return {
        (row.conditions.environment, row.conditions.difficulty, *row.conditions.deviations): row
        for row in history_of(Agent.objects.get(slug=slug))
    }


def test_a_mean_is_over_instances_and_holds_runs_of_the_same_conditions_only(run_row):
    for seed, score in enumerate((0.2, 0.4, 0.5, 0.7, 0.9, 0.8)):
        run_row("house", score, seed=seed, cost_nano=10**9)
    run_row("house", 0.4, seed=0, cost_nano=10**9)
    run_row("house", 0.1, seed=0, periods=20)
    run_row("house", 0.1, seed=0, variant="known_horizon")
    run_row("house", 0.1, seed=0, imported=True)
    run_row("house", None, seed=9, state="stalled")
    run_row("rival", 0.9)
    found = rows_of()
    assert set(found) == {
        ("pricing", "BASIC"),
        ("pricing", "BASIC", "20 periods"),
        ("pricing", "BASIC", "known horizon prompt"),
        ("pricing", "BASIC", "imported"),
    }
    row = found["pricing", "BASIC"]
    scores = [0.3, 0.4, 0.5, 0.7, 0.9, 0.8]
    assert (row.sums.instances, row.sums.runs, row.sums.mean) == (6, 7, pytest.approx(0.6))
    assert row.sums.standard_error == pytest.approx(standard_error(scores))
    assert row.interval == pytest.approx(mean_interval(scores))
    assert row.sums.points == pytest.approx(390) and row.sums.cost_nano == 7 * 10**9
    alone = found["pricing", "BASIC", "20 periods"]
    assert (alone.interval, alone.spread) == (None, "–")


def test_an_instance_is_solved_if_every_run_solved_it(run_row):
    run_row("house", 1.0, seed=0, solved=True)
    run_row("house", 1.0, seed=1, solved=True)
    run_row("house", 0.9, seed=1, solved=False)
    (row,) = rows_of().values()
    assert row.sums.solved == 1 and row.spread.startswith("± ")


def test_an_interval_needs_six_instances_and_beyond_a_hundred_no_scores():
    def sums(n, mean=0.5, squares=0.26):
        return Sums(CONDITIONS, n, n, mean, squares, None, 0, 50.0 * n)

    assert interval_of(sums(5), [0.4, 0.5, 0.6, 0.5, 0.5]) is None
    low, high = interval_of(sums(MANY + 1), [])
    assert low == pytest.approx(0.4803, abs=1e-3) and low + high == pytest.approx(1.0)
    assert interval_of(sums(MANY + 1, 0.7, 0.7**2), []) is None, "equal scores do not say how they spread"


def test_cost_per_point_needs_a_price_and_a_positive_mean(run_row):
    run_row("house", 0.5, cost_nano=10**9)
    run_row("poor", -0.5, cost_nano=10**9)
    Agent.objects.filter(slug__in=("house", "poor")).update(input_price=1, output_price=2)
    run_row("unpriced", 0.5, cost_nano=0)
    shown = {slug: next(iter(rows_of(slug).values())) for slug in ("house", "poor", "unpriced")}
    assert (shown["house"].cost_per_run, shown["house"].cost_per_point) == ("$1.00", "$0.0200")
    assert (shown["poor"].cost_per_run, shown["poor"].cost_per_point) == ("$1.00", "–")
    assert (shown["unpriced"].cost_per_run, shown["unpriced"].cost_per_point) == ("–", "–")


@pytest.mark.long
def test_the_page_describes_the_agent_and_links_to_its_runs_and_comparisons(page, run_row):
    run = run_row("house", 0.75, name="House <b>")
    run_row("house", 0.2, seed=4, environment="efficiency_vs_equality", difficulty="STANDARD", variant="equality")
    run_row("other-one", 0.5, name="Other")
    Agent.objects.filter(slug="house").update(release_date="2026-03-05", reasoning=True)
    text = page.get("/agents/house/").text
    assert "House &lt;b&gt;" in text and "released 5 Mar 2026" in text and "reasoning model" in text
    assert "agent=house&amp;environment=pricing&amp;difficulty=BASIC" in text
    assert "text=House+%3Cb%3E+efficiency_vs_equality+STANDARD+equality" in text
    assert "/compare/?agents=house&amp;agents=other-one" in text
    assert f'href="/runs/{run.pk}/"' in text and 'data-figure="/agents/house/litmus.json"' in text
    for address in ("/agents/", "/runs/", "/leaderboard/", f"/runs/{run.pk}/", f"/experiments/{run.experiment_id}/"):
        assert page.get(address).status_code == 200
    assert 'href="/agents/house/"' in page.get("/leaderboard/").text
    assert 'href="/agents/house/"' in page.get(f"/runs/{run.pk}/").text


@pytest.mark.long
def test_agents_with_slashes_or_without_runs_have_a_page_and_foreign_agents_have_not(page, run_row, other):
    run_row("imported:openai/gpt-4", 0.5, imported=True)
    Agent.objects.filter(slug="imported:openai/gpt-4").update(imported=True, model="")
    text = page.get("/agents/imported:openai/gpt-4/").text
    assert "not in the log" in text and "imported" in text
    assert page.get("/agents/imported:openai/gpt-4/scores.json").json()["data"]
    assert "This agent has no runs yet." in page.get("/agents/random/").text
    run_row("spy", 0.5, organization=other.organization)
    assert page.get("/agents/spy/").status_code == page.get("/agents/nobody/").status_code == 404


@pytest.mark.long
def test_the_number_of_queries_does_not_grow_with_the_runs(page, run_row, django_assert_num_queries):
    for number in range(4):
        run_row("house", 0.1 * number, seed=number)
        run_row(f"agent-{number}", seed=number)
    with django_assert_num_queries(5 + 12):
        page.get("/agents/house/")
    for seed in range(4, 16):
        run_row("house", 0.05 * seed, seed=seed)
        run_row("house", 0.05 * seed, seed=seed, difficulty="HARD")
    with django_assert_num_queries(5 + 13):
        page.get("/agents/house/")


# Figures


def scored(environment, score, run_id=1, variant="main"):
    return ScoredRun(run_id, datetime(2026, 3, run_id, tzinfo=UTC), environment, "BASIC", 0, variant, score)


@pytest.mark.long
def test_scores_over_time_have_a_colour_per_environment_and_link_to_runs():
    runs = [scored("pricing", 0.5), scored("scheduling", -0.4, 2), scored("patience_vs_impatience", 0.05, 3)]
    figure = over_time_figure(runs, lambda run_id: f"/runs/{run_id}/")
    check_figure(figure)
    assert [trace["y"] for trace in figure["data"]] == [[-40.0], [50.0], [0.05]]
    assert len({trace["marker"]["color"] for trace in figure["data"]}) == 3
    assert figure["data"][0]["customdata"] == ["/runs/2/"]
    assert figure["data"][0]["hovertext"] == ["run 2, Scheduling BASIC, seed 0: −40.0, 2 Mar 2026"]
    assert over_time_figure([], str)["data"] == []
    assert over_time_figure([scored("efficiency_vs_equality", 0.5, variant="equality")], str)["data"] == []


def test_the_litmus_profile_names_both_ends_and_needs_six_runs_for_an_interval(record):
    equality = {"environment": "efficiency_vs_equality", "difficulty": "STANDARD"}
    runs = [record(score, seed=seed, **equality) for seed, score in enumerate((0.1, 0.3, 0.2) * 2)]
    runs += [record(0.05, environment="patience_vs_impatience", metrics={"reliability": 0.97})]
    runs += [record(1.0, variant=variant, **equality) for variant in ("efficiency", "equality")]
    figure = litmus_profile(runs, "token:accent", lambda run_id: f"/runs/{run_id}/")
    check_figure(figure)
    titles = [figure["layout"][name]["title"]["text"] for name in figure["layout"] if name.startswith("xaxis")]
    assert "patient ← litmus rate → impatient" in titles and "equality ← litmus score → efficiency" in titles
    words = [note["text"] for note in figure["layout"]["annotations"]]
    assert "Patience versus impatience: 5.0 %, no interval, 1 run" in words
    assert "Efficiency versus equality: 0.20, 95 % interval 0.11 to 0.31, 6 runs" in words
    assert "competency 1.00, reliability 0.91" in words
    assert litmus_profile([], "token:accent", str)["data"] == []


@pytest.mark.parametrize("part", ["", "scores.json", "litmus.json"])
def test_an_impossible_agent_slug_gives_404(page, part):
    assert page.get(f"/agents/%00/{part}").status_code == 404


# Release date


def test_people_enter_the_release_date_of_their_own_agents(page, organization):
    endpoint = organization.endpoints.order_by("pk").first()
    typed = {"name": "House", "endpoint": endpoint.pk, "model": "house-1", "release_date": "2026-02-01"}
    assert page.post("/agents/new/", typed).status_code == 302
    agent = Agent.objects.get(organization=organization, slug="house")
    assert agent.release_date.isoformat() == "2026-02-01"
    address = f"/agents/{agent.pk}/edit/"
    assert 'value="2026-02-01"' in page.get(address).text
    assert page.post(address, typed | {"release_date": "0001-01-01"}).status_code == 422
    assert page.post(address, typed | {"release_date": ""}).status_code == 302
    agent.refresh_from_db()
    assert agent.release_date is None


@pytest.mark.long
def test_ten_thousand_runs_are_summed_in_the_database(run_row, django_assert_num_queries):
    run = run_row("house", 0.5, seed=0)
    values = {
        field.attname: getattr(run, field.attname) for field in Run._meta.concrete_fields if not field.primary_key
    }
    Run.objects.bulk_create([Run(**values | {"score": place / 10_000}) for place in range(10_000)], batch_size=2_000)
    with django_assert_num_queries(1):
        (row,) = history_of(run.agent)
    assert row.sums.runs == 10_001 and row.sums.instances == 1
