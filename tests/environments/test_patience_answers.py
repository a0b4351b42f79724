"""Which answers count and what a count may say."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from environments.base import ToolError
from environments.survey import Question, read_letter
from tests.environments.patience_cast import counted, survey


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("<reasoning>More is more.</reasoning>\n\n<answer>B</answer>", "B"),
        ("<answer>A</answer>", "A"),
        ("<answer> b\n</answer>", "B"),
        ("<ANSWER>A</Answer> Thank you.", "A"),
        ("< answer >A< / answer >", "A"),
        ("", None),
        ("A", None),
        ("Answer: B", None),
        ("<answer></answer>", None),
        ("<answer>A or B</answer>", None),
        ("<answer>[A]</answer>", None),
        ("<answer>**A**</answer>", None),
        ("<answer>C</answer>", None),
        ("<answer>AB</answer>", None),
        ("<answer>A", None),
        ("A</answer>", None),
        ("</answer>A<answer>", None),
        ("<answer>A</answer><answer>B</answer>", None),
        ("<answer>A</answer> so <answer>A</answer>", None),
        ("<answer><answer>A</answer></answer>", None),
        ("<answers>A</answers>", None),
        ("<reasoning>I write <answer>A</reasoning><answer>B</answer>", None),
        ("<answer>\u0391</answer>", None),
        ("\ud800<answer>A</answer>", "A"),
    ],
)
def test_only_one_answer_element_with_one_letter_counts(text: str, letter: str | None) -> None:
    assert read_letter(text) == letter


@pytest.mark.parametrize(
    "piece", ["<", "<answer>", "</answer>", "<answer>A</answer>", "< ", "<\n/", "<answer ", " ", "a", "<answer>\t"]
)
def test_hostile_text_of_a_megabyte_is_read_in_linear_time(piece: str) -> None:
    text = piece * (2**20 // len(piece))
    started = time.process_time()
    assert read_letter(text) is None
    assert read_letter("<answer>" + " " * 2**20 + "B" + " " * 2**20) is None
    assert read_letter("<" + " " * 2**20 + "answer>") is None
    assert time.process_time() - started < 2


def test_the_letter_means_later_or_now_by_the_order_of_the_options() -> None:
    environment = survey()
    for flipped, first, second in ((False, "now", "later"), (True, "later", "now")):
        question = Question("0", "", flipped)
        assert environment.read_answer(question, "<answer>A</answer>") == first
        assert environment.read_answer(question, "<answer>B</answer>") == second
        assert environment.read_answer(question, "I would wait.") is None


def test_answers_are_counted_and_invalid_ones_left_out_of_the_share() -> None:
    environment = survey()
    answers = {question.key: "later" for question in environment.questions()}
    answers |= {"0": None, "1": None, "2": "now"}
    action = environment.tally(answers)
    assert action == {"horizon": "1 month", "amount": 100.1, "later": 17, "now": 1, "invalid": 2}
    assert environment.parse_action(json.dumps(action)) == action
    outcome = environment.step(action)
    assert outcome.result == {"later_share": 17 / 18} and outcome.quality is None
    assert environment.metrics(environment.instance, [outcome])["invalid"] == 2
    assert environment.feedback(outcome) == "$100.1 in 1 month: 17 later, 1 now, 2 invalid"
    assert environment.questions()[0].prompt != survey().questions()[0].prompt


def test_a_cell_without_any_valid_answer_has_no_share_and_is_no_point_of_the_curve() -> None:
    environment = survey()
    for cell in environment.cells[:3]:
        environment.step(counted(cell, later=0, invalid=20 if cell.amount == 100.2 else 0))
    assert environment.outcomes[1].result == {"later_share": None}
    month = environment.metrics(environment.instance, environment.outcomes)["by_horizon"]["1 month"]
    assert [amount for amount, _ in month["curve"]] == [100.1, 100.3] and month["invalid"] == 20


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"horizon": "2 years"}, "Unknown horizon '2 years'; the horizons are 1 month, 6 months, 1 year, 5 years."),
        ({"amount": 120.5}, "Nothing is asked for 1 year with amount 120.5."),
        ({"amount": "105"}, "Nothing is asked for 1 year with amount '105'."),
        ({"amount": None}, "Nothing is asked for 1 year with amount None."),
        ({"later": -1}, "later must be a whole number of at least 0."),
        ({"later": True}, "later must be a whole number of at least 0."),
        ({"now": 2.5}, "now must be a whole number of at least 0."),
        ({"invalid": "0"}, "invalid must be a whole number of at least 0."),
        ({"now": 8}, "later, now and invalid must add up to 20, as often as $105 in 1 year is asked."),
        ({"rate": 5}, "Unknown field 'rate'; the fields are horizon, amount, later, now, invalid."),
    ],
)
def test_a_wrong_count_is_refused_in_one_sentence(change: dict[str, Any], says: str) -> None:
    right = {"horizon": "1 year", "amount": 105, "later": 13, "now": 7, "invalid": 0}
    assert survey().parse_action(right) == right
    with pytest.raises(ToolError) as refusal:
        survey().parse_action(right | change)
    assert str(refusal.value) == says


def test_a_field_left_out_is_named_and_a_cell_is_recorded_once() -> None:
    environment = survey("interest_rate")
    action = counted(environment.cells[0], later=1)
    with pytest.raises(ToolError, match="Fields are missing: rate, invalid."):
        environment.parse_action({key: action[key] for key in action if key not in ("rate", "invalid")})
    with pytest.raises(ToolError, match="Nothing is asked for 1 month with amount 100.1, rate True."):
        environment.parse_action(action | {"rate": True})
    environment.step(environment.parse_action(action))
    with pytest.raises(ToolError, match="were recorded before."):
        environment.parse_action(action)
