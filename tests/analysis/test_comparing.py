"""Paired comparisons: known answers, agreement with SciPy, a sentence for every special case."""

import math
import re
from dataclasses import replace
from datetime import datetime, timedelta
from html import unescape
from itertools import product

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.base.benchmark_filters import TableFilter
from analysis.base.matching import finished_by_agent, match_instances
from analysis.comparing.comparison import compare, over_environments
from analysis.comparing.missing import Board
from analysis.comparing.selectors import comparisons_of
from analysis.comparing.sentences import method, sentence
from environments.registry import LITMUS_TESTS
from runs.launching.plan import paper_periods
from runs.models import Agent, Run
from stats.means import sign_flip_p
from stats.paired import Paired, detectable, holm, instances_for, paired, wilcoxon_p
from tests.analysis.conftest import run_record
from tests.api.conftest import owning, program  # noqa: F401

NAMES = {1: "A", 2: "B"}
HOUR = timedelta(hours=1)


def of(first, second, difficulty="BASIC"):
    """Finished runs of both agents on pricing, one instance for each place; None for no run."""
    return [
        run_record(score, agent_id=agent, agent_slug=NAMES[agent], agent_name=NAMES[agent], seed=seed)
        for agent, scores in ((1, first), (2, second))
        for seed, score in enumerate(scores)
        if score is not None
    ]


def told(first, second, names=NAMES):
    (found,) = compare(of(first, second), names, ["pricing"], ["BASIC"])
    return sentence(found)


small = st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=9)


@settings(max_examples=60)
@given(differences=small)
def test_the_sign_flip_test_counts_every_flip(differences):
    mean = abs(sum(differences))
    flips = [abs(np.dot(differences, signs)) for signs in product((1, -1), repeat=len(differences))]
    assert sign_flip_p(differences) == pytest.approx(sum(flip >= mean - 1e-9 for flip in flips) / len(flips))


@pytest.mark.long
@settings(max_examples=30)
@given(differences=st.lists(st.floats(-100, 100), max_size=20) | small | st.lists(st.just(0.0), max_size=8))
def test_every_statistic_of_a_paired_comparison_is_finite_or_missing(differences):
    found = paired(differences)
    numbers = (found.difference, *(found.interval or ()), found.p, found.wilcoxon_p, found.detectable)
    assert all(number is None or math.isfinite(number) for number in numbers)
    assert found.p is None or 0 < found.p <= 1
    assert found.interval is None or found.interval[0] <= found.difference + 1e-9 <= found.interval[1] + 2e-9


def test_statistics_agree_with_scipy_and_with_known_answers():
    d = np.random.default_rng(7).normal(3, 10, 12)
    assert wilcoxon_p(d) == stats.wilcoxon(d).pvalue
    # Six equal differences: 2 of 64 flips are as far from zero.
    assert sign_flip_p([5.0] * 6) == wilcoxon_p([5.0] * 6) == 2 / 64
    # Sizes that differ by rounding errors tie.
    tied = [3 * 0.1, 0.3, -0.3, 0.1 + 0.2, 0.3, -0.1 * 3, 0.3, 0.7 - 0.4, 0.3]
    assert wilcoxon_p(tied) == wilcoxon_p(np.round(tied, 1))
    # A paired t test of 34 differences has 80 % power for half a standard deviation.
    assert instances_for(0.5) == 34
    assert detectable(np.tile([1.0, -1.0], 17) * math.sqrt(33 / 34)) == pytest.approx(0.5, abs=0.005)
    # However large the difference, the sign-flip test finds none on fewer than six instances.
    assert {instances_for(effect) for effect in np.arange(1.5, 40, 0.25)} == {6} and instances_for(1.4) == 7
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06]) and holm([]) == []


def test_many_instances_are_tested_by_reproducible_random_flips():
    d = np.random.default_rng(1).normal(2, 10, 40)
    assert sign_flip_p(d) == sign_flip_p(d) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.02)
    assert method(paired(d)) == "9,999 random flips of signs" and not paired(d).exact
    assert method(paired(d[:12])) == "exact, all 4,096 flips of signs"


