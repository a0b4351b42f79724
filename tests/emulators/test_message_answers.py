"""What the emulated Messages interface answers: thinking, stops, usage and its cost."""

from dataclasses import replace

import pytest

from tests.emulators.asking import KEY, asking
from tests.emulators.families import FAMILIES
from tests.emulators.model import Prices, Usage, prices
from tests.emulators.player import Play

pytestmark = pytest.mark.long

HAIKU_45, OPUS_48 = "claude-haiku-4-5-20251001", "claude-opus-4-8"
OPUS_5, OPUS_55, SONNET_55, HAIKU_55 = "claude-opus-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"


def thinks(kind, **more):
    return {"type": kind, **more}


@pytest.mark.parametrize(
    ("model", "given", "shown"),
    [
        (HAIKU_45, None, []),
        (HAIKU_45, thinks("enabled", budget_tokens=1024), [True]),
        (OPUS_48, None, []),
        (OPUS_48, thinks("adaptive"), [False]),
        (OPUS_48, thinks("adaptive", display="summarized"), [True]),
        (OPUS_5, None, [False]),
        (OPUS_5, thinks("disabled"), []),
        (OPUS_55, None, [False, False]),
        (OPUS_55, thinks("adaptive", display="summarized"), [True, True]),
        (SONNET_55, thinks("between_tools"), [False]),
    ],
)
def test_models_show_their_thinking_as(model, given, shown):
    with asking(model) as asker:
        body = asker.opening(tool_choice={"type": "auto"}) | ({"thinking": given} if given else {})
        reply = asker.reply(body)
        thoughts = [block for block in reply["content"] if block["type"] == "thinking"]
        assert [bool(block["thinking"]) for block in thoughts] == shown
        assert all(block["signature"] for block in thoughts)
        # Text between calls is displayed as thinking although it is not.
        details = reply["usage"]["output_tokens_details"]
        assert bool(details["thinking_tokens"]) == (bool(shown) and given != thinks("between_tools"))


def test_a_version_that_the_card_does_not_list_is_refused_by_name():
    with asking(replace(FAMILIES[OPUS_48], versions=("2023-06-01",))) as asker:
        assert "anthropic-version" in asker.post(asker.opening()).json()["error"]["message"]
        asker.reply(asker.opening(), anthropic_version="2023-06-01")


def test_a_refusal_comes_without_content():
    with asking(OPUS_55, lambda view: Play(refusal="This is about weapons.")) as asker:
        reply = asker.reply(asker.opening())
        assert (reply["stop_reason"], reply["content"]) == ("refusal", [])
        assert reply["stop_details"]["type"] == "refusal"


def test_marked_input_is_written_to_the_cache_once_at_the_price_of_its_ttl():
    with asking(replace(FAMILIES[OPUS_48], cache_minimum=0)) as asker:
        body = asker.opening()
        body["messages"][0]["content"][0]["cache_control"]["ttl"] = "1h"
        first, again = asker.reply(body)["usage"], asker.reply(body)["usage"]
        lasts = first["cache_creation"]
        written = (lasts["ephemeral_5m_input_tokens"], lasts["ephemeral_1h_input_tokens"])
        assert min(written) > 0
        assert first["cache_creation_input_tokens"] == sum(written) == again["cache_read_input_tokens"]
        assert first["input_tokens"] == 0 == again["cache_creation_input_tokens"]
        # 5 dollars in, 6.25 and 10 to the cache, 0.50 from it, 25 out.
        cost = written[0] * 6250 + written[1] * 10_000 + sum(written) * 500
        cost += (first["output_tokens"] + again["output_tokens"]) * 25_000
        assert asker.emulator.bill.nanodollars == cost


def test_short_input_is_not_cached():
    with asking(HAIKU_45) as asker:
        usage = asker.reply(asker.opening())["usage"]
        assert usage["cache_creation_input_tokens"] == 0 < usage["input_tokens"]


def test_long_input_costs_five_times_as_much_on_haiku():
    cost: Prices = FAMILIES[HAIKU_55].prices
    assert cost.nano(Usage(fresh=100_000, visible=10)) == 100_000 * 100 + 10 * 500
    assert cost.nano(Usage(fresh=100_001, visible=10)) == 100_001 * 500 + 10 * 2500
    assert prices("1", "2").nano(Usage(fresh=1, thinking=1)) == 3000


def test_a_missing_key_is_refused():
    with asking(OPUS_48) as asker:
        assert asker.post(asker.opening(), key="").json()["error"]["type"] == "authentication_error"
        assert asker.emulator.requests[0].headers["x-api-key"] != KEY
