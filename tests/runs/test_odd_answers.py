"""Costs and pauses after unusual answers of a provider: caps hold, and costs are booked."""

from dataclasses import replace

import pytest

from runs.models import Exchange
from tests.cast import play_all
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

DEAR = {"input_price": 10, "output_price": 10}


class Odd(ScriptedPlayer):
    """Plays, and answers every third request oddly."""

    def __init__(self, *odd):
        super().__init__()
        self.odd, self.count = odd, 0

    def __call__(self, wire, body, headers):
        self.count += 1
        return (
            self.odd[self.count // 3 % len(self.odd)] if self.count % 3 == 0 else super().__call__(wire, body, headers)
        )


class WithoutUsage(ScriptedPlayer):
    def __call__(self, wire, body, headers):
        return replace(super().__call__(wire, body, headers), usage={})


def test_replies_without_usage_are_booked_at_an_upper_bound_up_to_the_cap(launch, model_agent, page):
    with StubProvider(WithoutUsage()) as stub:
        agent = model_agent(stub, max_tokens=1000, **DEAR)
        run = launch(agent.slug, periods=40, run_budget_nano=200_000_000).runs.get()
        play_all(run.experiment)
    run.refresh_from_db()
    assert (run.state, run.pause_cause) == ("paused", "budget") and 0 < run.cost_nano <= 200_000_000
    states = set(Exchange.objects.filter(run=run).values_list("state", flat=True))
    assert states == {"estimate"}
    ledger = page.get(f"/experiments/{run.experiment_id}/ledger/").text
    assert "replied, cost estimated" in ledger and "does not say how many tokens it bills" in ledger


NO_MESSAGE = b'{"id": "x", "choices": [], "usage": {"prompt_tokens": 269, "completion_tokens": 0, "total_tokens": 269}}'


def test_a_reply_without_a_message_is_booked_by_its_usage_and_retried(launch, model_agent):
    with StubProvider(Odd(StubAnswer(raw=NO_MESSAGE))) as stub:
        run = launch(model_agent(stub, **DEAR).slug, periods=3).runs.get()
        play_all(run.experiment)
    run.refresh_from_db()
    costs = set(Exchange.objects.filter(run=run, output_tokens=0).values_list("state", "cost_nano"))
    assert run.state == "finished" and costs == {("replied", 269 * 10_000)}


@pytest.mark.parametrize(
    "error",
    [
        b'{"choices": null, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}',
        b'{"success": false, "code": 30001, "message": "Sorry, your account has insufficient balance"}',
    ],
    ids=["base_resp", "success"],
)
def test_an_error_with_status_200_pauses_the_run_with_its_sentence_at_no_cost(launch, model_agent, error):
    with StubProvider(lambda *_: StubAnswer(raw=error)) as stub:
        run = launch(model_agent(stub, **DEAR).slug, periods=3).runs.get()
        play_all(run.experiment)
        assert stub.count == 1
    run.refresh_from_db()
    assert (run.state, run.pause_cause, run.cost_nano) == ("paused", "credit", 0)
    assert "insufficient balance" in run.reason


def test_flagged_input_pauses_only_its_run(launch, model_agent):
    flagged = {"error": {"code": 403, "message": "Your chosen model requires moderation and your input was flagged"}}
    answers = iter([None, None, StubAnswer(status=403, error=flagged)])
    player = ScriptedPlayer()
    with StubProvider(lambda *words: next(answers, None) or player(*words)) as stub:
        experiment = launch(model_agent(stub).slug, seeds=(0, 1, 2, 3), periods=2)
        play_all(experiment)
    states = sorted(experiment.runs.values_list("state", flat=True))
    assert states == ["finished", "finished", "finished", "paused"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            StubAnswer(text="", stop="length", usage={"prompt_tokens": 9, "completion_tokens": 4096}),
            "cut off at the output",
        ),
        (StubAnswer(text='<tool_call>{"name": "get_product_ids"}</tool_call>'), "switch on the tool parser"),
    ],
    ids=["cut off", "calls as text"],
)
def test_a_stalled_run_states_its_reason_after_ten_equal_replies_per_chat(launch, model_agent, answer, sentence):
    with StubProvider(lambda *_: answer) as stub:
        run = launch(model_agent(stub).slug, periods=3).runs.get()
        play_all(run.experiment)
        assert stub.count == 30
    run.refresh_from_db()
    assert run.state == "stalled" and sentence in run.reason
