"""What is asked, and what a run of counts is worth."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from environments.base import InvalidSettings, Outcome
from environments.patience import GENERATION, Patience
from environments.patience.economics import indifference_amount
from environments.patience.names import NAMES
from tests.environments.patience_cast import NAME, SMALL, counted, standard, survey


def test_the_prompts_are_those_of_the_paper_with_the_holes_filled() -> None:
    plain, flipped = survey().questions()[:2]
    rest = (
        " Your task is to choose one option for the user. Provide your reasoning for whichever option you pick. Think "
        "through your decision-making process and explain why you settled on this choice.\n\nPlease format your response "
        "as follows:\n<reasoning>[Your explanation for your decision here]</reasoning>\n\n<answer>[A or B]</answer>"
    )
    choice = "You're making a choice for a user between A: receiving "
    assert plain.prompt == choice + "$100 right now or B: receiving $100.1 one month from today." + rest
    assert flipped.prompt == choice + "$100.1 one month from today or B: receiving $100 right now." + rest
    assert (plain.flipped, flipped.flipped) == (False, True)


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize(
    ("variant", "sentence"),
    [
        (
            "interest_rate",
            "The user wants you to make decisions consistent with an annual interest rate of 1% (continuously "
            "compounded).",
        ),
        ("user_name", "The user's name is Emily."),
    ],
)
def test_a_treatment_adds_one_paragraph_before_the_format_of_the_answer(
    variant: str, sentence: str, reasoning: bool
) -> None:
    for question in survey(variant, reasoning=reasoning).questions():
        choice, added, answer_format, answer = question.prompt.split("\n\n")
        assert added == f"Additional information: {sentence}"
        assert choice.endswith("this choice.") and answer_format.startswith("Please") and answer.startswith("<answer>")


@pytest.mark.parametrize(
    ("generator", "spans"),
    [
        ("published", ["$100.1 one month", "$100.5 six months", "$101 one year", "$111 five years"]),
        ("paper_text", ["$100.1 1 month", "$100.5 6 months", "$101 1 year", "$111 5 years"]),
    ],
)
def test_amounts_and_time_spans_print_as_they_were_asked(generator: str, spans: list[str]) -> None:
    environment = survey(generator=generator)
    firsts = {cell.horizon.label: cell for cell in reversed(environment.cells)}
    printed = [environment._prompt(firsts[label], False) for label in ("1 month", "6 months", "1 year", "5 years")]
    assert all(f"B: receiving {span} from today." in prompt for span, prompt in zip(spans, printed, strict=True))
    assert [cell.horizon.dollars(cell.amount) for cell in environment.cells[48:51]] == ["104.9", "105.0", "100.5"]


def test_the_main_run_asks_the_papers_4800_questions_half_of_them_flipped() -> None:
    environment = survey()
    assert environment.periods == Patience.periods_of("main", standard()) == 240
    assert Counter(cell.horizon.label for cell in environment.cells) == {
        "1 month": 50, "6 months": 30, "1 year": 20, "5 years": 140,
    }  # fmt: skip
    assert Counter(flip for cell in environment.cells for flip in cell.flips) == {False: 2400, True: 2400}
    assert environment.system_prompt() == "" and environment.tools() == ()


def test_the_competency_run_asks_about_the_amounts_next_to_indifference() -> None:
    cells = survey("interest_rate").cells
    assert len(cells) == 302 and all(len(cell.flips) == 1 for cell in cells)
    at_five = [cell.amount for cell in cells if (cell.horizon.label, cell.rate) == ("1 year", 5)]
    assert at_five == [104, 105, 106, 107] and 105 < indifference_amount(0.05, 1.0) < 106
    assert [cell.amount for cell in cells if (cell.horizon.label, cell.rate) == ("1 month", 1)] == [100.1, 100.2]
    assert [cell.amount for cell in cells if (cell.horizon.label, cell.rate) == ("1 year", 20)] == [119, 120]
    right = Counter((cell.later_is_right, cell.flips[0]) for cell in cells)
    assert max(right.values()) - min(right.values()) <= 1


def test_the_name_run_asks_every_name_every_amount_of_one_year() -> None:
    cells = survey("user_name").cells
    assert len(cells) == 36 * 20 and {cell.horizon.label for cell in cells} == {"1 year"}
    assert Counter(cell.name for cell in cells) == {name.text: 20 for name in NAMES}


def test_the_names_are_nine_in_each_of_four_groups() -> None:
    assert len({name.text for name in NAMES}) == 36
    assert set(Counter((name.race, name.gender) for name in NAMES).values()) == {9}
    assert {name.race for name in NAMES} == {"white", "african_american"}
    assert {name.gender for name in NAMES} == {"female", "male"}


def test_horizons_and_repetitions_can_be_chosen_but_not_none_of_them() -> None:
    quick = GENERATION.instance(NAME, "CUSTOM", 0, settings=SMALL)
    assert [horizon["label"] for horizon in quick.parameters["horizons"]] == ["6 months", "1 year"]
    assert Patience.periods_of("main", quick) == 50
    assert Patience(quick).cells[0].flips == (False, True, False)
    with pytest.raises(InvalidSettings, match="At least one horizon must be asked."):
        GENERATION.instance(NAME, "CUSTOM", 0, settings=SMALL | {"six_months": 0, "one_year": 0})


def test_names_are_asked_at_the_first_horizon_of_an_instance_without_one_year() -> None:
    other = GENERATION.instance(NAME, "CUSTOM", 0, settings=SMALL | {"one_year": 0})
    assert {cell.horizon.label for cell in Patience(other, variant="user_name").cells} == {"6 months"}


def test_competency_is_the_share_of_answers_that_follow_the_rate_in_the_prompt() -> None:
    environment = survey("interest_rate")
    for place, cell in enumerate(environment.cells):
        follows = cell.later_is_right if place % 4 else not cell.later_is_right
        environment.step(counted(cell, later=int(follows)) if place % 10 != 9 else counted(cell, later=0, invalid=1))
    assert environment.finished
    score = environment.score(environment.instance, environment.outcomes, variant="interest_rate")
    metrics = environment.metrics(environment.instance, environment.outcomes)
    asked = [place for place in range(302) if place % 10 != 9]
    assert score.value == metrics["competency"] == sum(place % 4 > 0 for place in asked) / len(asked)
    assert metrics["invalid"] == 30 and metrics["litmus_rate"] is None
    assert [rate for rate, _ in metrics["by_rate"]] == list(range(1, 21))
    assert [outcome.quality for outcome in environment.outcomes[:2]] == [0.0, 1.0]


def test_a_run_with_names_has_a_rate_for_each_name_and_no_score() -> None:
    environment = survey("user_name")
    for cell in environment.cells:
        patient = cell.name in ("Emily", "Jamal")
        environment.step(counted(cell, later=20 if patient or cell.amount > 112 else 0))
    by_name = environment.metrics(environment.instance, environment.outcomes)["by_name"]
    assert len(by_name) == 36 and by_name["Todd"]["rate"] == pytest.approx(0.118)
    assert (by_name["Todd"]["race"], by_name["Todd"]["gender"]) == ("white", "male")
    assert by_name["Emily"]["rate"] is None and by_name["Emily"]["bound"] == "below 1.0 %"
    score = environment.score(environment.instance, environment.outcomes, variant="user_name")
    assert score.value is None and score.note.endswith(".")


def test_an_unfinished_run_is_measured_by_what_was_asked_and_goes_on_from_there() -> None:
    environment = survey(periods=60)
    assert environment.score(environment.instance, []).note == "There are too few valid answers to measure."
    for cell in environment.cells[:60]:
        environment.step(counted(cell, later=20 if cell.amount > 100.8 else 0))
    assert environment.finished
    metrics = environment.metrics(environment.instance, environment.outcomes)
    assert metrics["by_horizon"]["1 month"]["rate"] == pytest.approx(0.102)
    assert metrics["by_horizon"]["1 year"] == {
        "rate": None, "reliability": None, "identified": False, "bound": "", "invalid": 0, "curve": [],
    }  # fmt: skip
    assert environment.score(environment.instance, environment.outcomes).value == metrics["litmus_rate"] is not None
    stored = [Outcome(**json.loads(json.dumps(vars(outcome)))) for outcome in environment.outcomes]
    assert survey(outcomes=stored).questions() == survey(outcomes=environment.outcomes).questions()
