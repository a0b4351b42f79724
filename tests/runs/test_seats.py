"""A market of two: both seats play in one run, apart within a period, with notes and chats of their own."""

from __future__ import annotations

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, Note, Run, RunState
from runs.transcripts import period_transcripts
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from transfer.writing import period_records

pytestmark = pytest.mark.django_db

MARKET = "collusiveness_vs_competitiveness"


@pytest.fixture
def market(launch, model_agent, agent):
    """A run of four periods in which a model meets a baseline, played to the end."""
    with StubProvider(ScriptedPlayer()) as stub:
        experiment = launch(
            model_agent(stub).slug,
            environments=(MARKET,),
            difficulties=("STANDARD",),
            periods=4,
            rival=agent("collusion-best-response"),
        )
        run = experiment.runs.get()
        advance(run.pk)
        run.refresh_from_db()
        run.calls_made = stub.count
    return run


def test_a_model_and_a_baseline_share_a_market(market):
    assert (market.state, market.periods_played) == (RunState.FINISHED, 4)
    assert market.rival.slug == "collusion-best-response"
    actions = [record["action"] for record in period_records(Run.objects.filter(pk=market.pk))]
    assert all(set(action) == {"seat_0", "seat_1"} for action in actions)


def test_only_what_the_model_was_asked_is_paid_for(market):
    assert market.queries == market.calls_made
    assert set(Exchange.objects.filter(run=market).values_list("seat", flat=True)) == {"seat_0", "seat_1"}
    assert not Exchange.objects.filter(run=market, seat="seat_1", input_tokens__gt=0).exists()


def test_each_seat_keeps_its_own_notes(market):
    by_seat = {
        seat: set(Note.objects.filter(run=market, seat=seat).values_list("text", flat=True))
        for seat in ("seat_0", "seat_1")
    }
    assert by_seat["seat_0"] and by_seat["seat_1"]
    assert not by_seat["seat_0"] & by_seat["seat_1"]


def test_no_seat_sees_what_the_other_does_in_the_same_period(market):
    for seat, talk in period_transcripts(market, 2).items():
        read = " ".join(call.result for exchange in talk.exchanges for call in exchange.calls)
        assert "Attempt 1:" in read, seat
        assert "Attempt 2:" not in read, seat


def test_without_a_rival_the_agent_holds_both_seats(launch):
    run = launch("collusion-collusive", environments=(MARKET,), difficulties=("STANDARD",), periods=3).runs.get()
    advance(run.pk)
    run.refresh_from_db()
    assert run.score == pytest.approx(1.0, abs=1e-3)


def test_the_competency_runs_have_one_seat_and_no_rival(launch, organization):
    rival = organization.agents.get(slug="collusion-nash")
    experiment = launch(
        "optimum",
        environments=(MARKET,),
        difficulties=("STANDARD",),
        seeds=tuple(range(5)),
        variants=("single_agent",),
        rival=rival,
    )
    assert experiment.runs.count() == 3
    assert not experiment.runs.exclude(rival=None).exists()


@pytest.mark.parametrize(("version", "ceiling"), [("", "2.7"), ("d8aeef638060", "2.89")])
def test_a_single_seller_is_told_and_shown_the_ceiling_that_its_run_began_with(
    version, ceiling, launch, model_agent, client, alice
):
    """The second run was in play when the site was upgraded."""
    with StubProvider(ScriptedPlayer()) as stub:
        slug = model_agent(stub).slug
        game = {"environments": (MARKET,), "difficulties": ("STANDARD",), "variants": ("single_agent",), "periods": 2}
        run = launch(slug, **game).runs.get()
        if version:
            Run.objects.filter(pk=run.pk).update(prompt_version=version)
        advance(run.pk)
        assert all(f"set any prices above {ceiling}." in str(body) for body in stub.bodies)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert period_transcripts(run, 1)["seat_0"].prompt.endswith(f"above {ceiling}.")
    client.force_login(alice)
    assert f"stated ceiling ${float(ceiling):.2f}" in client.get(f"/runs/{run.pk}/").text
