"""A market of two: both seats play in one run, apart within a period, with notes and chats of their own."""

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, Run, RunState
from runs.transcripts import period_transcripts
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from transfer.writing import period_records

MARKET = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}


@pytest.fixture
def market(model_run, agent):
    """A run of four periods in which a model meets a baseline, played to the end."""
    run, stub = model_run(ScriptedPlayer(), rival=agent("collusion-best-response"), **MARKET)
    run.calls_made = stub.count
    return run


def test_a_model_and_a_baseline_share_a_market(market):
    assert (market.state, market.periods_played) == (RunState.FINISHED, 4)
    actions = [record["action"] for record in period_records(Run.objects.all())]
    assert all(set(action) == {"seat_0", "seat_1"} for action in actions)


def test_only_what_the_model_was_asked_is_paid_for(market):
    assert market.queries == market.calls_made
    assert set(Exchange.objects.values_list("seat", flat=True)) == {"seat_0", "seat_1"}
    assert not Exchange.objects.filter(seat="seat_1", input_tokens__gt=0).exists()


def test_each_seat_keeps_its_own_notes(market):
    first, second = (set(market.notes.filter(seat=seat).values_list("text")) for seat in ("seat_0", "seat_1"))
    assert first and second and not first & second


def test_no_seat_sees_what_the_other_does_in_the_same_period(market):
    for seat, talk in period_transcripts(market, 2).items():
        read = " ".join(call.result for exchange in talk.exchanges for call in exchange.calls)
        assert "Attempt 1:" in read, seat
        assert "Attempt 2:" not in read, seat


def test_without_a_rival_the_agent_holds_both_seats(launch):
    run = launch("collusion-collusive", **MARKET).runs.get()
    advance(run.pk)
    run.refresh_from_db()
    assert run.score == pytest.approx(1.0, abs=1e-3)


def test_the_competency_runs_have_one_seat_and_no_rival(launch, agent):
    options = {"seeds": tuple(range(5)), "variants": ("single_agent",), "rival": agent("collusion-nash")}
    assert [run.rival for run in launch("optimum", **MARKET, **options).runs.all()] == [None] * 3


@pytest.mark.parametrize(("version", "ceiling"), [("", "2.7"), ("d8aeef638060", "2.89")])
def test_a_single_seller_is_told_and_shown_the_ceiling_that_its_run_began_with(
    version, ceiling, launch, model_agent, page
):
    """The second run was in play when the site was upgraded."""
    with StubProvider(ScriptedPlayer()) as stub:
        run = launch(model_agent(stub).slug, **MARKET, variants=("single_agent",), periods=2).runs.get()
        if version:
            Run.objects.update(prompt_version=version)
        advance(run.pk)
    assert all(f"set any prices above {ceiling}." in str(body) for body in stub.bodies)
    run = Run.objects.get()
    assert run.state == RunState.FINISHED
    assert period_transcripts(run, 1)["seat_0"].prompt.endswith(f"above {ceiling}.")
    assert f"stated ceiling ${float(ceiling):.2f}" in page.get(f"/runs/{run.pk}/").text
