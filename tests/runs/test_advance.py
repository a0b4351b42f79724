"""A slice plays periods and ends in one of several states."""

from itertools import count

import pytest

from infrastructure import limiter
from infrastructure.limiter import Held, Limits
from runs.engine import lease
from runs.engine.advance import advance, somebody_waits
from runs.engine.calls import Unsettled
from runs.engine.writing import group_commit
from runs.engine.writing.entries import Settlement
from runs.models import Exchange, ExchangeState, Note, Period, Run, RunState
from runs.services.control import runs_control
from runs.transcripts import period_transcripts
from tests.cast import exchange_of, settled
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider
from workspace.transfer.writing.records import period_records


@pytest.fixture
def play(launch):
    """Launch a run of a baseline, play one slice of it and return it."""

    def play(slug, **options):
        run = launch(slug, **options).runs.get()
        advance(run.pk)
        return Run.objects.select_related("instance").get(pk=run.pk)

    return play


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_model_plays_a_run_to_its_score(model_run, environment, wire):
    run, stub = model_run(ScriptedPlayer(), wire, environments=(environment,))
    assert (run.state, run.periods_played, run.reason) == (RunState.FINISHED, 4, "")
    assert run.score is not None
    assert run.queries == stub.count == Exchange.objects.count()
    assert run.input_tokens > 0 and run.output_tokens > 0
    assert list(Period.objects.values_list("index", flat=True)) == [0, 1, 2, 3]
    # Notes are stored with their periods.
    assert set(Note.objects.values_list("period_index", flat=True)) == {0, 1, 2, 3}


@pytest.mark.long
def test_an_optimum_is_computed_once_and_kept(launch):
    run = launch("optimum", environments=("procurement",), seeds=(5,)).runs.get()
    assert run.instance.reference is None
    advance(run.pk)
    run = Run.objects.get()
    assert run.instance.reference["optimum"]["proven"]
    assert (run.score, run.solved) == (1.0, True)


def test_a_run_ends_early_if_its_environment_is_finished(play):
    run = play("optimum", environments=("scheduling",))
    assert (run.state, run.periods_played, run.score) == (RunState.FINISHED, 1, 1.0)


def test_a_finished_run_is_not_played_again(play):
    run = play("random")
    before = list(period_records(Run.objects.all()))
    assert not advance(run.pk)
    assert list(period_records(Run.objects.all())) == before


def test_a_slice_ends_in_time_if_another_run_is_due(launch, settings):
    settings.SLICE_SECONDS = 0
    somebody_waits.cache_clear()
    run = launch("pricing-constant").runs.get()
    launch("random")
    for played in (1, 2, 3, 4):
        advance(run.pk)
        run.refresh_from_db()
        state = RunState.FINISHED if played == 4 else RunState.QUEUED
        assert (run.state, run.periods_played) == (state, played)


def test_a_run_plays_on_after_its_slice_if_no_other_run_is_due(play, settings):
    settings.SLICE_SECONDS = 0
    somebody_waits.cache_clear()
    assert play("pricing-constant").state == RunState.FINISHED


def test_a_refused_run_continues_after_the_fix(launch, model_agent, alice):
    player, answers = ScriptedPlayer(), iter([StubAnswer(status=402, error="no credit")])
    with StubProvider(lambda *request: next(answers, None) or player(*request)) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        advance(run.pk)
        assert stub.count == 1
        assert runs_control(runs=Run.objects.filter(state=RunState.PAUSED), action="resume", user=alice) == 1
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


