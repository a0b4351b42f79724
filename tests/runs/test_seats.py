"""A market of two: both seats play in a run, independently within a period, with separate notes and chats."""

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, Run, RunState
from runs.transcripts import period_transcripts
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from workspace.transfer.writing.records import period_records

MARKET = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}


def test_a_model_and_a_baseline_share_a_market_with_separate_notes_and_chats(model_run, agent):
    run, stub = model_run(ScriptedPlayer(), rival=agent("collusion-best-response"), **MARKET)
    assert (run.state, run.periods_played) == (RunState.FINISHED, 4)
    assert all(set(record["action"]) == {"seat_0", "seat_1"} for record in period_records(Run.objects.all()))
    # Only queries of the model are paid.
    assert run.queries == stub.count
    assert set(Exchange.objects.values_list("seat", flat=True)) == {"seat_0", "seat_1"}
    assert not Exchange.objects.filter(seat="seat_1", input_tokens__gt=0).exists()
    first, second = (set(run.notes.filter(seat=seat).values_list("text")) for seat in ("seat_0", "seat_1"))
    assert first and second and not first & second
    for seat, talk in period_transcripts(run, 2).items():
        read = " ".join(call.result for exchange in talk.exchanges for call in exchange.calls)
        assert "Attempt 1:" in read and "Attempt 2:" not in read, seat


def test_an_agent_without_a_rival_holds_both_seats(played):
    assert played("collusion-collusive", **MARKET).runs.get().score == pytest.approx(1.0, abs=1e-3)


def test_competency_runs_have_a_single_seat_and_no_rival(launch, agent):
    options = {"seeds": tuple(range(5)), "variants": ("single_agent",), "rival": agent("collusion-nash")}
    assert [run.rival for run in launch("optimum", **MARKET, **options).runs.all()] == [None] * 3


@pytest.mark.long
@pytest.mark.parametrize(("version", "ceiling"), [("", "2.7"), ("d8aeef638060", "2.89")])
def test_a_single_seller_keeps_the_ceiling_with_which_its_run_began(version, ceiling, launch, model_agent, page):
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
