"""Runs of the same instance compared: first difference, answer, overlaid charts and page."""

import pytest

from analysis.run_comparison.sentences import parting
from environments.registry import LITMUS_TESTS
from runs.models import Note, Period

ADDRESS = "/compare/runs/"


def test_runs_part_in_the_first_period_with_different_actions():
    same = {0: {"P": 20}, 1: {"P": 21, "Q": 3}, 2: {"P": 22}}
    other = {0: {"P": 20.0}, 1: {"Q": 3, "P": 21}, 2: {"P": 22.5}, 3: {"P": 1}}
    found = parting([same, other])
    assert (found.compared, found.parted, found.first) == (3, (2,), 2)
    assert parting([same, other, {2: {"P": 22}, 3: {"P": 1}}]).parted == (2,)
    assert parting([same, same]).first is None
    assert parting([same, {}]).compared == 0


# The page


@pytest.fixture
def game_row(run_row, baseline_run):
    """A run with the first periods of a played game, and a note in each."""

    def create(agent, score=0.5, periods=5, baseline="random", environment="pricing", **changes):
        game = baseline_run(environment, "STANDARD" if environment in LITMUS_TESTS else "BASIC", baseline)
        run = run_row(agent, score, problem=game.instance, periods_played=periods, **changes)
        kept = game.outcomes[:periods]
        Period.objects.bulk_create(
            Period(run=run, index=o.period, action=o.action, result=o.result, quality=o.quality) for o in kept
        )
        Note.objects.bulk_create(
            Note(run=run, period_index=o.period, seat="seat_0", order=0, text=f"<b>{agent}</b> notes {o.period} " * 99)
            for o in kept
        )
        return run

    return create


def query(*runs, **more):
    return "&".join([f"run={getattr(run, 'pk', run)}" for run in runs] + [f"{k}={v}" for k, v in more.items()])


@pytest.mark.long
def test_the_page_answers_with_a_sentence_and_opens_the_first_different_period(page, game_row):
    one, two = game_row("abel", 0.5), game_row("cain", 0.61)
    Period.objects.filter(run=two, index=3).update(action={"Product_1": 3.5})
    text = page.get(f"{ADDRESS}?{query(one, two)}").text
    assert f"cain (run {two.pk}) has the highest score: 61.0, 11.0 points more than abel (run {one.pk})." in text
    assert "They first part in period 3 and differ in 1 of 5 periods." in text
    assert 'data-period="3"' in text and f'href="/runs/{two.pk}/periods/3/"' in text
    assert "Optimal price" in text and "$3.50" in text, "the words of the run page"
    assert "&lt;b&gt;abel&lt;/b&gt; notes 3" in text and "The first 1,200 of" in text
    assert f"same action as run {one.pk}" in page.get(f"{ADDRESS}?{query(one, two, period=1)}").text
    assert 'data-period="4"' in page.get(f"{ADDRESS}?{query(one, two, period=99)}").text


@pytest.mark.long
def test_a_step_loads_a_single_period(page, game_row, django_assert_num_queries):
    runs = [game_row(f"agent-{number}", 0.1 * number) for number in range(6)]
    with django_assert_num_queries(5 + 5):
        page.get(f"{ADDRESS}?{query(*runs)}")
    with django_assert_num_queries(3 + 4):
        part = page.get(f"{ADDRESS}?{query(*runs, period=2)}", headers={"HX-Request": "true"})
    assert part.text.lstrip().startswith("<section") and 'data-period="2"' in part.text
    assert part["HX-Push-Url"].endswith("period=2")


def test_figure_and_file_hold_every_period(page, game_row):
    one, two = game_row("abel"), game_row("cain", periods=3)
    figure = page.get(f"{ADDRESS}figure.json?{query(one, two)}").json()
    assert [len(trace["x"]) for trace in figure["data"] if trace["name"] == f"run {two.pk}, cain"] == [3, 3]
    lines = page.get(f"{ADDRESS}periods.csv?{query(one, two)}").text.splitlines()
    assert len(lines) == 1 + 5 + 3 and lines[1].startswith(f"{one.pk},abel,main,0,False,")


