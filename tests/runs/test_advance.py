"""A slice plays periods, and each way it can end leads to a state."""

from __future__ import annotations

import pytest

from runs.engine.advance import advance
from runs.engine.exceptions import MAX_SENDS
from runs.models import Exchange, ExchangeState, Note, Period, Run, RunState
from runs.transcripts import period_transcripts
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider
from transfer.writing import period_records

pytestmark = pytest.mark.django_db


def state_of(experiment) -> Run:
    return experiment.runs.select_related("instance", "agent").get()


@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_model_plays_a_run_to_its_score(launch, model_agent, environment, wire):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub, wire)
        experiment = launch(agent.slug, environments=(environment,))
        advance(experiment.runs.get().pk)
    run = state_of(experiment)
    assert (run.state, run.periods_played, run.reason) == (RunState.FINISHED, 4, "")
    assert run.score is not None
    assert run.queries == stub.count == Exchange.objects.count()
    assert run.input_tokens > 0 and run.output_tokens > 0
    assert list(Period.objects.values_list("index", flat=True)) == [0, 1, 2, 3]


def test_an_optimum_is_computed_once_and_kept(launch):
    experiment = launch("optimum", environments=("procurement",), seeds=(5,))
    assert state_of(experiment).instance.reference is None
    advance(state_of(experiment).pk)
    run = state_of(experiment)
    assert run.instance.reference["optimum"]["proven"]
    assert (run.score, run.solved) == (1.0, True)


def test_a_run_stops_early_when_its_environment_ends_it(launch):
    experiment = launch("optimum", environments=("scheduling",))
    advance(state_of(experiment).pk)
    run = state_of(experiment)
    assert (run.state, run.periods_played, run.score) == (RunState.FINISHED, 1, 1.0)


def test_a_finished_run_is_not_played_again(launch):
    experiment = launch("random")
    run_id = state_of(experiment).pk
    assert advance(run_id)
    before = list(period_records(experiment.runs.all()))
    assert not advance(run_id)
    assert list(period_records(experiment.runs.all())) == before


def test_a_slice_ends_in_time_if_another_run_is_due_and_the_next_slice_continues(launch, settings):
    settings.SLICE_SECONDS = 0
    experiment = launch("pricing-constant")
    launch("random")
    for played in (1, 2, 3):
        advance(state_of(experiment).pk)
        run = state_of(experiment)
        assert (run.state, run.periods_played) == (RunState.QUEUED, played)
    advance(run.pk)
    assert state_of(experiment).state == RunState.FINISHED


def test_a_run_plays_on_after_its_slice_if_no_other_run_is_due(launch, settings):
    settings.SLICE_SECONDS = 0
    experiment = launch("pricing-constant")
    advance(state_of(experiment).pk)
    assert state_of(experiment).state == RunState.FINISHED


def test_a_rate_limit_waits_as_long_as_the_provider_asks(launch, model_agent):
    script = lambda *_: StubAnswer(status=429, error="slow down", headers={"Retry-After": "120"})  # noqa: E731
    with StubProvider(script) as stub:
        experiment = launch(model_agent(stub).slug)
        advance(state_of(experiment).pk)
    run = state_of(experiment)
    assert run.state == RunState.WAITING
    assert (run.wake_at - run.progressed_at).total_seconds() > 115
    assert run.reason
    assert stub.count == 1
    assert not advance(run.pk)


def test_eight_failures_in_a_row_pause_the_run(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(status=500, error="down")) as stub:
        experiment = launch(model_agent(stub).slug)
        run_id = state_of(experiment).pk
        for _ in range(MAX_SENDS + 3):
            Run.objects.update(wake_at=None)
            advance(run_id)
    run = state_of(experiment)
    assert run.state == RunState.PAUSED
    assert "8 attempts" in run.reason
    assert stub.count == MAX_SENDS