def test_an_instance_counts_once_and_only_if_both_agents_finished_it():
    records = of([0.5, 0.2, 0.9], [0.7, None, 0.1]) + of([0.7], [])
    played = finished_by_agent(records, ["BASIC"])
    found = match_instances(played[1], played[2], "pricing", ["BASIC"])
    assert [match.is_pair for match in found] == [True, False, True]
    assert [match.difference for match in found if match.is_pair] == pytest.approx([10, -80])
    with pytest.raises(ValueError, match="Only one"):
        _ = found[1].difference


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([0.5], [None], "A and B have finished no instance in common."),
        ([0.5] * 3, [0.5] * 3, "A and B score the same on all 3 instances."),
        ([0.5], [0.6], "B scores 10.0 points more than A (p = 1.00, 1 instance): too few instances for a verdict."),
        (
            [0.5] * 5,
            [0.4] * 5,
            "B scores 10.0 points less than A (p = 0.0625, 5 instances): too",
        ),
        ([0.5] * 6, [0.6] * 6, "(95 % interval 10.0 to 10.0, p = 0.0312, 6 instances): evidence of a difference."),
        (
            [0.5] * 8,
            [0.9, 0.1] * 4,
            "A and B score the same on average (95 % interval −40.0 to 40.0, p = 1.00, 8 instances): no",
        ),
        (
            [0.5] * 8,
            [0.95, 0.1] * 4,
            "no evidence of a difference. One of 52.5 points would be found with 80 % power.",
        ),
        (
            [0.5] * 8,
            [0.5003] * 8,
            "B scores less than 0.1 points more than A (95 % interval 0.0 to 0.0, p = 0.0078, 8 instances): ev",
        ),
    ],
)
def test_every_comparison_has_a_sentence(first, second, words):
    assert words in told(first, second)


def test_instances_launched_after_a_look_are_reported():
    records = of([0.5] * 8, [0.9, 0.1] * 4)
    monday, friday = datetime(2026, 3, 2), datetime(2026, 3, 6)
    times = {
        record.run_id: ((friday, friday + HOUR) if record.seed >= 6 else (monday, monday + HOUR)) for record in records
    }
    (added,) = compare(records, NAMES, ["pricing"], ["BASIC"], times)
    assert added.added == 2
    assert sentence(added).endswith(
        " Exploratory: 2 of the 8 instances were launched when others had finished, and the test does not allow for such a "
        "look."
    )
    # The first look was at six instances, though all eight are played once more.
    again = [replace(record, run_id=record.run_id + 1_000) for record in records]
    repeated = times | {record.run_id: (friday, friday + HOUR) for record in again}
    assert compare([*records, *again], NAMES, ["pricing"], ["BASIC"], repeated)[0].added == 8
    # Runs of another environment are not a look.
    others = [
        replace(r, environment="procurement", run_id=r.run_id + 2_000, instance_id=r.instance_id + 100) for r in again
    ]
    later = times | {record.run_id: (friday, friday + HOUR) for record in others}
    both = compare([*records, *others], NAMES, ["pricing", "procurement"], ["BASIC"], later)
    assert over_environments(both[0].agents, both).added == 2
    # An agent that plays the instances of another later is not a look at their difference.
    times = {
        record.run_id: ((friday, friday + HOUR) if record.agent_id == 2 else (monday, monday + HOUR))
        for record in records
    }
    (later,) = compare(records, NAMES, ["pricing"], ["BASIC"], times)
    assert later.added == 0 and "Exploratory" not in sentence(later)


