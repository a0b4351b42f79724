"""Pairwise tests, consistency, lines and Welch's test: known answers, agreement with SciPy, special cases."""

import json
import math
from dataclasses import replace
from datetime import date
from importlib import import_module

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.base.table import Kind
from analysis.behaviour.means import Means, Measured, reasoning_tests, score_fit
from analysis.behaviour.pairs import MOST_AGENTS, POOLED, agreement, answer, pair_grid
from analysis.behaviour.published import published_means
from analysis.figures.behaviour.heatmaps import TOO_FEW, chart_heights, difficulty_figure, pooled_figure
from analysis.figures.behaviour.scatter import NO_MODELS, NO_RUNS, NOTHING, litmus_strip, release_figure, score_figure
from analysis.models import Leaderboard
from analysis.saved.kinds import from_json
from environments.registry import BENCHMARKS, ENVIRONMENTS
from games.registry import metrics_of, parts_of
from infrastructure.figures.colours import AgentStyle
from runs.models import Agent
from stats.lines.fits import Fit, fit
from stats.paired import holm
from stats.pairwise import SignedRank, Welch, consistency, signed_ranks, welch, welch_tests
from tests.analysis.conftest import run_record
from tests.figures import check_figure

LEVELS = ("BASIC", "MEDIUM", "HARD")
STYLES = {number: AgentStyle("token:data-1", "circle") for number in range(1, 20)}


def played_by(agent, scores, difficulty="BASIC", **changes):
    """One finished run on each instance; an instance is a difficulty and a seed."""
    named = {"agent_id": agent, "agent_slug": f"a{agent}", "agent_name": f"Agent {agent}", "difficulty": difficulty}
    return [
        run_record(score, seed=seed, instance_id=1000 * LEVELS.index(difficulty) + seed, **named | changes)
        for seed, score in enumerate(scores)
    ]


def no_link(*_):
    return ""


# Statistics


@pytest.mark.long
def test_signed_ranks_agree_with_scipy_and_are_adjusted_together():
    rng = np.random.default_rng(3)
    differences = [rng.normal(shift, 10, 12) for shift in (0, 6, 12)]
    found = signed_ranks(differences)
    expected = [stats.wilcoxon(d).pvalue for d in differences]
    assert [test.p for test in found] == pytest.approx(expected)
    assert [test.adjusted_p for test in found] == pytest.approx(holm(expected))
    assert [test.difference for test in found] == pytest.approx([d.mean() for d in differences])


def test_the_effect_agrees_with_a_hand_calculation():
    # Ranks of |1|, |-2|, |3|, |3|, |-5|, |8| are 1, 2, 3.5, 3.5, 5, 6: 14 for, 7 against, of 21; the zero has no rank.
    (found,) = signed_ranks([[1, -2, 3, 3, -5, 8, 0]])
    assert (found.n, found.zeros, found.effect) == (7, 1, pytest.approx(7 / 21))
    assert found.turned().effect == pytest.approx(-7 / 21) and found.turned().p == found.p


@pytest.mark.parametrize(("p", "stars"), [(0.009, "***"), (0.01, "**"), (0.05, "*"), (0.1, ""), (None, "")])
def test_significance_stars_are_those_of_the_paper(p, stars):
    assert SignedRank(12, 0, 1.0, 0.5, p).stars == stars


@pytest.mark.long
@settings(max_examples=25)
@given(st.lists(st.lists(st.sampled_from([-2.0, 0.0, 1.0, 1.0, 7.5]), max_size=14), max_size=4))
def test_every_statistic_of_a_pairwise_test_is_finite_or_missing(differences):
    for test in signed_ranks(differences):
        numbers = (test.difference, test.effect, test.p, test.adjusted_p)
        assert all(number is None or math.isfinite(number) for number in numbers)
        assert test.p is None or test.n - test.zeros >= 6


