"""Analyses: computed by a worker, taken over after a kill, cancelled by a person, failed with a sentence."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models.functions import Now

from analysis.notes.models import NotesAnalysis, claims
from analysis.notes.study.selectors import StudyFilter
from analysis.notes.study.services import MOST_WAITING, analysis_cancel, analysis_start
from analysis.notes.study.work import ANALYSES
from infrastructure.processes.workers import stopping

DRIFT = "The price drift rises; the trend of demand is linear.\n\nA linear trend of demand: the drift of prices."
CYCLE = "The cycle has a peak; its amplitude and phase matter.\n\nAmplitude of the cycle, phase of the peak."


@pytest.fixture
def started(organization, alice):
    def start(environment="pricing", **options):
        kept = {name: options.pop(name) for name in ("endpoint", "model", "price", "name") if name in options}
        study_filter = StudyFilter(environment=environment, **options)
        return analysis_start(organization=organization, user=alice, study_filter=study_filter, **kept)

    return start


@pytest.fixture
def two_agents(run_with):
    """Agent drifter writes 24 paragraphs, agent cycler 12."""
    return run_with([DRIFT] * 12, agent="drifter"), run_with([CYCLE] * 6, agent="cycler")


def its_worker_died():
    """Simulates claims of another process that was killed a while ago."""
    claims.held.clear()
    NotesAnalysis.objects.update(claim_until=Now() - timedelta(seconds=1))


def in_the_middle(stage, deed):
    """Do something once the worker has stored this stage."""
    done = []

    def after(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith("UPDATE") and "notes_notesanalysis" in sql and stage in params and not done:
            done.append(True)
            deed()
        return result

    return connection.execute_wrapper(after)


@pytest.mark.long
def test_agents_dominate_the_clusters_of_their_themes(two_agents, started, computed, page, viewer, stranger):
    drifter, cycler = two_agents
    analysis = started()
    waiting = page.get(f"/notes/{analysis.pk}/").text
    # Only the polled part states the progress: text in the heading would stay after the analysis has ended.
    assert waiting.count("Waiting") == 1 and "Waiting for a worker" in waiting
    analysis = computed()
    assert (analysis.state, analysis.problem, analysis.stage) == ("done", "", "")
    result = analysis.result
    assert (result["paragraphs"], result["runs"]) == (36, 2)
    assert {agent["name"]: agent["paragraphs"] for agent in result["agents"]} == {"Drifter": 24, "Cycler": 12}
    for cluster in result["clusters"]:
        is_drift = "drift" in cluster["label"] or "trend" in cluster["label"]
        assert cluster["dominant"] == (drifter if is_drift else cycler).agent_id and cluster["dominance"] == 1
    text = viewer.get(f"/notes/{analysis.pk}/").text
    assert "stands out most" in text and f'href="/runs/{drifter.pk}/periods/' in text and "<svg" in text
    assert "Reasoning about preferences" not in text
    figure = page.get(f"/notes/{analysis.pk}/figure.json").json()
    assert {trace["name"] for trace in figure["data"]} == {"Drifter", "Cycler"}
    assert figure["data"][0]["customdata"][0].startswith("/runs/")
    assert len(page.get(f"/notes/{analysis.pk}/result.csv").text.splitlines()) == 1 + 2 * len(result["clusters"])
    assert page.get(f"/notes/{analysis.pk}/result.json").json()["clusters"] == result["clusters"]
    assert stranger.get(f"/notes/{analysis.pk}/").status_code == 404
    assert page.get(f"/notes/{analysis.pk}/live/").headers["HX-Refresh"] == "true"


@pytest.mark.long
def test_filters_and_the_balanced_variant_select_the_paragraphs(two_agents, run_with, started, computed):
    run_with([DRIFT] * 3, agent="drifter", difficulty="HARD")
    started(balanced=True, difficulties=("BASIC",))
    result = computed().result
    assert {agent["paragraphs"] for agent in result["agents"]} == {12} and result["found"] == 36
    assert "as many of each agent" in result["sentences"][-1]
    started(agents=("drifter",))
    result = computed().result
    assert [agent["name"] for agent in result["agents"]] == ["Drifter"] and result["paragraphs"] == 30
    assert "none dominates" in result["sentences"][0]


def test_each_seller_of_a_market_is_analysed_separately(run_with, started, computed, two_agents):
    from runs.models import Note, Run

    drifter, cycler = two_agents
    Run.objects.filter(pk=drifter.pk).update(rival=cycler.agent)
    Note.objects.create(run=drifter, period_index=0, seat="seat_1", order=0, text=CYCLE)
    started()
    assert {agent["name"]: agent["paragraphs"] for agent in computed().result["agents"]} == {
        "Drifter": 24,
        "Cycler": 14,
    }


@pytest.mark.long
def test_preferences_are_counted_if_the_environment_declares_names(run_with, started, computed, page):
    run_with(["W1 prefers T1 > T2 > T3.\n\nCalm words only here."] * 8, environment="scheduling", agent="thinker")
    run_with(["W1 wants T1.\n\nBusy words only there."] * 8, environment="scheduling", agent="guesser")
    started("scheduling")
    analysis = computed()
    rows = {row["agent"]: row for row in analysis.result["preferences"]}
    names = {agent["id"]: agent["name"] for agent in analysis.result["agents"]}
    assert {names[agent]: (row["share"], row["mean"], row["longest"]) for agent, row in rows.items()} == {
        "Thinker": (0.5, 3, 3),
        "Guesser": (0.5, 1, 1),
    }
    assert "Reasoning about preferences" in page.get(f"/notes/{analysis.pk}/").text


@pytest.mark.long
def test_an_analysis_without_enough_text_is_refused_or_fails_with_a_sentence(run_with, started, computed, page):
    with pytest.raises(ValidationError, match="No run matches"):
        started()
    run_with(["", ""])
    with pytest.raises(ValidationError, match="none of them has notes"):
        started()
    run_with(["Only one paragraph.", "And a second one."])
    started()
    analysis = computed()
    assert analysis.state == "failed" and "have 2 paragraphs to compare" in analysis.problem
    assert "have 2 paragraphs to compare" in page.get(f"/notes/{analysis.pk}/").text
    run_with(["1 2 3"] * 20, difficulty="HARD")
    started(difficulties=("HARD",))
    assert "no words" in computed().problem


def test_the_analysis_of_a_killed_worker_is_computed_once_by_another_worker(two_agents, started, computed):
    started()
    dead = claims.claim_next()
    claims.store_progress(dead, 1, 4, stage="Weighing words")
    assert not ANALYSES.work_next()
    its_worker_died()
    assert computed().state == "done"
    ANALYSES.work(dead)
    assert NotesAnalysis.objects.get().state == "done"


def test_an_analysis_that_kills_its_workers_fails_in_the_end(two_agents, started, computed):
    started()
    for _ in range(ANALYSES.most_tries):
        assert claims.claim_next()
        its_worker_died()
    analysis = computed()
    assert analysis.state == "failed" and f"{ANALYSES.most_tries} workers ended" in analysis.problem


@pytest.mark.long
def test_cancelling_ends_the_work_at_its_next_step(two_agents, started, page):
    analysis = started()
    with in_the_middle("Computing vectors", lambda: page.post(f"/notes/{analysis.pk}/cancel/")):
        assert ANALYSES.work_next()
    analysis.refresh_from_db()
    assert (analysis.state, analysis.stage, analysis.result) == ("cancelled", "Computing vectors", None)
    assert not ANALYSES.work_next() and not analysis_cancel(analysis=analysis)
    text = page.get(f"/notes/{analysis.pk}/").text
    assert "was cancelled" in text and "New analysis like this" in text


def test_a_stopping_worker_returns_its_analysis(two_agents, started, computed):
    analysis = started()
    with in_the_middle("Weighing words", stopping.set):
        ANALYSES.work_next()
    stopping.clear()
    analysis.refresh_from_db()
    assert (analysis.state, analysis.claim_until, analysis.tries) == ("waiting", None, 0)
    assert computed().state == "done"


@pytest.mark.long
def test_the_page_shows_the_progress_of_a_running_analysis(two_agents, started, page):
    analysis = started()
    seen = []
    with in_the_middle("Finding clusters", lambda: seen.append(page.get(f"/notes/{analysis.pk}/live/").text)):
        ANALYSES.work_next()
    assert "Finding clusters, 2 of 4" in seen[0] and "Cancel the analysis" in seen[0]


@pytest.mark.long
def test_deleting_an_analysis_asks_first_and_removes_its_result(two_agents, started, computed, page):
    started()
    analysis = computed()
    assert "Delete this analysis?" in page.get(f"/notes/{analysis.pk}/").text
    page.post(f"/notes/{analysis.pk}/delete/")
    assert not NotesAnalysis.objects.exists() and "No analyses yet" in page.get("/notes/").text


@pytest.mark.long
def test_an_analysis_survives_the_deletion_of_its_experiment(two_agents, started, computed, page):
    from runs.services.deletions import experiment_delete

    started()
    analysis = computed()
    experiment_delete(experiment=two_agents[0].experiment)
    assert page.get(f"/notes/{analysis.pk}/").status_code == 200
    assert page.get(f"/notes/{analysis.pk}/figure.json").status_code == 200


@pytest.mark.long
def test_the_form_states_what_it_will_read_before_it_starts(two_agents, page, viewer):
    text = page.get("/notes/new/").text
    assert "It reads 2 runs with 18 notes, 36 paragraphs." in text
    assert (
        "It reads 1 run with 6 notes, 12 paragraphs." in page.get("/notes/new/?environment=pricing&agents=cycler").text
    )
    started = {"environment": "pricing", "agents": "cycler"}
    unseen = page.post("/notes/new/", started | {"seen": "environment=pricing"})
    assert unseen.status_code == 422 and "Look at what it would read" in unseen.text
    assert not NotesAnalysis.objects.exists()
    response = page.post("/notes/new/", started | {"seen": "agents=cycler&environment=pricing"})
    analysis = NotesAnalysis.objects.get()
    assert response.headers["Location"] == f"/notes/{analysis.pk}/"
    assert analysis.filter == {"environment": "pricing", "agents": ["cycler"]} and analysis.name == "Pricing"
    assert viewer.get("/notes/new/").status_code == 403


def test_hostile_notes_are_escaped_on_the_page(run_with, started, computed, page):
    hostile = "<script>alert(1)</script> drift <b>bold</b> {{ x }}"
    run_with([hostile] * 12, agent="evil")
    started(name="<i>name</i>")
    text = page.get(f"/notes/{computed().pk}/").text
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text and "<i>name</i>" not in text


def test_the_number_of_waiting_analyses_is_limited(two_agents, started):
    for _ in range(MOST_WAITING):
        started()
    with pytest.raises(ValidationError, match="wait already"):
        started()
