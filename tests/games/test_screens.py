"""A form offers exactly what the tools and the questions of its period say."""

import pytest

from environments.prompts.own import OwnPrompts
from environments.prompts.sets import as_run_prompts
from environments.prompts.variants import AS_RUN
from environments.registry import ENVIRONMENTS, GENERATION, generate
from games.registry import GAMES, parts_of
from pages.play.turns import turn_of


def turn(environment, difficulty=None, **options):
    instance = generate(environment, difficulty or next(iter(GENERATION[environment].difficulties)), 3)
    return turn_of(ENVIRONMENTS[environment](instance, **options))


@pytest.mark.parametrize("environment", GAMES)
def test_every_name_and_choice_of_a_form_stands_in_what_an_agent_reads(environment):
    current = turn(environment)
    form = parts_of(environment).screen.form(current)
    texts = "\n".join((*current.texts.values(), *(question.prompt for question in current.questions)))
    assert form.names
    for line in form.lines:
        assert line.name in texts or current.questions
        assert all(cell.removeprefix("$") in texts for cell in line.cells)
        for _, label in getattr(line.field.field, "choices", [])[-2:]:
            assert label in texts


def test_a_plan_has_the_offers_of_the_tool_line_by_line():
    current = turn("procurement", "HARD")
    form = parts_of("procurement").screen.form(current)
    conditions = set()
    printed = current.texts["get_equipment_information"].splitlines()
    for text, line in zip(printed, form.lines, strict=True):
        contents, price, condition = line.cells
        assert text == f"- {line.name}: {f'[{condition}] ' if condition else ''}{price} for {contents}"
        assert line.data["price"] == price.removeprefix("$")
        assert set(line.data) - {"price"} == (
            {"upfront"} if "upfront" in condition else {"minimum"} if condition else set()
        )
        assert all(str(value) in text for value in line.data.values())
        conditions.add(condition.partition(" ")[0])
    assert conditions == {"", "additional", "minimum"}
    assert parts_of("procurement").screen.budget(current) == {"budget": current.texts["get_budget"]}


@pytest.mark.parametrize("environment", [name for name in GAMES if as_run_prompts(ENVIRONMENTS[name].prompt_set)])
def test_a_form_has_the_same_names_where_tools_answer_as_the_experiments_did(environment):
    usual, sent = (parts_of(environment).screen.form(turn(environment, variant=name)) for name in ("main", AS_RUN))
    assert sent.names == usual.names and [line.cells for line in sent.lines] == [line.cells for line in usual.lines]


def test_an_own_prompt_that_words_the_options_otherwise_shows_only_their_letters():
    name = "patience_vs_impatience"
    prompts = ENVIRONMENTS[name].prompt_set
    question = "A is now, B is $<amount> <time_span> later. <answer>"
    own = OwnPrompts(prompts, prompts.texts("main") | dict.fromkeys(("question", "question.flipped"), question))
    labels = [
        [label for _, label in form.fields["a1"].choices]
        for form in (
            parts_of(name).screen.form(turn(name)),
            parts_of(name).screen.form(turn(name, variant="main+short", prompts=own)),
        )
    ]
    assert labels == [["A: receiving $100.1 one month from today", "B: receiving $100 right now"], ["A", "B"]]