def test_consistency_agrees_with_a_hand_calculation():
    def tested(p, effect):
        return SignedRank(12, 0, effect, effect, p)

    better, worse, unclear = tested(0.001, 0.9), tested(0.04, -0.8), tested(0.3, 0.2)
    assert consistency([better, better, worse]) == (2, 3)
    assert consistency([better, worse, unclear]) == (1, 2)
    assert consistency([worse, unclear, tested(None, None)]) == (1, 1)
    assert consistency([]) == consistency([unclear]) == (0, 0)


def test_welchs_test_agrees_with_scipy():
    first, second = [90.0, 95.0, 80.0, 99.0], [40.0, 70.0, 55.0]
    found, expected = welch(first, second, "runs"), stats.ttest_ind(second, first, equal_var=False)
    assert isinstance(found, Welch) and found.difference == pytest.approx(-36)
    assert (found.t, found.degrees, found.p) == pytest.approx((expected.statistic, expected.df, expected.pvalue))
    assert welch([1.0], second, "runs") == "The test needs at least 2 runs in each group; there are 1 and 3."
    assert "nothing to test" in welch([100.0, 100.0], [50.0, 50.0], "runs")
    assert isinstance(welch([100.0, 100.0], [50.0, 60.0], "runs"), Welch)


@pytest.mark.long
def test_welchs_tests_made_together_are_adjusted_together():
    low, middle, high = [1.0, 2.0, 3.0], [3.0, 4.0, 6.0], [9.0, 10.0, 12.0]
    *tests, reason = welch_tests([(low, high), (low, middle), (low, [1.0])], "models")
    assert [test.adjusted_p for test in tests] == pytest.approx(holm([t.p for t in tests]))
    assert reason == "The test needs at least 2 models in each group; there are 3 and 1."


def test_a_line_agrees_with_scipy():
    x, y = [10.0, 20.0, 25.0, 60.0], [80.0, 60.0, 65.0, 5.0]
    found, expected = fit(x, y), stats.linregress(x, y)
    assert isinstance(found, Fit) and (found.n, found.low, found.high) == (4, 10.0, 60.0)
    assert (found.slope, found.p) == pytest.approx((expected.slope, expected.pvalue))
    assert found.r_squared == pytest.approx(expected.rvalue**2)
    assert found.at(0) == pytest.approx(expected.intercept)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([], [], "at least 3 models; there are 0."),
        ([1.0, 2.0], [1.0, 2.0], "there are 2."),
        ([5.0] * 3, [1.0, 2.0, 3.0], "the same horizontal value"),
        ([1.0, 2.0, 3.0], [5.0] * 3, "the same vertical value"),
    ],
)
def test_a_missing_line_is_explained_with_a_sentence(x, y, words):
    assert words in fit(x, y)


# Pairs of agents


def three_agents():
    """Agent 1 beats 2 by 1 to 12 shares of 128 on every difficulty; 3 plays on BASIC only, on six instances.

    Binary fractions have no rounding errors, so that equal differences are ties.
    """
    records = []
    for difficulty, top in zip(LEVELS, (110, 90, 70), strict=True):
        scores = [(top + 5 * seed % 13) / 128 for seed in range(12)]
        records += played_by(1, scores, difficulty)
        records += played_by(2, [score - (seed + 1) / 128 for seed, score in enumerate(scores)], difficulty)
    return records + played_by(3, [0.1 * seed for seed in range(6)])


def test_agents_are_ordered_by_the_hardest_difficulty_and_paired_by_instance():
    grid = pair_grid(three_agents(), "pricing", LEVELS)
    assert [player.name for player in grid.players] == ["Agent 1", "Agent 2", "Agent 3"]
    pair, turned = grid.between(grid.players[1], grid.players[0])
    assert turned and pair.first.name == "Agent 1"
    test = pair.tests[POOLED]
    assert (test.n, test.effect, test.difference) == (36, 1.0, pytest.approx(650 / 128))
    # As SciPy on the pooled differences, each of 12 sizes three times over.
    assert test.p == pytest.approx(stats.wilcoxon(np.tile(np.arange(1.0, 13), 3), method="approx").pvalue)
    assert pair.tests["HARD"].p == pytest.approx(2 / 2**12) and pair.consistency() == (3, 3)
    few = grid.between(grid.players[0], grid.players[2])[0]
    assert few.tests["HARD"].n == 0 and few.tests["HARD"].p is None and few.tests["BASIC"].n == 6
    assert answer(grid) == "3 of 3 tested pairs differ at the 5 % level, 1 after Holm." and "agree over" in agreement(
        grid
    )
    assert [change.test if isinstance(change.test, str) else change.test.first_n for change in grid.changes] == [
        12, 12, "The test needs at least 2 instances in each group; there are 6 and 0.",
    ]  # fmt: skip


