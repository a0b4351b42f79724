"""The experiment page, and the summary of an experiment on every page."""

import json
import re

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string

from api.schemas.experiments import ExperimentOut
from pages.dashboard.selectors.experiment_tables import late_blocks
from pages.dashboard.selectors.experiments import with_progress
from pages.dashboard.selectors.score_tables import score_table
from pages.dashboard.views.experiments import MATRIX_AT_ONCE
from runs.selectors.cells import run_groups
from runs.selectors.progress import Progress
from workspace.webhooks.payloads import experiment_data


@pytest.mark.long
def test_every_state_has_a_cell_and_a_reason(page, painted):
    experiment = painted("random", "optimum", seeds=(0, 1, 2, 3))
    text = page.get(f"/experiments/{experiment.pk}/").text
    for state in ("running", "queued", "waiting", "paused", "errored", "stalled", "cancelled"):
        assert f'class="cell {state} fill-' in text
    for state in ("waiting", "paused", "stalled", "errored"):
        assert f"The reason of a {state} run." in text
    assert "score 90.0" in text


@pytest.mark.long
def test_the_page_polls_active_runs_and_sends_only_changes(page, painted):
    experiment = painted("random", states=("running",))
    address = f"/experiments/{experiment.pk}/"
    assert 'hx-trigger="every 2s"' in page.get(address).text
    version = page.get(f"{address}live/").context["version"]
    assert page.get(f"{address}live/", {"version": version}).status_code == 204
    experiment.runs.update(state="finished", periods_played=4)
    assert page.get(f"{address}live/", {"version": version}).status_code == 200
    assert 'hx-trigger="every' not in page.get(address).text


