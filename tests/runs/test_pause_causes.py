"""Every fault of a provider pauses a run under its own words, the same on every page and in the API."""

from __future__ import annotations

from typing import Any

import pytest

from runs.engine.advance import advance
from runs.engine.exceptions import MAX_SENDS
from runs.models import PauseCause, Run, RunState
from runs.selectors.state_words import state_words
from tests.stub_provider import StubAnswer, StubProvider

pytestmark = pytest.mark.django_db

REFUSALS = [
    (400, "messages: too odd", "Paused: request rejected (400)"),
    (400, "prompt is too long: 9 tokens > 8 maximum", "Paused: request too long (400)"),
    (400, "Your credit balance is too low.", "Paused: account's credit or spend limit (400)"),
    (401, "Invalid bearer token", "Paused: key"),
    (402, "Insufficient Balance", "Paused: account's credit or spend limit (402)"),
    (403, "Your organization may not use this model.", "Paused: key"),
    (404, "model: house-1", "Paused: model not found (404)"),
    (413, "Request exceeds the maximum size", "Paused: request too long (413)"),
    (422, "field required", "Paused: request rejected (422)"),
]


def words_of(run: Run) -> str:
    return state_words(run.state, run.pause_cause, run.reason)


def paused(launch: Any, agent: Any, times: int = 1) -> Run:
    run = launch(agent.slug).runs.get()
    for _ in range(times):
        Run.objects.update(wake_at=None)
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    return run


@pytest.mark.parametrize(("status", "said", "words"), REFUSALS)
def test_a_refusal_is_named_and_explained_with_the_providers_sentence(launch, model_agent, status, said, words):
    with StubProvider(lambda *_: StubAnswer(status=status, error=said)) as stub:
        run = paused(launch, model_agent(stub))
    assert words_of(run) == words
    assert said in run.reason and f"(status {status})" in run.reason


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (StubAnswer(status=429, error="slow down"), "Paused: rate limit (429)"),
        (StubAnswer(status=500, error="down"), "Paused: endpoint (500)"),
        (StubAnswer(status=408, error="too slow"), "Paused: no answer in time (408)"),
        (StubAnswer(status=504, error="gateway"), "Paused: no answer in time (504)"),
        (StubAnswer(drop=True), "Paused: endpoint"),
    ],
)
def test_what_is_tried_again_in_vain_is_named_by_its_last_fault(launch, model_agent, answer, words):
    import limiter

    with StubProvider(lambda *_: answer) as stub:
        agent = model_agent(stub)
        run = launch(agent.slug).runs.get()
        for _ in range(MAX_SENDS + 1):
            Run.objects.update(wake_at=None)
            limiter.reset(agent.endpoint_id)
            advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.PAUSED, run.reason
    assert words_of(run) == words


def test_an_address_that_may_not_be_called_is_named(launch, model_agent, settings):
    with StubProvider(lambda *_: StubAnswer()) as stub:
        agent = model_agent(stub)
        settings.ALLOW_PRIVATE_ENDPOINTS = False
        run = paused(launch, agent)
    assert words_of(run) == "Paused: address cannot be called"
    assert "is not called" in run.reason and stub.count == 0


def test_runs_that_were_paused_before_a_cause_had_its_value_keep_their_words():
    assert state_words("paused", "key", "The provider refuses the request (status 400): too odd") == "Paused: key"
    assert state_words("paused", "endpoint", "Paused after 3 sends of one call.") == "Paused: endpoint"
    assert state_words("paused", "", "") == "Paused"


@pytest.mark.parametrize("cause", PauseCause.values)
def test_every_cause_has_words_on_the_pages_and_stands_in_the_api_and_its_documents(
    client, launch, alice, organization, cause
):
    from api.schemas.runs import RunOut

    experiment = launch("gpt-5")
    experiment.runs.update(state="paused", pause_cause=cause, reason="The provider said no (status 499).")
    run = experiment.runs.select_related("instance", "agent", "rival").get()
    client.force_login(alice)
    words = words_of(run)
    assert words.startswith("Paused") and (cause == "person" or words != "Paused")
    for address in (f"/runs/{run.pk}/", f"/experiments/{experiment.pk}/", "/runs/?state=attention"):
        assert words.replace("'", "&#x27;") in client.get(address).content.decode()
    assert RunOut.values(run)["pause_cause"] == cause
    assert cause in RunOut.model_json_schema()["properties"]["pause_cause"]["enum"]


def test_the_agents_page_tells_a_refused_key_from_other_refusals(client, launch, alice, organization):
    experiment = launch("gpt-5", seeds=(0, 1, 2))
    first, *rest = experiment.runs.order_by("id")
    Run.objects.filter(pk__in=[run.pk for run in rest]).update(state="paused", pause_cause="credit")
    Run.objects.filter(pk=first.pk).update(state="paused", pause_cause="request")
    client.force_login(alice)
    text = client.get("/agents/").content.decode()
    assert "2: account&#x27;s credit or spend limit, 1: request rejected" in text
    assert "refused" not in text.partition('id="endpoints"')[2].partition("</section>")[0]