def test_several_runs_on_an_instance_count_as_their_mean():
    again = played_by(1, [0.2]) + played_by(1, [0.6]) + played_by(2, [0.3])
    grid = pair_grid(again, "pricing", ("BASIC",))
    assert grid.players[0].scores["BASIC"] == pytest.approx([40]) and grid.pairs[0].tests[POOLED].n == 1
    assert grid.changes == [] and agreement(grid) == ""


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], "Two agents with a finished run are needed"),
        (played_by(1, [0.5] * 8), "Two agents with a finished run are needed"),
        (played_by(1, [0.5] * 8) + played_by(2, [0.5] * 8), "No two agents differ on enough instances"),
        (played_by(1, [0.5] * 5) + played_by(2, [0.4] * 5), "No two agents differ on enough instances"),
        (
            played_by(1, [0.5] * 6) + played_by(2, [0.4] * 6),
            "1 of 1 tested pair differs at the 5 % level, 1 after Holm.",
        ),
    ],
)
def test_too_few_instances_are_reported_with_a_sentence(records, words):
    assert words in answer(pair_grid(records, "pricing", LEVELS))


def test_contradicting_difficulties_are_reported():
    records = played_by(1, [0.5] * 6) + played_by(2, [0.4] * 6)
    records += played_by(1, [0.4] * 6, "HARD") + played_by(2, [0.5] * 6, "HARD")
    grid = pair_grid(records, "pricing", LEVELS)
    assert grid.pairs[0].consistency() == (1, 2)
    assert "contradict each other over the difficulties for Agent 2 and Agent 1." in agreement(grid)


def test_the_heatmap_omits_agents_beyond_its_limit():
    records = [run for agent in range(1, MOST_AGENTS + 3) for run in played_by(agent, [0.05 * agent, 0.5])]
    grid = pair_grid(records, "pricing", ("BASIC",))
    assert (len(grid.players), grid.left_out, grid.players[0].name) == (MOST_AGENTS, 2, "Agent 14")
    check_figure(pooled_figure(grid, no_link))


@pytest.mark.parametrize("levels", [LEVELS, ("BASIC",)])
def test_the_page_reserves_the_height_of_the_heatmaps(levels):
    padding = 8  # Of the element around the figure.
    for agents in (2, 3, 7):
        records = [run for agent in range(agents) for run in played_by(agent, [0.05 * agent, 0.5])]
        grid = pair_grid(records, "pricing", levels)
        drawn = [figure(grid, no_link)["layout"]["meta"] for figure in (pooled_figure, difficulty_figure)]
        assert chart_heights(grid) == [(meta["height"] + padding, meta["narrow"]["height"] + padding) for meta in drawn]


# Figures


def test_heatmaps_show_stars_means_and_pairs_with_too_few_instances():
    grid = pair_grid(three_agents(), "pricing", LEVELS)
    pooled, consistent = pooled_figure(grid, lambda row, column: f"/{row.slug}-{column.slug}")["data"]
    assert pooled["text"][0][1] == pooled["text"][1][0] == "***" and pooled["z"][0][1] == -pooled["z"][1][0] == 1
    assert pooled["text"][2][2] == "–" and pooled["z"][0][0] is None
    assert pooled["text"][0][0] == f"{grid.players[0].mean('HARD'):.1f}" and pooled["customdata"][0][1] == "/a1-a2"
    assert "+5.1 points on 36 instances<br>p ‹ 0.0001, Holm ‹ 0.0001" in pooled["hovertext"][0][1]
    assert "−5.1 points" in pooled["hovertext"][1][0]
    assert (consistent["text"][0][1], consistent["z"][1][0]) == ("3/3", -1)
    hard = difficulty_figure(grid, no_link)["data"][2]
    assert hard["text"][0][2] == "too<br>few" and "no instance in common" in hard["hovertext"][0][2]
    lonely = pair_grid(played_by(1, [0.5]), "pricing", LEVELS)
    assert pooled_figure(lonely, no_link)["layout"]["meta"]["description"] == TOO_FEW


