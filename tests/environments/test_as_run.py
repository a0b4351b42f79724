"""The variant `as_run` sends what the published experiments sent."""

import pytest

from agents.baselines.registry import BASELINES, baselines_of
from agents.episode import play_baseline
from agents.loop import PeriodChat, Stalled
from agents.notes import Notes
from agents.scripted import calls
from agents.tools import answer, tool_named
from environments.prompts.as_run import CHATS
from environments.registry import ENVIRONMENTS, built_in_variants, generate
from tests.environments.cast import SURVEYS, game

TOOLS = [name for name in ENVIRONMENTS if name not in SURVEYS]

HISTORIES = {
    "procurement": (
        "{'previous_purchase_data': ''}",
        "{'Offer_2': 1, 'Offer_8': 30}",
        "{'previous_purchase_data': \"Attempt 0:\\nPurchase plan proposed: {'Offer_2': 1, 'Offer_8': 30, 'Offer_1': 0, "
        "'Offer_3': 0, 'Offer_4': 0, 'Offer_5': 0, 'Offer_6': 0, 'Offer_7': 0, 'Offer_9': 0, 'Offer_10': 0, "
        "'Offer_11': 0, 'Offer_12': 0}\\nPurchase plan was invalid: Quantity 1 for Offer_2 is insufficient (miniumum 6 "
        'necessary)\\nTotal cost 102.00 exceeds budget 87.25\\n\\n\\n"}',
    ),
    "scheduling": (
        "{'previous_attempts_data': ''}",
        str({f"W{n}": f"T{n}" for n in range(1, 11)}),
        "{'previous_attempts_data': \"Attempt 0:\\nAssignment proposed: {'W1': 'T1', 'W2': 'T2', 'W3': 'T3', 'W4': 'T4', "
        "'W5': 'T5', 'W6': 'T6', 'W7': 'T7', 'W8': 'T8', 'W9': 'T9', 'W10': 'T10'}\\n\\t(1) Problem with assignment: worker "
        "W4 was matched to task T4 and worker W5 was assigned to T5. However, worker W4 would have preferred task T5, and in "
        'fact worker W4 is more suited to task T5 than worker W5.\\n\\n"}',
    ),
    "pricing": (
        "{'previous_pricing_data': ''}",
        "{'Product_1': 10}",
        "{'previous_pricing_data': 'Attempt 0:\\nProduct_1:\\nPrice: 10.00\\nQuantity: 38.93\\nProfit: 14.93\\n"
        "Cost: 1.72\\n\\n'}",
    ),
    "efficiency_vs_equality": (
        "{'previous_periods_data': 'No data yet available.'}",
        "{'T1': 'W1', 'T2': 'W2', 'T3': 'W3', 'T4': 'W4'}",
        "{'previous_periods_data': \"Period 0:\\n\\tWorker W1 did Task T1 (size 4) and was paid $4. From worker W1 "
        "completing task T1, the company earned $4.0 in revenue. Worker W1's total pay so far is $4.\\n",
    ),
    "collusiveness_vs_competitiveness": (
        "{'previous_pricing_data': ''}",
        "{'Product_1': 5.0}",
        "{'previous_pricing_data': \"User's previous pricing data:\\nAttempt 0:\\nPrice: 5.0\\nQuantity: 46.0\\nProfit: 25.88"
        "\\nCost: 1.0\\n\\n\\n\\nCompetitor 1's previous pricing data:\\nAttempt 0:\\nPrice: 5.0\"}",
    ),
}
"""By environment, on the instance of seed 1: the history before any period, an action, and the history after it."""


def as_run(name, **options):
    difficulty = "STANDARD" if ENVIRONMENTS[name].litmus else "BASIC"
    return ENVIRONMENTS[name](generate(name, difficulty, 1), variant="as_run", **options)


@pytest.mark.parametrize("name", TOOLS)
def test_the_history_is_the_print_of_a_dictionary(name):
    environment, (empty, action, told) = as_run(name), HISTORIES[name]
    assert environment.call(environment.history_tool) == empty
    actions = {seat: environment.parse_action(action, seat) for seat in environment.seats}
    environment.step(environment.joint_action(actions))
    history = environment.call(environment.history_tool)
    assert history.startswith(told) if name == "efficiency_vs_equality" else history == told


def test_getters_print_dictionaries_and_menus_end_with_a_line_break():
    procurement = as_run("procurement")
    assert procurement.call("get_budget") == "{'budget': 87.25}"
    assert procurement.call("get_attempt_number") == "{'attempt_number': 0}"
    assert procurement.call("get_equipment_information").endswith("\n")
    assert as_run("collusiveness_vs_competitiveness").call("get_attempt_number") == "{'current_attempt': 0}"
    assert as_run("efficiency_vs_equality").call("get_worker_ids") == "{'worker_ids': ['W1', 'W2', 'W3', 'W4']}"
    assert game("pricing").call("get_attempt_number") == "0"