@pytest.mark.long
def test_an_experiment_is_paused_resumed_and_cancelled(page, painted):
    experiment = painted("random", states=("errored",))
    for action, after in (("retry", "queued"), ("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        response = page.post(f"/experiments/{experiment.pk}/{action}/", follow=True)
        assert "1 run" in response.text
        assert experiment.runs.get().state == after


def test_an_experiment_is_renamed_and_deleted(page, painted, organization):
    experiment = painted("random")
    page.post(f"/experiments/{experiment.pk}/rename/", {"name": "A better name"})
    experiment.refresh_from_db()
    assert experiment.name == "A better name"
    page.post(f"/experiments/{experiment.pk}/delete/")
    assert not organization.experiments.exists()


def test_scores_are_means_of_finished_runs(page, painted):
    experiment = painted("random", seeds=(0, 1, 2), states=("finished", "finished", "running"))
    first, second, _ = experiment.runs.order_by("id")
    type(first).objects.filter(pk=second.pk).update(score=0.7)
    (row,) = score_table(run_groups(experiment)).rows
    (cell,) = row.cells
    assert (cell.mean, cell.error, cell.n, cell.total) == (pytest.approx(0.8), pytest.approx(0.1), 2, 3)


def test_runs_are_filtered_by_word_and_seed(page, painted):
    experiment = painted("random", "optimum", seeds=(0, 7))
    text = page.get(f"/experiments/{experiment.pk}/", {"text": "random 7"}).text
    assert text.split('id="run-list"')[1].count("<tr>") == 2


@pytest.mark.long
def test_unusual_addresses_are_answered(page, painted):
    experiment = painted("random")
    for query in ("page=x", "page=99", "sort=nothing", "state=nothing", "sort=-score", "text=%00"):
        assert page.get(f"/experiments/{experiment.pk}/?{query}").status_code == 200, query
        assert page.get(f"/experiments/?{query}").status_code == 200, query


FINISHED, CANCELLED, RUNNING, QUEUED, WAITING = "finished", "cancelled", "running", "queued", "waiting"
PAUSED, ERRORED, STALLED = "paused", "errored", "stalled"

COMBINATIONS = [
    ({}, QUEUED, "No runs", 0),
    ({FINISHED: 6}, FINISHED, "Finished: 6 of 6 runs finished", 100),
    ({FINISHED: 1}, FINISHED, "Finished: 1 of 1 run finished", 100),
    ({FINISHED: 2, CANCELLED: 4}, CANCELLED, "Stopped: 2 of 6 runs finished, 4 stopped (cancelled)", 66),
    ({CANCELLED: 6}, CANCELLED, "Stopped: 0 of 6 runs finished, 6 stopped (cancelled)", 50),
    ({FINISHED: 3, ERRORED: 1}, ERRORED, "Stopped: 3 of 4 runs finished, 1 stopped (errored)", 87),
    ({FINISHED: 3, STALLED: 1}, STALLED, "Stopped: 3 of 4 runs finished, 1 stopped (stalled)", 87),
    (
        {FINISHED: 1, ERRORED: 1, STALLED: 1, CANCELLED: 1},
        ERRORED,
        "Stopped: 1 of 4 runs finished, 3 stopped (1 errored, 1 stalled, 1 cancelled)",
        62,
    ),
    ({FINISHED: 1, PAUSED: 1, ERRORED: 2}, PAUSED, "Paused: 1 of 4 runs finished, 1 paused, 2 stopped (errored)", 62),
    (
        {FINISHED: 1, PAUSED: 1, CANCELLED: 2},
        PAUSED,
        "Paused: 1 of 4 runs finished, 1 paused, 2 stopped (cancelled)",
        62,
    ),
    ({QUEUED: 1, PAUSED: 1}, QUEUED, "Queued: 0 of 2 runs finished, 1 queued, 1 paused", 50),
    ({WAITING: 2, FINISHED: 2}, WAITING, "Queued: 2 of 4 runs finished, 2 queued (waiting)", 75),
    (
        {RUNNING: 1, QUEUED: 1, ERRORED: 1, CANCELLED: 1},
        RUNNING,
        "Running: 0 of 4 runs finished, 1 running, 1 queued, 2 stopped (1 errored, 1 cancelled)",
        50,
    ),
]


@pytest.mark.parametrize(("counts", "state", "summary", "percent"), COMBINATIONS)
def test_every_mixture_of_states_has_an_accurate_summary(counts, state, summary, percent):
    """Runs that did not finish have played half of their periods."""
    progress = Progress()
    for name, runs in counts.items():
        progress.add(name, runs, runs if name == FINISHED else runs / 2, 10 * runs, 0)
    assert (progress.state, progress.summary, progress.percent) == (state, summary, percent)


def test_progress_is_rounded_neither_to_0_nor_to_100_percent():
    progress = Progress()
    progress.add(FINISHED, 999, 999, 999, 0)
    progress.add(RUNNING, 1, 0.99, 99, 0)
    assert progress.percent_words == "99 %"
    progress = Progress()
    assert progress.percent_words == "0 %"
    progress.add(RUNNING, 1000, 0.01, 1, 0)
    assert progress.percent_words == "under 1 %"


@pytest.fixture
def cancelled(painted):
    """Two of six runs finished, four were cancelled halfway."""
    states = ("finished", "finished", "cancelled", "cancelled", "cancelled", "cancelled")
    return painted("random", seeds=tuple(range(6)), states=states)


@pytest.mark.long
def test_no_page_calls_a_cancelled_experiment_finished(page, cancelled):
    own = page.get(f"/experiments/{cancelled.pk}/").text
    assert (
        '<span class="state cancelled">Stopped</span>' in own and "2 of 6 runs finished, 4 stopped (cancelled)" in own
    )
    assert "<span>66 %</span>" in own and "100 %" not in own
    for address in ("/", "/experiments/"):
        text = page.get(address).text
        assert '<span class="state cancelled">Stopped</span>' in text and "4 stopped (cancelled)" in text
        assert '<span class="state finished">' not in text


def test_api_command_line_and_webhooks_agree_on_cancelled_experiments(cancelled, capsys, alice):
    summary = "Stopped: 2 of 6 runs finished, 4 stopped (cancelled)"
    told = ExperimentOut.values(cancelled, with_progress([cancelled])[0].progress)
    assert (told["state"], told["summary"], told["is_done"]) == ("cancelled", summary, True)
    assert told["progress"] == pytest.approx(4 / 6)
    with pytest.raises(SystemExit):  # with 1, since not every run finished
        call_command("watch", str(cancelled.pk))
    assert f"{summary}; 16 of 24 periods played" in capsys.readouterr().out
    sent = experiment_data(cancelled)["experiment"]
    assert (sent["state"], sent["summary"]) == ("cancelled", summary)
    assert json.loads(json.dumps(sent))["runs"] == {"finished": 2, "cancelled": 4}


# Counts on the home page


@pytest.fixture
def every_state(painted):
    """Different numbers of runs in different states, so that no count equals another by chance."""
    states = ("running",) * 2 + ("queued",) * 3 + ("waiting",) + ("paused",) * 2 + ("stalled", "errored", "finished")
    return painted("random", seeds=tuple(range(len(states))), states=states)


@pytest.mark.long
def test_a_count_on_the_home_page_links_to_exactly_its_runs(page, every_state, stranger):
    home = page.get("/").text
    for tile, state, runs in (("running", "running", 2), ("pending", "queued", 4), ("attention", "attention", 4)):
        address = f"/runs/?state={state}"
        assert f'<a id="count-{tile}" href="{address}">{runs} runs</a>' in home
        found = page.get(address)
        assert found.context["page"].paginator.count == runs == found.text.count('<th scope="row"')
        assert f"{runs} of 11 runs fit these filters. 1 finished run is hidden." in found.text
        assert stranger.get(address).context["page"].paginator.count == 0


@pytest.mark.long
def test_a_filtered_list_states_how_many_rows_it_hides(page, every_state, cancelled):
    own = f"/experiments/{every_state.pk}/"
    text = page.get(own, {"text": "nobody"}).text
    assert "No runs match these filters." in text and "11 runs are hidden. 1 of them is finished." in text
    assert f'href="{own}">Show all 11</a>' in text
    text = page.get("/runs/", {"text": "nobody"}).text
    assert "17 runs are hidden. 3 of them are finished." in text and 'href="/runs/">Show all 17</a>' in text
    text = page.get("/experiments/", {"text": "nobody"}).text
    assert "No experiments match these filters." in text and "2 experiments are hidden" in text
    text = page.get("/experiments/", {"state": "stopped"}).text
    assert "1 of 2 experiments fits these filters." in text and 'href="/experiments/">Show all 2</a>' in text
    assert "fits these filters" not in page.get("/experiments/").text


@pytest.mark.long
def test_an_unknown_cost_is_not_displayed_as_zero(page, painted, agent):
    experiment = painted("gpt-5", seeds=(0, 1), states=("finished",))
    experiment.runs.update(queries=3)
    type(agent("gpt-5")).objects.update(input_price=None)
    for address in ("/", "/experiments/", f"/experiments/{experiment.pk}/"):
        assert "2 runs without a price" in page.get(address).text
    rows = page.get("/runs/").text.partition("<tbody>")[2]
    assert "No price is known" in rows and "$0.00" not in rows


def test_environments_after_the_first_of_a_large_matrix_are_folded_with_a_summary(painted):
    environments = ("procurement", "pricing")
    experiment = painted("random", environments=environments, seeds=(0, 1), states=("finished", "running"))
    blocks = late_blocks(run_groups(experiment))
    text = render_to_string("pages/dashboard/_matrix.html", {"late_blocks": blocks, "experiment": experiment})
    first, _, rest = text.partition("<details")
    assert "Procurement" in first and "late-procurement" in first and "late-pricing" not in first
    summary = " ".join(re.sub(r"<[^>]+>", " ", rest.partition("<summary>")[2].partition("</summary>")[0]).split())
    assert summary == "Pricing 1 of 2 runs finished, 1 running" and "late-pricing" in rest


def test_the_head_of_an_experiment_has_one_primary_button_and_a_menu(page, every_state):
    head = page.get(f"/experiments/{every_state.pk}/").text.partition('class="page-head"')[2]
    actions = head.partition('<div class="actions">')[2].partition("progress-line")[0]
    assert actions.count("button primary") == 1 and len(re.findall(r'class="button[ "]', actions)) == 4
    for entry in ("Retry 2 failed", "Export", "Report", "Ledger of its calls", "Duplicate", "Delete…"):
        assert entry in actions.partition("menu-panel")[2], entry


@pytest.mark.long
def test_a_large_matrix_is_loaded_per_environment_and_polled_only_if_active(page, painted):
    experiment = painted("random", seeds=tuple(range(MATRIX_AT_ONCE + 1)), states=("finished",))
    run, block = experiment.runs.first(), f"/experiments/{experiment.pk}/matrix/pricing/"
    text = page.get(f"/experiments/{experiment.pk}/").text
    assert f'hx-get="{block}"' in text and f'id="c{run.pk}"' not in text and 'id="scores"' in text
    finished = page.get(block)
    assert f'id="c{run.pk}"' in finished.text and finished.status_code == 286, "htmx asks no more"
    experiment.runs.filter(pk=run.pk).update(state="running")
    assert page.get(block).status_code == 200
    assert page.get(f"/experiments/{experiment.pk}/matrix/scheduling/").status_code == 404