def test_the_holm_adjustment_counts_comparisons_made_together():
    records = of([0.5] * 6, [0.6] * 6)
    records += [replace(record, agent_id=3, agent_name="C") for record in of([0.6] * 6, [])]
    found = compare(records, NAMES | {3: "C"}, ["pricing"], ["BASIC"])
    assert [comparison.paired.p for comparison in found] == [2 / 64, 2 / 64, 1.0]
    assert [comparison.adjusted_p for comparison in found] == pytest.approx([6 / 64, 6 / 64, 1.0])
    assert "p = 0.0312, p = 0.0938 adjusted for 3 comparisons" in sentence(found[0])
    assert not any(comparison.is_decided for comparison in found)
    assert sentence(found[0]).endswith(
        "no evidence of a difference after adjusting for 3 comparisons; alone it would be evidence."
    )


def test_a_comparison_without_data_is_empty():
    assert paired([]) == Paired(0) and compare([], NAMES, ["pricing"], ["BASIC"]) == []


# The page


@pytest.mark.long
def test_selected_agents_of_a_leaderboard_are_compared_on_a_page(page, run_row):
    for seed in range(8):
        run_row("a", 0.3 + 0.02 * seed, name="Abel", seed=seed)
        run_row("b", 0.4 + 0.05 * seed, name="Cain", seed=seed)
    lonely = run_row("a", 0.9, seed=9)
    leaderboard = page.get("/leaderboard/?environments=pricing&difficulties=BASIC").text
    assert (
        'action="/compare/"' in leaderboard
        and '<input type="hidden" name="environments" value="pricing">' in leaderboard
    )
    assert 'name="agents" value="b" form="compare"' in leaderboard
    address = "/compare/?environments=pricing&difficulties=BASIC&agents=a&agents=b"
    text = page.get(address).text
    assert "Cain scores 20.5 points more than Abel: evidence of a difference." in text
    assert f'href="/runs/{lonely.pk}/"' in text and "1 instance was finished by one of the two only" in text
    figure = page.get(address.replace("/?", "/figure.json?")).json()
    assert [trace["name"] for trace in figure["data"]] == ["", "Abel", "Cain"] and len(figure["data"][1]["x"]) == 8
    lines = page.get(address.replace("/?", "/pairs.csv?")).text.splitlines()
    assert len(lines) == 10 and lines[-1].startswith("pricing,Abel,Cain,BASIC,9,")


@pytest.mark.long
def test_agents_compared_in_stages_get_the_answer_of_the_stages(page, run_row, launch):
    for seed in range(6):
        run_row("random", 0.2, seed=seed)
        run_row("pricing-constant", 0.3, seed=seed)
    address = "/compare/?agents=random&agents=pricing-constant"
    assert "in stages" not in page.get(address).text
    staged = launch("random", "pricing-constant", stages=(4, 8), seeds=tuple(range(8)))
    text = page.get(address).text
    assert "were also compared in stages" in text and f'href="/experiments/{staged.pk}/"' in text


@pytest.mark.parametrize(("changes", "added"), [({}, 5), ({"imported": True}, 0), ({"outside": True}, 0)])
def test_only_runs_launched_on_this_site_count_as_looks(run_row, organization, changes, added):
    """Every run ends before the next one is launched."""
    outside = changes.pop("outside", False)
    for seed in range(6):
        for slug in "ab":
            run = run_row(slug, 0.5, seed=seed, **changes)
            Run.objects.filter(pk=run.pk).update(ended_at=run.created_at)
    if outside:
        Agent.objects.filter(slug__in="ab").update(player_class="outside")
    chosen = TableFilter(agents=("a", "b"), rows=("own", "imported", "outside"))
    assert [one.added for one in comparisons_of(organization=organization, run_filter=chosen)] == [added]