def means(agent, percent, score, *, key="requery_rate", difficulty="HARD", n=12, **changes):
    measured = {} if percent is None else {key: Measured(percent, n)}
    usual = {"model": "", "kind": Kind.OWN, "reasoning": False, "released": date(2025, agent, 1), "runs": 12}
    return Means(
        agent, f"a{agent}", f"Agent {agent}", difficulty=difficulty, score=score, measured=measured, **usual | changes
    )


REQUERY = next(metric for metric in parts_of("scheduling").metrics if metric.key == "requery_rate")


def test_a_dot_is_an_agent_and_reasoning_models_have_a_ring():
    found = [means(1, 80.0, 10.0), means(2, 40.0, 60.0, reasoning=True, n=9), means(3, 20.0, 70.0), means(4, None, 1.0)]
    found += [replace(means(5, 50.0, 50.0), agent_id=None, slug="", kind=Kind.PUBLISHED)]
    figure = score_figure(found, REQUERY, LEVELS, STYLES, lambda one: f"/{one.slug}")
    check_figure(figure)
    dots = [trace for trace in figure["data"] if trace["mode"] == "markers" and trace["x"] and trace.get("name")]
    assert [(trace["x"], trace["marker"]["line"]["color"]) for trace in dots] == [
        ([80.0], "token:data-1"), ([40.0], "token:ink"), ([20.0], "token:data-1"),
    ]  # fmt: skip
    assert "in 9 of 12 runs" in dots[1]["hovertext"][0] and dots[1]["customdata"] == ["/a2"]
    line = score_fit(found, "HARD", REQUERY)
    assert line.n == 3 and f"R² {line.r_squared:.2f}" in str(figure["layout"]["annotations"])
    assert figure["layout"]["xaxis"]["title"]["text"] == "requery rate, % of assignments"
    assert "xaxis2" not in figure["layout"]  # the other difficulties have no runs
    assert "at least 3 models" in score_fit(found, "BASIC", REQUERY)
    agents = [replace(one, model="same") for one in (means(6, 10.0, 90.0), means(7, 30.0, 70.0))]
    assert score_fit([*found, *agents], "HARD", REQUERY).n == 4, "agents of one model are one point"


def test_the_release_chart_shows_only_reasoning_models():
    found = [means(n, 10.0 * n, 50.0, reasoning=n != 2) for n in (1, 2, 3, 4)]
    figure = release_figure(found, REQUERY, LEVELS, STYLES, no_link)
    check_figure(figure)
    assert sorted(trace["name"] for trace in figure["data"] if trace.get("name")) == ["Agent 1", "Agent 3", "Agent 4"]
    assert release_figure(found[1:2], REQUERY, LEVELS, STYLES, no_link)["layout"]["meta"]["description"] == NO_MODELS
    check_figure(release_figure(found[:1], REQUERY, LEVELS, STYLES, no_link))
    assert score_figure([], REQUERY, LEVELS, STYLES, no_link)["layout"]["meta"]["description"] == NOTHING


