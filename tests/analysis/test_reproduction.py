"""Own means against printed numbers: the printed numbers, the matching, known answers of baselines, the page."""

from collections import Counter
from statistics import fmean

import pytest

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from analysis.base.published import earlier_scores, exploration_rates, prompt_scores
from analysis.reproduction.agreement import NOTHING, reproduction_of, sentences
from analysis.reproduction.printed import printed_numbers
from analysis.reproduction.selectors import ReproductionFilter, reproduction_by_filter
from environments.registry import BENCHMARKS, ENVIRONMENTS, generate
from runs.models import Agent

KNUTH = "Knuth's heuristic"


def comparable():
    return [number for number in printed_numbers() if not number.other]


def test_each_number_that_can_be_compared_is_printed_once():
    cells = Counter(
        (number.name, number.environment, number.difficulty, number.variants, number.measure) for number in comparable()
    )
    assert set(cells.values()) == {1}


def test_every_comparable_measure_is_one_that_runs_have(baseline_run):
    for environment in BENCHMARKS:
        keys = {number.measure.split(".")[0] for number in comparable() if number.environment == environment}
        run = baseline_run(environment)
        assert keys - {"score"} <= set(ENVIRONMENTS[environment].metrics(run.instance, run.outcomes))


def test_the_earlier_papers_further_numbers_keep_their_values():
    assert [score.summary.mean for score in earlier_scores()] == [0.671, 0.682]
    goal = next(row for row in prompt_scores() if (row.variant, row.difficulty) == ("known_horizon_and_goal", "HARD"))
    assert (goal.score, goal.exploration_rate) == (0.111, 0.52)
    assert exploration_rates()["o4-mini", "procurement", "MEDIUM"] == 48.9


def test_a_competency_counts_each_instance_with_the_mean_of_both_goals():
    (number,) = (n for n in comparable() if (n.name, n.environment) == ("GPT-4o", "efficiency_vs_equality")
                 and len(n.variants) == 2)  # fmt: skip
    goals = [{1: 1.0, 2: 0.9, 3: 0.7}, {1: 0.8, 2: 0.9}]
    values = {(7, number.environment, "STANDARD", goal, "score"): own for goal, own in zip(number.variants, goals)}  # noqa: B905
    (found,) = reproduction_of([number], {"GPT-4o": [(7, "Mine")]}, values).agreements
    assert (found.test.n, found.test.mean) == (2, pytest.approx(0.9)), "The third instance lacks one goal."


def test_a_mean_far_from_the_printed_one_is_said_to_differ_with_its_numbers():
    number = next(n for n in comparable() if n.name == KNUTH and n.difficulty == "HARD")
    values = {(1, "scheduling", "HARD", "main", "score"): {seed: 0.3 + seed / 100 for seed in range(12)}}
    found = reproduction_of(comparable(), {KNUTH: [(1, "Knuth's rule")]}, values)
    first, second, exact = sentences(found)
    assert first.startswith("1 own mean has a printed counterpart. 1 differs from it")
    assert second.startswith("Knuth's rule on Scheduling HARD: 35.5 over 12 instances, 76.0 printed, 40.5 points lower")
    assert number.value == 0.76 and exact.startswith("A printed mean counts as exact")
    assert sum(each.numbers for each in found.missing) == len(comparable()) - 1


@pytest.mark.long
@pytest.mark.parametrize(("difficulty", "printed", "within"), [("MEDIUM", 0.981, 0.03), ("HARD", 0.760, 0.05)])
def test_knuths_heuristic_reproduces_its_printed_means(difficulty, printed, within):
    scores = []
    for seed in range(12):
        instance = generate("scheduling", difficulty, seed)
        game = play_baseline(BASELINES["scheduling-knuth"], instance, ENVIRONMENTS["scheduling"])
        scores.append(game.score(instance, game.outcomes).value)
    assert abs(fmean(scores) - printed) < within


def test_the_page_compares_agents_that_have_a_printed_row_and_says_what_is_missing(page, organization, run_row):
    assert NOTHING.split(".")[0] in page.get("/reproduction/").text
    Agent.objects.create(organization=organization, slug="mine", name="Mine", model="gpt-5-2025-08-07")
    for seed, score in enumerate((0.6, 0.5, 0.7, 0.65, 0.55, 0.45)):
        run_row("mine", score, seed=seed)
    run_row("mine", 0.1, seed=7, periods=20)
    text = page.get("/reproduction/").text
    assert "1 own mean has a printed counterpart" in text and "Needs finished runs of this model." in text
    rows = page.get("/reproduction/agreement.json").json()["rows"]
    assert [(row["agent"], row["instances"], row["source"]) for row in rows] == [("Mine", 6, "Table 4")]
    assert rows[0]["mean"] == pytest.approx(57.5)


def test_the_comparison_takes_three_queries_for_any_number_of_runs(organization, run_row, django_assert_num_queries):
    for seed in range(3):
        for name in ("GPT-5", "GPT-4o", "o4-mini"):
            run_row(name.lower(), 0.5, seed=seed, name=name)
    with django_assert_num_queries(3):
        assert len(reproduction_by_filter(organization, ReproductionFilter()).agreements) == 3
