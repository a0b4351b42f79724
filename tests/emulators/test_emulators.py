"""All emulated families: correct chats are accepted, replies repeat, injected pages and faults are sent."""

from dataclasses import replace

import pytest

from tests.emulators.asking import KEY, asking
from tests.emulators.families import FAMILIES, GEMINI_25, SERVERS
from tests.emulators.player import RotePlayer, View

pytestmark = pytest.mark.long

EVERY = FAMILIES | SERVERS
WIRED = [(name, wire) for name, card in EVERY.items() for wire in card.wires]
NO_EFFORT = {"gpt-5.6-sol": "none"}
"""What lets a model take tools in Chat Completions."""


@pytest.mark.parametrize(("name", "wire"), [pair for pair in WIRED if pair != ("gpt-6.2-sol", "chat")])
def test_every_family_accepts_a_correct_chat(name, wire):
    with asking(EVERY[name], wire=wire) as asker:
        more = {"reasoning_effort": NO_EFFORT[name]} if wire == "chat" and name in NO_EFFORT else {}
        body = asker.opening(**more)
        for _ in range(3):
            body = asker.after(body, asker.reply(body))
        charges = asker.emulator.bill.charges
        assert len(charges) == 3
        assert asker.emulator.remarks == []
        thinks = asker.model.reasons and asker.model.effort != "none" and not more
        if wire == "messages":
            thinks = asker.model.thinking.default == "adaptive"
        assert all(bool(charge.usage.thinking) == thinks for charge in charges)
        assert all(charge.usage.cached for charge in charges[1:]) or asker.model.cache_minimum
        assert asker.emulator.bill.nanodollars == sum(charge.nanodollars for charge in charges)


@pytest.mark.parametrize("name", ["gpt-6.2-sol", "claude-opus-5-5", "gemini-4-argon"])
def test_two_servers_give_the_same_replies(name):
    replies = []
    for _ in range(2):
        with asking(name) as asker:
            replies.append(asker.reply(asker.second()))
    assert replies[0] == replies[1]


@pytest.mark.parametrize("name", ["gpt-4.1-2025-04-14", "claude-opus-4-8", "deepseek-v4-pro"])
def test_a_survey_without_tools_gets_text(name):
    with asking(name) as asker:
        body = asker.opening()
        del body["tools"]
        body.pop("tool_choice", None)
        assert asker.emulator.player(View("", (("user", "A or B?"),), (), (), "", 0)).text == "B"
        asker.reply(body)


def test_the_rote_player_reads_and_then_acts():
    tools = ("get_product_ids", "write_notes", "set_prices")
    view = View("", (("user", "Prices above 10 sell nothing."),), tools, (), "any", 0)
    play = RotePlayer()
    first = play(view)
    assert first.calls == (("get_product_ids", {}),)
    acts = play(replace(view, results=(("get_product_ids", "['P1']"),), replies=1))
    assert [name for name, _ in acts.calls] == ["write_notes", "set_prices"]
    assert acts == play(replace(view, results=(("get_product_ids", "['P1']"),), replies=1))
    assert play(replace(view, forced="set_prices")).calls[-1][0] == "set_prices"


def test_the_rote_player_can_be_slow():
    view = View("", (("user", "Prices above 10 sell nothing."),), ("read", "look", "set_prices"), (), "", 0)
    assert RotePlayer(one_by_one=True)(view).calls == (("read", {}),)
    later = replace(view, results=(("read", ""),), replies=1)
    assert RotePlayer(one_by_one=True)(later).calls == (("look", {}),)
    assert RotePlayer(silent=1)(view).calls == ()
    assert RotePlayer(silent=1)(replace(view, forced="any")).calls
    ready = replace(view, results=(("read", ""), ("look", "")), replies=7)
    assert RotePlayer(dawdles=8)(ready).calls == (("look", {}),)
    assert RotePlayer(dawdles=8)(replace(ready, forced="set_prices")).calls[0][0] == "set_prices"
    assert RotePlayer(dawdles=8)(replace(ready, tools=("set_prices",))).calls[0][0] == "set_prices"


def test_two_keys_can_share_an_account():
    with asking("claude-sonnet-5-5") as asker:
        asker.emulator.accounts = {KEY: "ours", "sk-another-key": "ours"}
        asker.reply(asker.second(), key="sk-another-key")