@pytest.mark.parametrize(("status", "error"), [(401, "bad key"), (402, "no credit"), (404, "no such model")])
def test_a_refusal_pauses_at_once_and_the_run_continues_after_the_fix(launch, model_agent, alice, status, error):
    from runs.services import run_resume

    broken = True
    player = ScriptedPlayer()

    def script(wire, body, headers):
        return StubAnswer(status=status, error=error) if broken else player(wire, body, headers)

    with StubProvider(script) as stub:
        experiment = launch(model_agent(stub).slug)
        run = state_of(experiment)
        advance(run.pk)
        assert stub.count == 1
        run = state_of(experiment)
        assert run.state == RunState.PAUSED
        assert error in run.reason
        broken = False
        assert run_resume(run=run, user=alice)
        advance(run.pk)
    assert state_of(experiment).state == RunState.FINISHED


def test_a_missing_key_pauses_before_anything_is_sent(launch, settings, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    experiment = launch("gpt-4o")
    advance(state_of(experiment).pk)
    run = state_of(experiment)
    assert run.state == RunState.PAUSED
    assert run.reason == "There is no key for OpenAI yet. Add one on the Agents page."
    assert not Exchange.objects.exists()


def test_a_model_that_never_acts_stalls_the_run(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(text="I would rather talk.")) as stub:
        experiment = launch(model_agent(stub).slug)
        advance(state_of(experiment).pk)
    run = state_of(experiment)
    assert run.state == RunState.STALLED
    assert run.score is None
    assert "No valid action in period 0" in run.reason
    assert stub.count == 120


def test_a_bug_shows_as_an_error_and_never_as_a_score(launch):
    experiment = launch("random")
    run = state_of(experiment)
    run.instance.hidden["alphas"] = []
    run.instance.save()
    advance(run.pk)
    run = state_of(experiment)
    assert run.state == RunState.ERRORED
    assert run.reason.startswith("A fault in EconEvals stopped this run: IndexError")
    assert run.score is None


def test_a_period_resumes_from_its_journal_without_paying_again(launch, model_agent):
    player = ScriptedPlayer()
    fail_fourth = {"left": True}

    def script(wire, body, headers):
        if stub.count == 3 and fail_fourth["left"]:
            fail_fourth["left"] = False
            return StubAnswer(status=503, error="overloaded")
        return player(wire, body, headers)

    with StubProvider(script) as stub:
        experiment = launch(model_agent(stub).slug, periods=2)
        run_id = state_of(experiment).pk
        advance(run_id)
        replied = Exchange.objects.filter(state=ExchangeState.REPLIED).count()
        assert state_of(experiment).state == RunState.WAITING
        Run.objects.update(wake_at=None)
        advance(run_id)
    assert state_of(experiment).state == RunState.FINISHED
    assert replied == 3
    # One send more than replies: the one that failed. Nothing that was answered before it was asked again.
    assert stub.count == Exchange.objects.filter(state=ExchangeState.REPLIED).count() + 1
    assert Exchange.objects.filter(state=ExchangeState.FAILED).count() == 1


def test_a_call_of_a_dead_worker_is_marked_lost_and_sent_again(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        experiment = launch(model_agent(stub).slug, periods=1)
        run = state_of(experiment)
        Exchange.objects.create(run=run, period_index=0, seat="seat_0", attempt=0, step=0, send=0, fence=0)
        advance(run.pk)
    sends = Exchange.objects.filter(step=0).values_list("send", "state")
    assert list(sends) == [(0, ExchangeState.LOST), (1, ExchangeState.REPLIED)]
    assert state_of(experiment).state == RunState.FINISHED


def test_a_transcript_rebuilds_the_history_that_is_not_stored(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        experiment = launch(model_agent(stub).slug)
        advance(state_of(experiment).pk)
    run = state_of(experiment)
    transcript = period_transcripts(run, 2)["seat_0"]
    calls = [call for exchange in transcript.exchanges for call in exchange.calls]
    history = next(call for call in calls if call.name == "get_previous_pricing_data")
    assert history.result.startswith("Attempt 0:\nProduct_1:\nPrice: ")
    assert "Attempt 1:" in history.result and "Attempt 2:" not in history.result
    assert calls[-1].name == "set_prices"
    stored = Exchange.objects.filter(period_index=2).values_list("results", flat=True)
    assert not any("Attempt 1:" in str(results) for results in stored)


def test_notes_are_kept_with_their_period(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        experiment = launch(model_agent(stub).slug)
        advance(state_of(experiment).pk)
    assert sorted(set(Note.objects.values_list("period_index", flat=True))) == [0, 1, 2, 3]