def test_an_undecided_answer_links_to_a_staged_launch_with_new_seeds(page, run_row):
    for seed in range(6):
        run_row("random", 0.3, seed=seed)
        run_row("pricing-constant", 0.5 if seed % 2 else 0.1, seed=seed)
    text = page.get("/compare/?agents=random&agents=pricing-constant").text
    address = unescape(re.search(r'href="(/experiments/new/[^"]*)">Plan more instances', text)[1])
    form = page.get(address).text
    assert 'name="seeds" value="6-17"' in form and 'name="stages" value="8, 10, 12"' in form
    assert re.search(r'value="random"[^>]*checked', form) and re.search(r'value="pricing-constant"[^>]*checked', form)
    for seed in range(6):
        run_row("optimum", 0.9, seed=seed)
    assert "Plan more instances" not in page.get("/compare/?agents=random&agents=optimum").text


@pytest.mark.long
def test_a_selected_outside_agent_is_compared_by_page_api_and_command(page, owning, run_row, capsys):  # noqa: F811
    for seed in range(6):
        run_row("a", 0.3, seed=seed)
        run_row("b", 0.5, seed=seed)
    Agent.objects.filter(slug="b").update(player_class="outside")
    answer = "b scores 20.0 points more than a (95 % interval 20.0 to 20.0, p = 0.0312, 6 instances)"
    assert "b scores 20.0 points more than a: " in page.get("/compare/?agents=a&agents=b").text
    assert answer in owning.get("/compare?agents=a&agents=b").json()["comparisons"][0]["sentence"]
    assert owning.get("/tables?table=comparisons&agents=a&agents=b").json()["rows"]
    assert answer in owning.get("/compare/report?agents=a&agents=b").getvalue().decode()
    for words in (("compare", "a", "b"), ("compare", "--a", "a", "--b", "b")):
        call_command(*words)
        assert answer in capsys.readouterr().out


@pytest.mark.long
def test_the_command_adjusts_only_for_the_requested_litmus_tests(run_row, organization, capsys):
    for seed in range(6):
        for test in LITMUS_TESTS:
            run_row("a", 0.1, environment=test, difficulty="STANDARD", seed=seed, periods=paper_periods(test, "main"))
            run_row("b", 0.8, environment=test, difficulty="STANDARD", seed=seed, periods=paper_periods(test, "main"))
    call_command("compare", "a", "b", "--environment", LITMUS_TESTS[0])
    assert "p = 0.0312, 6 instances): evidence of a difference." in capsys.readouterr().out
    call_command("compare", "a", "b", "--litmus")
    assert capsys.readouterr().out.count("adjusted for 3 comparisons") == 3


@pytest.mark.long
def test_a_comparison_without_an_answer_gives_the_reason(page, run_row):
    run_row("a", 0.3)
    run_row("b", None, state="stalled")
    assert "Choose two agents." in page.get("/compare/?agents=a").text
    assert "have a finished run that matches" in page.get("/compare/?agents=a&agents=b&environments=scheduling").text
    assert "Abel" not in page.get("/compare/?agents=a&agents=b&shown=nonsense").text
    assert page.get("/compare/figure.json?agents=a&agents=b").json()["data"] == []


@pytest.mark.long
def test_litmus_scores_are_compared_without_calling_an_agent_better(page, run_row):
    for seed in range(6):
        for agent, score in (("a", 0.1 + seed / 100), ("b", 0.8)):
            run_row(agent, score, environment="efficiency_vs_equality", difficulty="STANDARD", seed=seed, periods=100)
    run_row("b", 0.1, environment="efficiency_vs_equality", difficulty="STANDARD", variant="efficiency")
    leaderboard = page.get("/litmus/").text
    assert 'action="/compare/litmus/"' in leaderboard and 'name="agents" value="b" form="compare"' in leaderboard
    address = "/compare/litmus/?agents=a&agents=b"
    text, answer = page.get(address).text, "b has a litmus score 67.5 points higher than a"
    assert (
        answer in text and 'href="/compare/litmus/pairs.csv?' in text and 'href="/compare/litmus/numbers.csv?' in text
    )
    assert answer in page.get(address.replace("/?", "/report/?")).getvalue().decode()
    assert 'href="/compare/litmus/report/?' in text
    assert len(page.get(address.replace("/?", "/figure.json?")).json()["data"]) == 3
    assert len(page.get(address.replace("/?", "/pairs.csv?")).text.splitlines()) == 7