def test_received_requests_are_recorded():
    with asking("gpt-4.1-2025-04-14", wire="chat") as asker:
        asker.reply(asker.opening())
        received = asker.emulator.asked[0]
        assert received.path == "/v1/chat/completions"
        assert received.headers["authorization"] == f"Bearer {KEY}"
        assert received.body == asker.opening()
        assert b'"model"' in received.content
        assert received.status == 200


def test_an_injected_fault_replaces_the_answer_of_its_request():
    with asking("gpt-4.1-2025-04-14") as asker:
        slow = {"error": {"message": "Slow down.", "code": "slow_down"}}
        asker.emulator.fault = lambda number, body: (503, slow, {"retry-after": "7"}) if number == 2 else None
        asker.reply(asker.opening())
        refused = asker.post(asker.opening())
        assert (refused.status_code, refused.headers["retry-after"], refused.json()) == (503, "7", slow)
        asker.reply(asker.opening())
        assert len(asker.emulator.bill.charges) == 2


def test_an_injected_reply_costs_its_stated_usage():
    with asking("gpt-4.1-2025-04-14", wire="chat") as asker:
        empty = {"id": "x", "choices": [], "usage": {"prompt_tokens": 269, "completion_tokens": 0}}
        asker.emulator.fault = lambda number, body: (200, empty)
        assert asker.post(asker.opening()).json() == empty
        assert asker.emulator.bill.nanodollars == 269 * 2000


@pytest.mark.parametrize(
    ("name", "today", "status"),
    [
        ("gpt-4.1-2025-04-14", "2027-01-13", 200),
        ("gpt-4.1-2025-04-14", "2027-01-14", 404),
        ("claude-opus-4-8", "2030-01-01", 200),
    ],
)
def test_models_are_shut_down_on_their_day(name, today, status):
    with asking(name) as asker:
        asker.emulator.today = today
        assert asker.post(asker.opening()).status_code == status


def test_a_retired_claude_gives_404():
    with asking(replace(FAMILIES["claude-opus-4-8"], lifecycle="retired")) as asker:
        answer = asker.post(asker.opening())
        assert answer.status_code == 404
        assert answer.json()["error"] == {"type": "not_found_error", "message": "model: claude-opus-4-8"}
        assert asker.get("/v1/models/claude-opus-4-8").json()["lifecycle"] == "retired"


def test_another_model_answers_for_a_shut_down_gemini():
    with asking(GEMINI_25) as asker:
        assert asker.reply(asker.opening())["model"] == "gemini-2.5-pro"
        asker.emulator.today = "2026-12-01"
        assert asker.reply(asker.opening())["model"] == "gemini-3.8-flash"
        first, second = asker.emulator.bill.charges
        assert second.nanodollars == second.usage.fresh * 750 + second.usage.output * 3750
        assert first.model != second.model


def test_models_have_the_description_of_their_maker():
    with asking("gpt-4.1-2025-04-14") as asker:
        assert asker.get("/v1/models/gpt-4.1-2025-04-14").json()["shutdown_date"] == "2027-01-14"
        assert asker.get("/v1/models/gpt-9").status_code == 404
        assert [model["id"] for model in asker.get("/v1/models").json()["data"]] == ["gpt-4.1-2025-04-14"]
    with asking("claude-sonnet-5-5") as asker:
        card = asker.get("/v1/models/claude-sonnet-5-5").json()
        assert (card["max_input_tokens"], card["max_tokens"]) == (1_000_000, 128_000)
        assert card["capabilities"]["thinking"]["types"]["between_tools"] == {"supported": True}
        assert card["capabilities"]["effort"]["xhigh"] == {"supported": True}
    with asking("gemini-4-argon") as asker:
        assert asker.get("/v1beta/models/gemini-4-argon").json()["thinking"] is True
    with asking(SERVERS["openrouter"]) as asker:
        assert "tool_choice" not in asker.get("/api/v1/models").json()["data"][0]["supported_parameters"]
        assert asker.get("/api/v1/models/anthropic/claude-opus-5.5").status_code == 404


def test_an_injected_page_fault_replaces_the_page():
    with asking("gpt-4.1-2025-04-14") as asker:
        asker.emulator.page_fault = lambda method, path: (500, {}) if path.endswith("/models/x") else None
        assert [asker.get(f"/v1/models/{name}").status_code for name in ("x", "y")] == [500, 404]