@pytest.mark.long
def test_a_refused_comparison_gives_the_reason(page, game_row, other):
    one, two = game_row("abel"), game_row("cain")
    far = game_row("far", environment="scheduling")
    foreign = game_row("zq7-foreign", organization=other.organization)
    text = page.get(ADDRESS).text
    assert "Choose 2 to 6 runs of one instance." in text
    assert "One run is chosen." in page.get(f"{ADDRESS}?{query(one)}").text
    text = page.get(f"{ADDRESS}?{query(one, far, two)}").text
    assert "The 3 chosen runs are of 2 different instances." in text
    assert f'href="?run={one.pk}&amp;run={two.pk}"' in text
    text = page.get(f"{ADDRESS}?{query(one, foreign, two, '=%00', 'x' * 99)}").text
    assert f"There is no run {foreign.pk}, =" in text and "zq7-foreign" not in text and "Both runs have" in text
    seven = [one, two, *(game_row(f"agent-{number}") for number in range(5))]
    assert "Only the first 6 of 7 runs are compared." in page.get(f"{ADDRESS}?{query(*seven)}").text
    assert page.get(f"{ADDRESS}figure.json?{query(one)}").json()["data"] == []


@pytest.mark.long
def test_special_cases_of_compared_runs_have_a_sentence(page, game_row):
    one = game_row("abel", 0.5)
    told = lambda *runs: page.get(f"{ADDRESS}?{query(*runs)}").text  # noqa: E731
    text = told(one, game_row("cain", None, periods=2, state="paused"))
    assert f"Only abel (run {one.pk}) has a score: 50.0." in text
    assert "is paused after 2 of 100 periods and has no score." in text
    assert "They play the same in all 2 periods that they have in common." in text
    assert "Both runs have the same score: 50.0." in told(one, game_row("abel", 0.5))
    assert "Both runs have the same score: 30.0." in told(game_row("x", 0.3), game_row("y", 0.1 + 0.2))
    near, nearer = game_row("near", 0.98294), game_row("nearer", 0.98322)
    assert f"nearer (run {nearer.pk}) has the highest score: 98.32, 0.03 points more than near" in told(near, nearer)
    unplayed = game_row("late", None, periods=0, state="queued")
    assert "No period has been played by two of them yet." in told(one, unplayed)
    assert "share the highest score: 50.0, 20.0 points more than" in told(one, game_row("b", 0.5), game_row("c", 0.3))
    short = game_row("short", 0.4)
    short.periods = 40
    short.save()
    assert "The runs differ in length (40, 100 periods)" in told(one, short)


@pytest.mark.long
def test_litmus_scores_under_different_prompts_are_not_compared(page, game_row):
    litmus = {"environment": "efficiency_vs_equality", "baseline": "equality-greedy-equality"}
    one, two = game_row("abel", 0.2, **litmus), game_row("cain", 0.9, variant="equality", **litmus)
    text = page.get(f"{ADDRESS}?{query(one, two)}").text
    assert "Their prompts differ, so their scores measure different things." in text
    assert "cain (run" not in text


@pytest.mark.long
def test_every_table_of_runs_has_check_boxes_for_comparing(page, run_row):
    run = run_row("house")
    box = f'id="pick-{run.pk}" name="run" value="{run.pk}" form="compare-runs"'
    cell = "/leaderboard/cell/?agent=house&environment=pricing&difficulty=BASIC"
    for address in ("/runs/", f"/experiments/{run.experiment_id}/", cell, "/agents/house/"):
        text = " ".join(page.get(address).text.split())
        assert box in text and 'id="compare-runs"' in text, address
    assert query(run, run) in page.post("/runs/selected/", {"run": [run.pk] * 2, "action": "compare"}).url
