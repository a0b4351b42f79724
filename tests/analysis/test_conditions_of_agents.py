"""Two conditions of one agent: pairing, Holm, sentences, what is compared and what is hidden, the page."""

import pytest

from analysis.base.published import prompt_scores
from analysis.conditions.contrasts import NOT_PAIRED, Cell, contrasts, sentences
from analysis.conditions.selectors import ConditionsFilter, conditions_of
from analysis.hidden import hidden_runs
from runs.models import Agent
from stats.paired import holm, paired

CELL = Cell("House", "procurement", "HARD", "score")
MAIN = {seed: 0.5 + seed / 100 for seed in range(8)}
BETTER = {seed: score + 0.1 + seed / 200 for seed, score in MAIN.items()}


def usual_first(condition):
    return condition != "main", condition


def test_the_same_instances_are_paired_and_others_are_left_out():
    (found,) = contrasts({CELL: {"told": BETTER | {99: 1.0}, "main": MAIN}}, usual_first, is_paired=True)
    numbers = paired([BETTER[seed] - MAIN[seed] for seed in MAIN])
    assert (found.first, found.second, found.counts) == ("main", "told", (8, 8))
    assert (found.p, found.interval) == (numbers.p, numbers.interval)
    assert found.difference == pytest.approx(numbers.difference)


def test_p_is_adjusted_over_the_agents_of_a_measure():
    by_agent = {
        Cell(name, "procurement", "HARD", measure): {"main": MAIN, "told": other}
        for name, other in (("A", BETTER), ("B", {seed: 1 - score for seed, score in MAIN.items()}))
        for measure in ("score", "exploration_rate")
    }
    found = contrasts(by_agent, usual_first, is_paired=True)
    scores = [each for each in found if each.cell.measure == "score"]
    assert [each.adjusted_p for each in scores] == holm([each.p for each in scores])


def test_other_instances_are_not_paired_and_the_sentence_says_so():
    found = contrasts(
        {CELL: {"main": MAIN, "harder": {seed + 50: 0.9 for seed in range(8)}}}, usual_first, is_paired=False
    )
    first, second = sentences(found, "difficulty", str.capitalize)
    assert "none has a test" in first and second == NOT_PAIRED and found[0].reason == "all equal"


def test_a_decided_comparison_is_a_sentence_with_its_numbers():
    found = contrasts({CELL: {"main": MAIN, "told": BETTER}}, usual_first, is_paired=True)
    assert sentences(found, "prompt", str.capitalize) == [
        "1 comparison of scores by prompt: 1 of 1 test finds a difference after Holm's method.",
        "House on Procurement HARD scores 11.8 points higher under told than under main (95 % interval 10.7 to 12.8, "
        "p = 0.0078, p = 0.0078 adjusted): evidence of a difference.",
    ]


@pytest.fixture
def prompts(run_row):
    for variant, gain in (("main", 0.0), ("known_horizon", 0.05)):
        for seed in range(6):
            run_row("house", 0.4 + seed / 20 + gain, seed=seed, variant=variant, environment="procurement",
                    metrics={"exploration_rate": 0.3})  # fmt: skip


def test_the_page_compares_prompts_beside_table_9_and_hides_none_of_them(page, organization, prompts):
    text = page.get("/conditions/").text
    assert "1 comparison of scores by prompt" in text and "Table 9 of the paper, published" in text
    assert "Gemini 1.5 Pro" in text
    assert not hidden_runs(organization=organization, run_filter=ConditionsFilter()).groups
    rows = page.get("/conditions/conditions.json").json()["rows"]
    score = next(row for row in rows if row["measure"] == "score")
    assert (score["second"], score["paired"], score["first_instances"]) == ("known_horizon", True, 6)
    assert score["difference"] == pytest.approx(5)
    assert "No agent here has finished runs that differ in generator" in page.get("/conditions/?by=generator").text


def test_two_agents_of_one_model_are_conditions_of_it(organization, run_row):
    for slug, score in (("low", 0.3), ("high", 0.5)):
        Agent.objects.create(organization=organization, slug=slug, name=f"House, {slug}", model="house-1")
        for seed in range(6):
            run_row(slug, score + seed / 50, seed=seed)
    found = conditions_of(organization, ConditionsFilter(by="agent")).contrasts
    score = next(each for each in found if each.cell.measure == "score")
    assert (score.cell.name, score.first, score.second) == ("house-1", "House, high", "House, low")
    assert score.difference == pytest.approx(-0.2) and score.p == pytest.approx(2 / 64)


def test_the_printed_means_are_those_of_table_9():
    assert [row.score for row in prompt_scores()] == [0.623, 0.379, 0.355, 0.473, 0.203, 0.186, 0.503, 0.204, 0.111]


def test_the_comparison_takes_three_queries_for_any_number_of_runs(organization, prompts, django_assert_num_queries):
    with django_assert_num_queries(3):
        assert conditions_of(organization, ConditionsFilter()).contrasts
