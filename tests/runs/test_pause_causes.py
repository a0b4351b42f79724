"""Every fault of a provider pauses a run with its own cause, the same on every page and in the API."""

import pytest
from django.utils import timezone

from api.schemas.runs import RunOut
from runs.engine.advance import advance
from runs.engine.exceptions import MAX_SENDS
from runs.models import PauseCause, Run
from runs.selectors.state_words import state_words
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

FAULTS = [
    (400, "messages: too odd", "Paused: request rejected (400)", 1),
    (400, "prompt is too long: 9 tokens > 8 maximum", "Paused: request too long (400)", 1),
    (400, "Your credit balance is too low.", "Paused: account's credit or spend limit (400)", 1),
    (401, "Invalid bearer token", "Paused: key", 1),
    (402, "Insufficient Balance", "Paused: account's credit or spend limit (402)", 1),
    (403, "Your organization may not use this model.", "Paused: key", 1),
    (404, "model: house-1", "Paused: model not found (404)", 1),
    (413, "Request exceeds the maximum size", "Paused: request too long (413)", 1),
    (422, "field required", "Paused: request rejected (422)", 1),
    (429, "slow down", "Paused: rate limit (429)", MAX_SENDS),
    (500, "down", "Paused: endpoint (500)", MAX_SENDS),
    (408, "too slow", "Paused: no answer in time (408)", MAX_SENDS),
    (504, "gateway", "Paused: no answer in time (504)", MAX_SENDS),
    # A broken connection may have been billed, so fewer sends are made.
    (None, "", "Paused: endpoint", 3),
]
"""Status (None: a broken connection), the provider's sentence, the words on the pages, and how often one call is sent."""


def words_of(run):
    return state_words(run.state, run.pause_cause, run.reason)


@pytest.mark.sampled
@pytest.mark.parametrize(("status", "said", "words", "sends"), FAULTS)
def test_a_refusal_or_the_last_of_several_faults_pauses_the_run_with_its_cause(
    model_run, settings, status, said, words, sends
):
    settings.OUTAGE_MINUTES = 0
    answer = StubAnswer(status=status, error=said) if status else StubAnswer(drop=True)
    run, stub = model_run(answer, slices=sends + 1)
    assert words_of(run) == words and stub.count == sends
    if sends == 1:
        assert said in run.reason and f"(status {status})" in run.reason
    else:
        assert run.reason.startswith(f"Paused after {sends} ")


LOADING = StubAnswer(status=503, error="Loading model")


def test_a_loading_server_is_retried_once_a_minute(model_run):
    run, _ = model_run(LOADING, slices=MAX_SENDS + 3)
    assert run.state == "waiting" and "This was attempt 11 of 68." in run.reason
    assert 55 <= (run.wake_at - timezone.now()).total_seconds() <= 120


def test_a_run_continues_by_itself_after_its_server_has_loaded(model_run):
    answers, player = iter([LOADING] * (MAX_SENDS + 3)), ScriptedPlayer()
    run, _ = model_run(lambda *words: next(answers, None) or player(*words), slices=MAX_SENDS + 4)
    assert run.state == "finished"


def test_a_forbidden_address_pauses_the_run_with_that_reason(launch, model_agent, settings):
    with StubProvider(lambda *_: StubAnswer()) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        settings.ALLOW_PRIVATE_ENDPOINTS = False
        advance(run.pk)
    run.refresh_from_db()
    assert words_of(run) == "Paused: address cannot be called"
    assert "is not called" in run.reason and stub.count == 0


def test_runs_paused_by_earlier_versions_keep_their_description():
    assert state_words("paused", "key", "The provider refuses the request (status 400): too odd") == "Paused: key"
    assert state_words("paused", "endpoint", "Paused after 3 sends of one call.") == "Paused: endpoint"
    assert state_words("paused", "", "") == "Paused"


@pytest.mark.long
def test_every_cause_has_a_description_on_the_pages_and_in_the_api(page, launch):
    experiment = launch("gpt-5")
    for cause in PauseCause.values:
        experiment.runs.update(state="paused", pause_cause=cause, reason="The provider said no (status 499).")
        run = experiment.runs.select_related("instance", "agent", "rival").get()
        words = words_of(run)
        assert words.startswith("Paused") and (cause == "person" or words != "Paused")
        for address in (f"/runs/{run.pk}/", f"/experiments/{experiment.pk}/", "/runs/?state=attention"):
            assert words.replace("'", "&#x27;") in page.get(address).text, (cause, address)
        assert RunOut.values(run)["pause_cause"] == cause
        assert cause in RunOut.model_json_schema()["properties"]["pause_cause"]["enum"]


def test_the_page_of_endpoints_distinguishes_refused_keys_from_other_refusals(page, launch):
    first, *rest = launch("gpt-5", seeds=(0, 1, 2)).runs.order_by("id")
    Run.objects.filter(pk__in=[run.pk for run in rest]).update(state="paused", pause_cause="credit")
    Run.objects.filter(pk=first.pk).update(state="paused", pause_cause="request")
    text = page.get("/agents/endpoints/").text
    assert "2: account&#x27;s credit or spend limit, 1: request rejected" in text
    assert "refused" not in text.partition('id="endpoints"')[2].partition("</section>")[0]