@pytest.mark.long
def test_a_missing_key_pauses_the_run_before_a_call_is_sent(play, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    run = play("gpt-4o")
    assert run.state == RunState.PAUSED
    assert run.reason == "There is no key for OpenAI yet. Add one on the Agents page."
    assert not Exchange.objects.exists()


@pytest.mark.long
def test_a_model_that_never_acts_stalls_the_run(model_run):
    run, stub = model_run(StubAnswer(text="I would rather talk."))
    assert (run.state, run.score) == (RunState.STALLED, None)
    assert "No valid action in period 0" in run.reason
    assert stub.count == 120


def test_a_bug_gives_an_error_and_never_a_score(launch):
    run = launch("random").runs.get()
    run.instance.hidden["alphas"] = []
    run.instance.save()
    advance(run.pk)
    run.refresh_from_db()
    assert (run.state, run.score) == (RunState.ERRORED, None)
    assert run.reason.startswith("A fault in EconEvals stopped this run: IndexError")


def test_a_reply_is_committed_together_with_the_next_call(model_run, monkeypatch):
    written, write = [], group_commit.write
    monkeypatch.setattr(group_commit, "write", lambda entries: written.append(entries) or write(entries))
    run, stub = model_run(ScriptedPlayer(), periods=2)
    kinds = ["+".join(type(entry).__name__ for entry in entries) for entries in written]
    calls = ["Settlement+Intent"] * (stub.count // 2 - 1)
    # The last reply does not wait for the score.
    assert kinds == ["Intent", *calls, "Settlement+PeriodEnd", "Intent", *calls, "Settlement", "PeriodEnd"]


def test_a_reply_is_stored_before_its_run_waits_for_a_slot(launch, model_agent, settings, server):
    settings.BROKER_URL = server.url
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
        run = launch(agent.slug).runs.get()
        lease.take(run.pk)
        run.refresh_from_db()
        group_commit.group_commit.intend(run.pk, run.fence, exchange := exchange_of(run))
        unsettled = Unsettled()
        unsettled.hold(Settlement(run.pk, run.fence, settled(exchange, 40)))
        limits = Limits(concurrency=1)
        with limiter.acquire(agent.endpoint_id, limits):
            stored = lambda: unsettled.stops() or Exchange.objects.get().state == "replied"  # noqa: E731
            with pytest.raises(Held, match="stop"):
                limiter.acquire(agent.endpoint_id, limits, 0, stored)


def test_a_period_resumes_from_its_journal_without_paying_again(model_run):
    player, sent = ScriptedPlayer(), count()

    def script(*request):
        return StubAnswer(status=503, error="overloaded") if next(sent) == 3 else player(*request)

    run, stub = model_run(script, slices=2, periods=2)
    assert run.state == RunState.FINISHED
    # The fourth send failed and ended the first slice. No answered call before it was repeated.
    states = list(Exchange.objects.order_by("id").values_list("state", flat=True))
    assert states == ["replied"] * 3 + ["failed"] + ["replied"] * (stub.count - 4)
    assert Exchange.objects.filter(state="replied").count() == run.queries == stub.count - 1


def test_a_call_of_a_dead_worker_is_marked_lost_and_sent_again(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        run = launch(model_agent(stub).slug, periods=1).runs.get()
        Exchange.objects.create(run=run, period_index=0, seat="seat_0", attempt=0, step=0, send=0, fence=0)
        advance(run.pk)
    sends = Exchange.objects.filter(step=0).values_list("send", "state")
    assert list(sends) == [(0, ExchangeState.LOST), (1, ExchangeState.REPLIED)]
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


def test_a_transcript_rebuilds_the_history_that_is_not_stored(model_run):
    run, _ = model_run(ScriptedPlayer())
    transcript = period_transcripts(run, 2)["seat_0"]
    calls = [call for exchange in transcript.exchanges for call in exchange.calls]
    history = next(call for call in calls if call.name == "get_previous_pricing_data")
    assert history.result.startswith("Attempt 0:\nProduct_1:\nPrice: ")
    assert "Attempt 1:" in history.result and "Attempt 2:" not in history.result
    assert calls[-1].name == "set_prices"
    stored = Exchange.objects.filter(period_index=2).values_list("results", flat=True)
    assert not any("Attempt 1:" in str(results) for results in stored)