def test_the_page_takes_few_queries(page, run_row, django_assert_num_queries):
    for seed in range(3):
        run_row("a", 0.3, seed=seed)
        run_row("b", 0.5, seed=seed)
    with django_assert_num_queries(16):
        page.get("/compare/?agents=a&agents=b")


def with_missing(first, second, board, failed=(1,)):
    """A comparison on pricing. The runs of agents in `failed` ended without a score wherever there is None."""
    records = of(first, second)
    for agent in failed:
        for seed, score in enumerate((first, second)[agent - 1]):
            if score is None:
                records.append(run_record(None, agent_id=agent, agent_name=NAMES[agent], seed=seed, state="stalled"))
    (found,) = compare(records, NAMES, ["pricing"], ["BASIC"], None, board)
    return found


def test_missing_runs_at_their_extremes_bound_the_difference_and_may_decide_the_verdict():
    better = [0.6, 0.7, 0.65, 0.6, 0.7, 0.65, 0.6, 0.7]
    firm = with_missing([*[0.1] * 8, None], [*better, 0.9], Board())
    assert firm.extremes.instances == 1 and firm.paired.n == 8
    assert firm.extremes.ranges[-1] == pytest.approx((90 - 100, 90 - 0)), "only the other has a score: the floor"
    assert firm.is_decided and not firm.depends_on_missing
    assert sentence(firm).endswith("points (p = 0.0039): the same verdict.")
    frail = with_missing([*[0.3] * 6, None, None], [*better[:6], 0.1, 0.2], Board())
    assert frail.is_decided and frail.depends_on_missing
    assert " With 2 more instances whose runs ended without a score the difference is +5.0 (p = 0.81)" in sentence(
        frail
    )
    assert sentence(frail).endswith(": the verdict depends on them.")


def test_the_worst_of_a_missing_run_is_the_lowest_score_of_any_agent_or_what_it_had_reached():
    scores = ([*[0.1] * 8, None], [*[0.5] * 8, 0.9])
    instance = next(run.instance_id for run in of(*scores) if run.agent_id == 2 and run.seed == 8)
    for board, lowest in (
        (Board({instance: {2: 90.0, 3: 40.0}}), 40),
        (Board({instance: {2: 90.0, 3: 95.0}}), 90),
        (Board({instance: {2: 90.0}}), 0),
        (Board({instance: {2: 90.0, 3: 40.0}}, {(1, instance): 70.0}), 70),
    ):
        assert with_missing(*scores, board).extremes.ranges[-1] == pytest.approx((90 - 100, 90 - lowest))


def test_runs_that_still_play_or_whose_instance_has_a_score_are_not_missing():
    scores = ([0.1, 0.2, None], [0.5, 0.6, 0.7])
    assert with_missing(*scores, Board(), failed=()).extremes is None
    assert with_missing(*scores, None).extremes is None, "litmus scores have no best and no worst"
    both = with_missing([0.1, None], [0.5, None], Board(), failed=(1, 2))
    assert both.extremes.ranges == [pytest.approx((40, 40)), (-100, 100)], "neither finished it"


def test_missing_runs_take_a_constant_number_of_queries(run_row, organization, django_assert_max_num_queries):
    for seed in range(8):
        for slug, score in (("a", 0.2), ("b", 0.8), ("c", 0.1)):
            run_row(slug, score, seed=seed)
    run_filter = TableFilter(agents=("a", "b"))
    for failed in (1, 3):
        Run.objects.filter(agent__slug="b", instance__seed__lt=failed).update(state="errored", score=None)
        with django_assert_max_num_queries(8):
            (found,) = comparisons_of(organization=organization, run_filter=run_filter)
        assert found.extremes.instances == failed
        assert found.extremes.ranges[0] == pytest.approx((10 - 20, 100 - 20)), "the third agent has 10 there"