def test_every_figure_has_axis_titles():
    grid = pair_grid(three_agents(), "pricing", LEVELS)
    found = [means(n, 10.0 * n, 50.0 + n, reasoning=True) for n in (1, 2, 3)]
    litmus = [run_record(0.1 * n, environment="efficiency_vs_equality", agent_id=1 + n % 2) for n in range(6)]
    for figure in (
        pooled_figure(grid, no_link),
        difficulty_figure(grid, no_link),
        score_figure(found, REQUERY, LEVELS, STYLES, no_link),
        release_figure(found, REQUERY, LEVELS, STYLES, no_link),
        litmus_strip(litmus, STYLES, no_link),
    ):
        check_figure(figure)
        axes = [axis for name, axis in figure["layout"].items() if name.startswith("xaxis")]
        assert axes and all(axis["title"]["text"] for axis in axes)
        assert len(figure["layout"]["annotations"]) == len(axes)
    assert litmus_strip([], STYLES, no_link)["layout"]["meta"]["description"] == NO_RUNS


def test_reasoning_models_are_tested_against_the_others_as_in_figure_8():
    shown = parts_of("procurement").metrics
    key = "within_budget_rate"
    low, high = (12.0, 20.0, 16.0), (70.0, 75.0, 90.0, 80.0)
    models = [means(1 + place, value, value, key=key, reasoning=False) for place, value in enumerate(low)]
    models += [means(4 + place, value, 95.0, key=key, reasoning=True) for place, value in enumerate(high)]
    others = [
        means(8, 99.0, 99.0, key=key, reasoning=False, kind=Kind.BASELINE),
        means(9, 1.0, 1.0, key=key, reasoning=True, kind=Kind.PUBLISHED),
        means(10, None, None, reasoning=True),
    ]
    within, use, score = reasoning_tests([*models, *others], shown, ["HARD"])
    expected = stats.ttest_ind(high, low, equal_var=False)
    assert (within.test.t, within.test.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (within.test.first_n, within.test.second_n, score.test.second_n) == (3, 4, 4)
    assert score.test.adjusted_p == pytest.approx(holm([within.test.p, score.test.p])[1])
    assert use.test == "The test needs at least 2 models in each group; there are 0 and 0."
    assert reasoning_tests(models, parts_of("pricing").metrics, ["HARD"]) == []


@pytest.mark.long
def test_published_metrics_are_those_of_the_earlier_paper(baseline_run):
    by_name = {one.name: one for one in published_means("scheduling")}
    gpt = by_name["GPT-5"]
    assert (gpt.measured["best_so_far_rate"].percent, gpt.score, gpt.difficulty) == (28.5, pytest.approx(90.5), "HARD")
    assert gpt.reasoning and not by_name["GPT-4o"].reasoning and len(by_name) == 7
    for environment in BENCHMARKS:
        keys = {metric.key for metric in metrics_of(environment, "main")}
        assert {key for one in published_means(environment) for key in one.measured} <= keys
        run = baseline_run(environment)
        assert keys <= set(ENVIRONMENTS[environment].metrics(run.instance, run.outcomes))


# The page


@pytest.fixture
def requeries(run_row):
    """Three agents on scheduling HARD over seven instances; one run has no requery rate."""
    for number, slug in enumerate(("a", "b", "c")):
        for seed in range(7):
            metrics = {"requery_rate": 0.2 + 0.1 * number, "exploration_rate": None} if seed or number else {}
            score = 0.8 - 0.2 * number + 0.01 * seed * (number + 1)
            names = {"name": slug.upper(), "environment": "scheduling", "difficulty": "HARD"}
            run_row(slug, score, seed=seed, metrics=metrics, **names)


@pytest.mark.long
def test_the_page_has_tests_metrics_and_their_runs(page, requeries):
    address = "/behaviour/?environments=scheduling&rows=own"
    text = page.get(address).text
    assert "3 of 3 tested pairs differ at the 5 % level" in text and "A against B" in text
    assert "20.0" in text and "6 of 7 runs" in text and "All agents have" not in text
    assert 'href="/leaderboard/cell/?agent=b&amp;environment=scheduling&amp;difficulty=HARD' in text
    figure = page.get(address.replace("/?", "/metric.json?") + "&metric=requery_rate").json()
    assert [trace["x"] for trace in figure["data"] if trace.get("name")] == [[pytest.approx(x)] for x in (20, 30, 40)]
    pairs = page.get(address.replace("/?", "/pairs.json?")).json()["data"][0]
    assert pairs["customdata"][0][1].startswith("/compare/?") and "agents=b&agents=a" in pairs["customdata"][0][1]
    assert page.get(address.replace("/?", "/metric.json?") + "&metric=luck").status_code == 404
    lines = page.get(address.replace("/?", "/tests.csv?")).text.splitlines()
    assert len(lines) == 1 + 3 * 4 and lines[1].startswith("scheduling,all,A,B,7,0,")
    assert page.get(address.replace("/?", "/metrics.csv?")).text.count("requery_rate") == 3
    assert "there are 0 and 7." in page.get(address.replace("/?", "/changes.csv?")).text


@pytest.mark.long
def test_published_means_are_marked_and_enter_no_line(page, requeries):
    text = page.get("/behaviour/?environments=scheduling").text
    assert "Gemini 1.5 Pro" in text and "published" in text
    figure = page.get("/behaviour/metric.json?environments=scheduling&metric=exploration_rate").json()
    assert "published" in str(figure["data"]) and "R²" not in str(figure["layout"]["annotations"])
    assert "Gemini 1.5 Pro" not in page.get("/behaviour/?environments=scheduling&generator=paper_text").text


def test_the_behaviour_page_without_runs_says_what_is_missing(page, client):
    text = page.get("/behaviour/?rows=own").text
    assert (
        "Two agents with a finished run are needed" in text and "No run of this environment has finished yet." in text
    )


@pytest.mark.long
def test_the_query_count_does_not_grow_with_the_runs(page, run_row, requeries, django_assert_num_queries):
    with django_assert_num_queries(14):
        page.get("/behaviour/?chart=scheduling")
    for number in range(12):
        run_row(f"x{number}", 0.5, environment="scheduling", difficulty="HARD", seed=number % 3)
    with django_assert_num_queries(14):
        page.get("/behaviour/?chart=scheduling")


@pytest.mark.long
def test_the_api_has_the_numbers(page, requeries):
    from analysis.answers.behaviour import BEHAVIOUR, BehaviourFilter
    from api.schemas.answers import schema_of, values_of

    organization = Agent.objects.get(slug="a").organization
    Agent.objects.update(model=F("slug"))
    found = values_of(BEHAVIOUR, organization, BehaviourFilter(rows=("own",), environments=("scheduling",)))
    json.dumps(schema_of(BEHAVIOUR).model_validate(found).model_dump(mode="json"), allow_nan=False)
    counts = ("first", "second", "significant_difficulties", "in_majority_direction")
    pooled = next(row for row in found["pairs"] if row["difficulty"] == "all")
    assert len(found["pairs"]) == 12 and [pooled[name] for name in counts] == ["A", "B", 1, 1]
    line = next(row for row in found["lines"] if (row["metric"], row["difficulty"]) == ("Requery rate", "HARD"))
    assert line["models"] == 3 and line["slope"] < 0
    assert found["metrics"][0]["metric_runs"] == 6 and found["metrics"][0]["runs"] == 7


# The earlier name


@pytest.mark.parametrize("rest", ["?chart=pricing&rows=own", "tests.csv?environments=pricing", "pairs.json"])
def test_addresses_of_the_earlier_name_lead_on_with_their_query(page, rest):
    assert page.get(f"/mechanisms/{rest}").headers["Location"] == f"/behaviour/{rest}"


def test_the_command_answers_to_the_earlier_name(organization, capsys):
    call_command("answer", "mechanisms")
    printed = capsys.readouterr().out
    call_command("answer", "behaviour")
    assert printed == capsys.readouterr().out and "Pricing" in printed


def test_the_migration_renames_saved_answers(organization):
    row = Leaderboard.objects.create(organization=organization, kind="mechanisms", name="Pairs", filters={})
    with connection.cursor() as cursor:
        cursor.execute(import_module("analysis.migrations.0005_behaviour").Migration.operations[0].sql)
    row.refresh_from_db()
    assert row.kind == "behaviour" and from_json(row.kind, row.filters).environments == BENCHMARKS
