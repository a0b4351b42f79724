"""Pages explain why a run has no score yet, the next attempt, and an abandoned search for a proof."""

import re

import pytest

from runs.models import Proof, ProofState, Run
from tests.cast import play_all
from tests.layout import check_markup
from tests.unproven import CLIMBER, GAME, limit_attempts, prove_all, solve_here

NOT_YET = (
    "The optimum of this instance is not proven yet, so its runs have no score yet. 1 attempt ended without a proof. "
)
BEGINS = "The next one begins when a worker is free and may take 1 min 40 s of a processor."


@pytest.fixture
def unscored(launch, monkeypatch):
    """A finished run without a score."""
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    experiment = launch(CLIMBER, **GAME)
    play_all(experiment)
    return experiment.runs.get()


def test_pages_of_run_experiment_and_instance_explain_a_pending_proof(unscored, page):
    addresses = (f"/runs/{unscored.pk}/", f"/instances/{unscored.instance_id}/")
    for address in addresses:
        text = page.get(address).text
        check_markup(text)
        assert NOT_YET + BEGINS in text and "Try once more" not in text, address
    assert _optimum_found(page.get(addresses[0]).text) == "–"
    experiment = page.get(f"/experiments/{unscored.experiment_id}/").text
    check_markup(experiment)
    assert "Finished runs on 1 instance have no score" in experiment
    assert "procurement BASIC, seed 20</a>: 1 run; 1 attempt, the next of up to 1 min 40 s of a processor" in experiment
    prove_all()
    for address in (*addresses, f"/experiments/{unscored.experiment_id}/"):
        text = page.get(address).text
        assert "proven yet" not in text and "have no score" not in text, address
    score, text = f"{100 * Run.objects.get().score:.1f}", page.get(addresses[0]).text
    assert score in text and _optimum_found(text) == "no" and score in page.get("/leaderboard/?periods=4").text


def _optimum_found(text):
    return re.search(r"Optimum found.*?<dd[^>]*>\s*(\S+)", text, re.DOTALL)[1]


def test_an_abandoned_search_is_explained_and_an_editor_can_repeat_it(unscored, page, viewer, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 1e-9)
    prove_all()
    address = f"/instances/{unscored.instance_id}/"
    told = "2 attempts ended without a proof, and the search was given up. The last attempt ended after &lt; 0.1 s of"
    for one in (address, f"/runs/{unscored.pk}/"):
        assert told in viewer.get(one).text, one
    assert "given up after 2 attempts" in viewer.get(f"/experiments/{unscored.experiment_id}/").text
    assert "Try once more" in page.get(address).text and "Try once more" not in viewer.get(address).text
    assert viewer.post(f"{address}prove/").status_code == 403
    assert page.post(f"{address}prove/").url == address
    assert Proof.objects.get().state == ProofState.SEARCHING
    assert "Its proof was not given up." in page.post(f"{address}prove/", follow=True).text