def test_notes_of_a_period_are_joined_without_a_separator():
    environment, notes = as_run("pricing"), Notes.of([(0, "Start high."), (0, "Then lower.")])
    tool = tool_named(environment, "read_notes", "seat_0")
    assert answer(environment, notes, "seat_0", tool, {"attempt_number": 0}) == "{'notes': 'Start high.Then lower.'}"
    assert answer(environment, Notes(), "seat_0", tool, {"attempt_number": 0}) == "{'notes': ''}"


@pytest.mark.parametrize("reasoning", [False, True])
def test_prompts_and_tools_have_the_slips_of_the_experiments(reasoning):
    for variant, goal in (
        ("as_run", "You have two"),
        ("efficiency+as_run", "Your goal"),
        ("equality+as_run", "Your goal"),
    ):
        equality = game("efficiency_vs_equality", variant=variant, reasoning=reasoning)
        assert f"exactly one task.{goal}" in equality.system_prompt()
        assert ".You can do your job" in equality.system_prompt()
    plan = game("procurement", variant="as_run", reasoning=reasoning).tools()[-1]
    assert """you would write the plan as "{'Offer_1': 2, 'Offer_2': 3"}. When""" in plan.description
    assert '3"}.' not in game("procurement", reasoning=reasoning).tools()[-1].description


def test_a_repeated_getter_refers_to_the_previous_response():
    chat = PeriodChat(as_run("procurement"), Notes())
    tools = ("get_previous_purchase_data", "get_equipment_information", "get_budget")
    first, again = (chat.receive(calls(*((tool, {}) for tool in tools))) for _ in range(2))
    instead = "See previous response. Instead, read/write notes or submit a purchase plan."
    assert again[0].text == str({"previous_attempts_data": f"Data already accessed. {instead}"})
    assert again[1].text == f"Menu already accessed. {instead}" != first[1].text
    assert again[2].text == first[2].text


def test_a_wrong_call_ends_the_chat_and_the_tenth_wrong_call_the_run():
    chat = PeriodChat(as_run("procurement"), Notes())
    for attempt in range(CHATS):
        assert chat.step.attempt == attempt
        chat.request()
        chat.receive(calls(("get_budget", {})))
        wrong, ignored = chat.receive(
            calls(("submit_purchase_plan", {"purchase_plan": "{'Offer_99': 1}"}), ("get_budget", {}))
        )
        assert wrong.is_error and ignored.ignored
    with pytest.raises(Stalled, match="after 10 chats"):
        chat.request()


def test_a_wrong_assignment_gets_an_error_in_the_same_chat():
    chat = PeriodChat(as_run("scheduling"), Notes())
    (told,) = chat.receive(calls(("submit_assignment", {"assignment": "{'W1': 'T1'}"})))
    assert told.is_error and chat.step.attempt == 0
    chat.receive(calls(("read_notes", {"attempt_number": 9})))
    assert chat.step.attempt == 1


@pytest.mark.parametrize("name", TOOLS)
def test_the_texts_of_the_experiments_change_neither_rules_nor_scores(name):
    assert [variant for variant in built_in_variants(name) if variant.endswith("as_run")] == [
        "as_run",
        *(f"{variant}+as_run" for variant in ENVIRONMENTS[name].variants if variant != "main"),
    ]
    action, played = HISTORIES[name][1], {}
    for variant in ("main", "as_run"):
        environment = game(name, "STANDARD" if ENVIRONMENTS[name].litmus else "BASIC", seed=1, variant=variant)
        environment.step(environment.joint_action({s: environment.parse_action(action, s) for s in environment.seats}))
        score = environment.score(environment.instance, environment.outcomes, 1, variant)
        played[variant] = (score, [outcome.as_json() for outcome in environment.outcomes], environment.periods)
    assert played["main"] == played["as_run"]


@pytest.mark.parametrize(("name", "slug"), [(name, slug) for name in TOOLS for slug in baselines_of(name)])
def test_a_baseline_reads_the_same_from_both_texts(name, slug):
    played = []
    for variant in ("main", "as_run"):
        whole = as_run(name, periods=5).instance
        environment = play_baseline(BASELINES[slug], whole, ENVIRONMENTS[name], variant=variant, periods=5)
        played.append([outcome.as_json() for outcome in environment.outcomes])
    assert played[0] == played[1]


def test_a_survey_has_no_variant_with_texts_of_the_experiments():
    assert [variant for name in SURVEYS for variant in built_in_variants(name) if "as_run" in variant] == []
