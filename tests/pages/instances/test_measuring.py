"""A worker plays the baselines on a design and on published difficulties; another worker takes over after a kill."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models.functions import Now

from environments.registry import GENERATION
from infrastructure.processes.workers import stopping
from pages.instances import measuring as working
from pages.instances.measuring import (
    MEASUREMENTS,
    TOO_LONG,
    MeasuredTable,
    Row,
    claims,
    games_of,
    measured_table,
    stored_scores,
)
from pages.instances.models import BaselineScore, Measurement
from pages.instances.services import MOST_WAITING, measurement_cancel, measurement_start
from runs.services.designs import design_change, design_delete
from tests.pages.instances.conftest import SMALL_SETTINGS

QUICK = ("efficiency_vs_equality", {"workers": 2, "productivity_gap": 4.0, "total_size": 60})
"""An environment with one published difficulty, whose baselines play in hundredths of a second."""


@pytest.fixture
def quick(design_of):
    return design_of("Two workers", *QUICK)


def its_worker_died():
    """Simulates claims of another process that was killed a while ago."""
    claims.held.clear()
    Measurement.objects.update(claim_until=Now() - timedelta(seconds=1))


def in_the_middle(stage, deed):
    """Do something once the worker has stored a stage that begins so."""
    done = []

    def after(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        told = sql.startswith("UPDATE") and "instances_measurement" in sql and not done
        if told and any(isinstance(one, str) and one.startswith(stage) for one in params):
            done.append(True)
            deed()
        return result

    return connection.execute_wrapper(after)


@pytest.mark.long
def test_baselines_play_five_seeds_of_the_design_and_of_published_difficulties(quick, measured, page, viewer):
    measurement_start(design=quick, user=None)
    assert "Waiting for a worker" in page.get(f"/instances/designs/{quick.pk}/").text
    found = measured()
    assert (found.state, found.problem, found.stage) == ("done", "", "")
    table = measured_table(quick, found.measured)
    assert (table.played_games, table.total, table.is_complete) == (30, 30, True)
    assert table.columns == ("STANDARD", "CUSTOM+TWO-WORKERS")
    rows = {row.slug: row for row in table.rows}
    assert rows["optimum"].means == (1.0, 1.0) and rows["optimum"].is_clairvoyant
    assert rows["equality-greedy-equality"].means[1] < 0.2 < rows["equality-greedy-efficiency"].means[1]
    assert table.verdict == "", "there is a single published difficulty"
    text = viewer.get(f"/instances/designs/{quick.pk}/").text
    assert (
        "Greedy equality" in text and "Measure" not in text.partition("measurement-title")[2].partition("</section>")[0]
    )
    figure = page.get(f"/instances/designs/{quick.pk}/measured.json").json()
    assert len(figure["layout"]["annotations"]) == 2 and sum(len(t["x"]) for t in figure["data"]) == 30 + 6
    assert page.get(f"/instances/designs/{quick.pk}/measure/live/").headers["HX-Refresh"] == "true"


@pytest.mark.long
def test_scores_of_published_difficulties_and_equal_settings_are_reused(quick, design_of, other, measured):
    measurement_start(design=quick, user=None)
    measured()
    assert BaselineScore.objects.count() == 30
    twin = design_of("The same", *QUICK, organization=other.organization)
    measurement_start(design=twin, user=None)
    assert measured().state == "done" and BaselineScore.objects.count() == 30
    third = design_of("Three workers", QUICK[0], QUICK[1] | {"workers": 3})
    measurement_start(design=third, user=None)
    assert measured().state == "done" and BaselineScore.objects.count() == 45


def test_the_verdict_is_the_difficulty_with_the_closest_scores():
    rows = (
        Row("random", "Random", False, (0.5, 0.3, 0.1, 0.28)),
        Row("climber", "Climber", False, (0.9, 0.8, 0.7, 0.86)),
        Row("optimum", "Optimum", True, (1.0, 1.0, 1.0, 0.5)),
    )
    columns = ("BASIC", "MEDIUM", "HARD", "CUSTOM+X")
    told = MeasuredTable("pricing", columns, rows, {}, 60, 60).verdict
    assert told == (
        "Closest to MEDIUM: the mean scores of 2 baselines differ from those on MEDIUM by 4.0 points on average."
    )
    assert MeasuredTable("pricing", columns, rows, {}, 59, 60).verdict == "", "not before every game was played"


@pytest.mark.long
def test_a_design_measured_as_basic_is_closest_to_basic(design_of, measured, settings):
    """With BASIC's own settings the scores are BASIC's. The published scores are put there, as if played before."""
    design = design_of("As basic", settings=dict(GENERATION["pricing"].difficulties["BASIC"]))
    games = games_of(design, design.settings)
    for game in games:
        if game.column in ("MEDIUM", "HARD"):
            BaselineScore.objects.create(
                recipe=game.recipe.hash, baseline=game.baseline, version=settings.VERSION, score=0.1
            )
    measurement_start(design=design, user=None)
    found = measured()
    assert found.state == "done", found.problem
    table = measured_table(design, found.measured)
    assert table.verdict.endswith("from those on BASIC by 0.0 points on average.")
    for row in table.rows:
        assert row.means[0] == row.means[-1], row


@pytest.mark.long
def test_another_worker_continues_the_measurement_of_a_killed_worker(quick, measured):
    measurement_start(design=quick, user=None)
    dead = claims.claim_next()

    def taken_over():
        its_worker_died()
        assert claims.take(dead.row_id)

    with in_the_middle("Greedy equality on CUSTOM+TWO-WORKERS, seed 2", taken_over):
        MEASUREMENTS.work(dead)
    kept = set(BaselineScore.objects.values_list("pk", flat=True))
    assert 0 < len(kept) < 30
    assert not MEASUREMENTS.work_next(), "another worker has it"
    its_worker_died()
    assert measured().state == "done"
    assert kept < set(BaselineScore.objects.values_list("pk", flat=True)) and BaselineScore.objects.count() == 30


@pytest.mark.long
def test_a_measurement_that_kills_its_workers_fails_in_the_end(quick, measured, page):
    measurement_start(design=quick, user=None)
    for _ in range(MEASUREMENTS.most_tries):
        assert claims.claim_next()
        its_worker_died()
    assert measured().state == "failed"
    assert f"{MEASUREMENTS.most_tries} workers ended" in page.get(f"/instances/designs/{quick.pk}/").text


@pytest.mark.long
def test_cancelling_a_measurement_stops_it_and_keeps_its_scores(quick, page):
    measurement_start(design=quick, user=None)
    address = f"/instances/designs/{quick.pk}/measure"
    with in_the_middle("Greedy efficiency on CUSTOM+TWO-WORKERS, seed 1", lambda: page.post(f"{address}/cancel/")):
        assert MEASUREMENTS.work_next()
    found = Measurement.objects.get()
    assert (found.state, found.claim_until) == ("cancelled", None)
    table = measured_table(quick, found.measured)
    assert 0 < table.played_games < table.total
    assert not MEASUREMENTS.work_next() and not measurement_cancel(design=quick)
    text = page.get(f"/instances/designs/{quick.pk}/").text
    assert f"{table.played_games} of 30 games were played." in text and "Measure again" in text
    assert "It had ended already." in page.post(f"{address}/cancel/", follow=True).text


@pytest.mark.long
def test_a_stopping_worker_returns_its_measurement(quick, measured):
    measurement_start(design=quick, user=None)
    with in_the_middle("Greedy equality on STANDARD, seed 0", stopping.set):
        MEASUREMENTS.work_next()
    stopping.clear()
    found = Measurement.objects.get()
    assert (found.state, found.claim_until, found.tries) == ("waiting", None, 0)
    assert measured().state == "done"


@pytest.mark.long
def test_the_page_shows_the_progress_of_a_running_measurement(quick, page):
    measurement_start(design=quick, user=None)
    seen = []
    live = f"/instances/designs/{quick.pk}/measure/live/"
    with in_the_middle("The optimum of STANDARD, seed 3", lambda: seen.append(page.get(live).text)):
        MEASUREMENTS.work_next()
    assert "The optimum of STANDARD, seed 3, 24 of 30 games" in seen[0] and "Cancel" in seen[0]


@pytest.mark.long
def test_a_measurement_ends_at_its_time_limit(quick, measured, monkeypatch):
    monkeypatch.setattr(working, "MOST_SECONDS", 0)
    measurement_start(design=quick, user=None)
    found = measured()
    assert (found.state, found.problem) == ("failed", TOO_LONG)
    monkeypatch.undo()
    measurement_start(design=quick, user=None)
    assert measured().state == "done"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("environment", "large", "words"),
    [
        ("procurement", {"products": 200}, "Products is 200. Baselines are measured up to 100"),
        ("scheduling", {"size": 101}, "Workers is 101. Baselines are measured up to 100"),
        ("pricing", {"products": 50}, "Products is 50. Baselines are measured up to 25"),
        ("patience_vs_impatience", {"repetitions": 41}, "Repetitions is 41. Baselines are measured up to 40"),
    ],
)
def test_a_huge_design_is_refused_with_a_sentence(design_of, page, environment, large, words):
    first = GENERATION[environment].first | ({"categories": 5} if environment == "procurement" else {})
    design = design_of("Huge", environment, first | large)
    with pytest.raises(ValidationError, match="Launch the baselines on it instead"):
        measurement_start(design=design, user=None)
    address = f"/instances/designs/{design.pk}/"
    assert words in page.get(address).text and "Measure its difficulty" not in page.get(address).text
    assert words in page.post(f"{address}measure/", follow=True).text
    assert not Measurement.objects.exists()


@pytest.mark.parametrize("name", GENERATION)
def test_published_difficulties_can_be_measured(name, design_of):
    for difficulty, settings in GENERATION[name].difficulties.items():
        assert measurement_start(design=design_of(f"{name} {difficulty}"[:60], name, settings), user=None)
        Measurement.objects.all().delete()


@pytest.mark.long
def test_a_changed_design_is_measured_again(quick, measured, page):
    measurement_start(design=quick, user=None)
    measured()
    design_change(design=quick, name=quick.name, settings=QUICK[1] | {"workers": 3})
    text = page.get(f"/instances/designs/{quick.pk}/").text
    assert "The design was changed since" in text and "Measure again" in text
    page.post(f"/instances/designs/{quick.pk}/measure/")
    assert measured().measured["workers"] == 3 and BaselineScore.objects.count() == 45
    assert "The design was changed since" not in page.get(f"/instances/designs/{quick.pk}/").text


def test_a_worker_with_outdated_settings_stores_no_result(quick):
    measurement_start(design=quick, user=None)

    def change():
        design_change(design=quick, name=quick.name, settings=QUICK[1] | {"workers": 3})
        measurement_start(design=quick, user=None)

    with in_the_middle("Greedy efficiency on CUSTOM+TWO-WORKERS, seed 0", change):
        assert MEASUREMENTS.work_next()
    found = Measurement.objects.get()
    assert (found.state, found.measured["workers"]) == ("waiting", 3)


def test_starting_twice_creates_a_single_measurement_and_the_queue_is_limited(quick, design_of):
    first = measurement_start(design=quick, user=None)
    claims.claim_next()
    again = measurement_start(design=quick, user=None)
    assert again.pk == first.pk and Measurement.objects.get().fence == 1, "the one at work goes on"
    for number in range(1, MOST_WAITING + 1):
        design = design_of(f"Design {number}")
        if number < MOST_WAITING:
            measurement_start(design=design, user=None)
    with pytest.raises(ValidationError, match=f"{MOST_WAITING} measurements wait already"):
        measurement_start(design=design, user=None)


@pytest.mark.long
def test_a_measurement_without_a_worker_gives_the_reason(quick, page):
    measurement_start(design=quick, user=None)
    Measurement.objects.update(asked_at=Now() - timedelta(hours=1))
    assert "No worker is running." in page.get(f"/instances/designs/{quick.pk}/").text


def test_a_server_error_is_reported_as_one(quick, measured, monkeypatch):
    monkeypatch.setattr(working, "play_baseline", lambda *_: 1 / 0)
    measurement_start(design=quick, user=None)
    found = measured()
    assert found.state == "failed" and "A fault in EconEvals ended this measurement: ZeroDivisionError" in found.problem


def test_deleting_the_design_ends_its_measurement(quick):
    measurement_start(design=quick, user=None)
    with in_the_middle("Greedy efficiency on CUSTOM+TWO-WORKERS, seed 0", lambda: design_delete(design=quick)):
        assert MEASUREMENTS.work_next()
    assert not Measurement.objects.exists() and not MEASUREMENTS.work_next()
    claims.sweep()


def test_games_of_the_design_are_played_first(design_of):
    games = games_of(design_of(), SMALL_SETTINGS)
    assert [game.column for game in games[:25]] == ["CUSTOM+TWO-PRODUCTS"] * 25 and len(games) == 100
    assert len({game.key for game in games}) == 100 and stored_scores(games) == {}
