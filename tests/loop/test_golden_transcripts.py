"""A scripted period of each environment, word for word as an agent reads it.

After a wanted change, write the files anew: ECONEVALS_WRITE_GOLDEN=1 python -m pytest tests/loop
"""

import os
from pathlib import Path

import pytest

from agents.llm import Reply
from agents.loop import PeriodChat
from agents.notes import Notes
from agents.scripted import calls
from environments.registry import ENVIRONMENTS, generate

GOLDEN = Path(__file__).parent / "golden"

IDENTITY = str({f"W{i}": f"T{i}" for i in range(1, 11)})
SCRIPTS = {
    "procurement": (
        [{"Offer_4": 1, "Offer_9": 1, "Offer_11": 1, "Offer_12": 1}, {"Offer_2": 1, "Offer_5": 9}],
        [
            calls(("get_previous_purchase_data", {}), ("get_equipment_information", {}), text="First the data."),
            calls(("get_budget", {}), ("get_attempt_number", {}), ("get_previous_purchase_data", {})),
            calls(("submit_purchase_plan", {"purchase_plan": "{'Offer_13': 1}"})),
            calls(
                ("write_notes", {"notes": "Offer_4 is cheap."}),
                ("submit_purchase_plan", {"purchase_plan": "{'Offer_4': 2}"}),
            ),
        ],
    ),
    "scheduling": (
        [IDENTITY, IDENTITY],
        [
            calls(
                ("get_previous_attempts_data", {}), ("get_worker_ids", {}), ("get_task_ids", {}), text="First the data."
            ),
            calls(("get_attempt_number", {}), ("read_notes", {"attempt_number": 5})),
            calls(("submit_assignment", {"assignment": "{'W1': 'T1'}"})),
            calls(("submit_assignment", {"assignment": IDENTITY.replace("'T1'", "'T5'", 1)})),
            calls(("submit_assignment", {"assignment": IDENTITY}), ("get_attempt_number", {})),
        ],
    ),
    "pricing": (
        [{"Product_1": 20}, {"Product_1": 28}],
        [
            calls(("get_previous_pricing_data", {}), ("get_product_ids", {}), text="First the data."),
            Reply(text="I think that 18 is a good price."),
            calls(("get_attempt_number", {}), ("get_previous_pricing_data", {}), ("read_notes", {"attempt_number": 1})),
            calls(("set_prices", {"prices_dict_str": "{'Product_1': 'eighteen'}"})),
            calls(("set_prices", {"prices_dict_str": '{"Product_1": 18}'})),
        ],
    ),
}


@pytest.mark.parametrize("name", list(SCRIPTS))
def test_a_scripted_period_equals_its_golden_transcript(name):
    past, replies = SCRIPTS[name]
    environment = ENVIRONMENTS[name](generate(name, "BASIC", 0, with_reference=name != "procurement"))
    for action in past:
        environment.step(environment.parse_action(action))
    chat = PeriodChat(environment, Notes())
    for reply in replies:
        chat.request()
        chat.receive(reply)
    assert chat.finished
    text = "\n".join(transcript(chat)) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("ECONEVALS_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def transcript(chat):
    environment = chat.environment
    yield f"SYSTEM\n{environment.system_prompt()}\n\nUSER\n{environment.initial_prompt()}\n"
    yield f"TOOLS\n{', '.join(tool.name for tool in chat.tools)}\n"
    for turn in chat.turns:
        yield f"ASSISTANT\n{turn.reply.text}".rstrip()
        for call, result in zip(turn.reply.calls, turn.results, strict=True):
            kind = "ERROR" if result.is_error else "IGNORED" if result.ignored else "RESULT"
            yield f"CALL {call.name} {call.arguments}\n{kind}\n{result.text}"
        yield f"\nUSER\n{turn.prompt}\n"
    yield f"ACTION\n{chat.action}"
