"""Own prompts keep the rules of the built-in variant and change its texts."""

import pytest

from agents.rehearsal import prompt_texts, rehearse
from environments.prompts.own import MOST_BYTES, OwnPrompts, text_errors
from environments.prompts.variants import base_variant, texts_slug
from environments.registry import ENVIRONMENTS, GENERATION, generate, score_format, variant_label, variant_of
from environments.survey import Survey

EVERY_VARIANT = [(name, variant) for name, one in ENVIRONMENTS.items() for variant in one.variants]
every_variant = pytest.mark.parametrize(("name", "variant"), EVERY_VARIANT)
PRICING, PATIENCE = ENVIRONMENTS["pricing"].prompt_set, ENVIRONMENTS["patience_vs_impatience"].prompt_set


def begun(name, variant, prompts=None, **options):
    instance = generate(name, next(iter(GENERATION[name].difficulties)), 1, with_reference=False)
    return ENVIRONMENTS[name](instance, variant=variant, prompts=prompts, **options)


def read(environment):
    """All texts that an agent gets before its first action."""
    if isinstance(environment, Survey):
        return prompt_texts(environment, environment)
    seat = environment.seats[-1]
    prompts = (environment.system_prompt, environment.initial_prompt, environment.reply_prompt)
    return [*(prompt(seat) for prompt in prompts), *environment.tools(seat)]


@pytest.mark.parametrize("variant", ["main", "main+concise", "known_horizon+a+b"])
def test_a_variant_name_contains_its_base_variant(variant):
    assert variant == "+".join(filter(None, (base_variant(variant), texts_slug(variant))))
    assert base_variant(variant) in ("main", "known_horizon")


@every_variant
def test_an_own_prompt_with_unchanged_texts_equals_the_built_in_prompt(name, variant):
    texts = ENVIRONMENTS[name].prompt_set.texts(variant)
    assert text_errors(ENVIRONMENTS[name].prompt_set, variant, texts) == {}
    own = begun(name, f"{variant}+same", OwnPrompts(ENVIRONMENTS[name].prompt_set, texts), reasoning=True)
    assert read(own) == read(begun(name, variant))
    built_in = begun(name, variant)
    assert (own.variant, own.seats, own.periods) == (variant, built_in.seats, built_in.periods)
    assert ENVIRONMENTS[name].seats_of(f"{variant}+same") == own.seats
    assert ENVIRONMENTS[name].periods_of(f"{variant}+same", own.instance) == own.periods


@every_variant
def test_every_text_of_a_variant_can_be_replaced_and_reaches_the_agent(name, variant):
    built_in = ENVIRONMENTS[name].prompt_set
    texts = {key: f"Mark {place}. {text}" for place, (key, text) in enumerate(built_in.texts(variant).items())}
    prompts = OwnPrompts(built_in, texts)
    told = str([read(begun(name, variant, prompts, periods=periods)) for periods in (None, 1)])
    assert [place for place in range(len(texts)) if f"Mark {place}. " not in told] == []


@pytest.mark.sampled
@every_variant
def test_an_own_prompt_keeps_scores_and_their_format(name, variant):
    own = f"{variant}+other"
    assert (variant_of(name, own), score_format(name, own)) == (variant_of(name, variant), score_format(name, variant))
    assert variant_label(name, own) == f"own prompt {own}, not the paper's"
    environment = begun(name, variant)
    if isinstance(environment, Survey):
        return
    with_reference = generate(name, environment.instance.difficulty, 1)
    played = rehearse(ENVIRONMENTS[name](with_reference, variant=variant))[-1].outcomes
    scores = [ENVIRONMENTS[name].score(with_reference, played, len(played), one) for one in (own, variant)]
    assert scores[0] == scores[1]


def test_an_own_prompt_keeps_names_and_schemas_of_tools():
    texts = PRICING.texts("main") | {"tools.write_notes": "Jot.", "tools.write_notes.notes": "Anything."}
    own, built_in = OwnPrompts(PRICING, texts).tools(reasoning=False), PRICING.tools(reasoning=False)
    assert [tool["name"] for tool in own] == [tool["name"] for tool in built_in]
    changed = [(mine, theirs) for mine, theirs in zip(own, built_in, strict=True) if mine != theirs]
    ((mine, theirs),) = changed
    assert (mine["description"], mine["input_schema"]["properties"]["notes"]) == (
        "Jot.",
        {"type": "string", "description": "Anything."},
    )
    assert mine["input_schema"]["required"] == theirs["input_schema"]["required"]
    assert PRICING.tools(reasoning=False)[3]["description"] != "Jot.", "the built-in texts are not touched"


def test_the_version_is_a_hash_of_the_texts_in_any_order():
    texts = PRICING.texts("main")
    one, same = OwnPrompts(PRICING, texts), OwnPrompts(PRICING, dict(reversed(texts.items())))
    other = OwnPrompts(PRICING, texts | {"reply": "Go on."})
    assert one.version == same.version != other.version and one == same != other
    assert len({one, same, other}) == 2 and len(one.version) == 12


CEILING = "{upper_bound_price}"


@pytest.mark.parametrize(
    ("prompts", "variant", "change", "sentence"),
    [
        (PRICING, "main", {"initial": "Go."}, f"The placeholder {CEILING} is missing (price ceiling of the period)."),
        (PRICING, "main", {"initial": f"{CEILING} {{profit}}"}, f"{{profit}} is not a placeholder of this text; known "
         f"here: {CEILING}."),
        (PRICING, "main", {"system": CEILING}, f"{CEILING} is not a placeholder of this text; this text has no "
         "placeholders."),
        (PRICING, "main", {"reply": "{x.__class__}"}, "{x.__class__} is not a placeholder of this text; this text has no "
         "placeholders."),
        (PRICING, "main", {"reply": "{x:>999999999}"}, "{x:>999999999} is not a placeholder of this text; this text has "
         "no placeholders."),
        (PRICING, "main", {"reply": " \n "}, "Write a text; the agent would get an empty one."),
        (PRICING, "main", {"reply": "ü" * (MOST_BYTES // 2 + 1)}, "A text has at most 65,536 bytes; this one has 65,538."),
        (PRICING, "main", {"tools.sell": "Sell."}, "There is no such text in this variant."),
        (PRICING, "main", {"question": "A or B?"}, "There is no such text in this variant."),
        (PATIENCE, "main", {"question": "<amount> <time_span>"}, "The placeholder <answer> is missing (element from "
         "which the answer is read, A or B)."),
        (PATIENCE, "user_name", {"append": "Be kind."}, "The placeholder <name> is missing (name of the user)."),
        (PATIENCE, "main", {"question": "<amount> <time_span> <answer> <name>"}, "<name> is not a placeholder of this "
         "text; known here: <amount>, <time_span>, <answer>."),
        (PATIENCE, "main", {"append": "Be kind."}, "There is no such text in this variant."),
    ],
)  # fmt: skip
def test_an_invalid_text_gets_a_sentence(prompts, variant, change, sentence):
    assert text_errors(prompts, variant, prompts.texts(variant) | change) == dict.fromkeys(change, sentence)


def test_dictionaries_are_not_placeholders():
    texts = PRICING.texts("main") | {"reply": "Answer {'Product_1': 2} or {\"a\": 1}, {}, { } and {1}."}
    assert text_errors(PRICING, "main", texts) == {}


def test_a_missing_text_is_reported():
    texts = PRICING.texts("main")
    del texts["reply"]
    assert text_errors(PRICING, "main", texts) == {"reply": "This text is missing."}


def test_a_text_is_never_used_as_a_format_string():
    text = f"{CEILING} {{x.__class__}} {{x:>999999999}} %s {{0}}"
    told = begun("pricing", "main", OwnPrompts(PRICING, PRICING.texts("main") | {"initial": text})).initial_prompt()
    assert told.endswith("{x.__class__} {x:>999999999} %s {0}") and CEILING not in told


def test_an_own_prompt_states_the_ceiling_of_a_single_seller():
    name = "collusiveness_vs_competitiveness"
    prompts = ENVIRONMENTS[name].prompt_set
    texts = prompts.texts("single_agent") | {"initial": "Not above {single_agent_upper_bound_price}."}
    own = begun(name, "single_agent+short", OwnPrompts(prompts, texts))
    ceiling = begun(name, "single_agent").initial_prompt().split()[-1]
    assert own.initial_prompt() == f"Not above {ceiling}" and own.seats == ("seat_0",)


def test_a_treatment_precedes_the_answer_format_or_ends_the_prompt():
    texts = PATIENCE.texts("interest_rate") | {"append": "Rate: <interest_rate>."}
    for question in ("<amount> <time_span>\n\n<answer>", "<amount> <time_span> <answer>"):
        own = OwnPrompts(PATIENCE, texts | dict.fromkeys(("question", "question.flipped"), question))
        (asked, *_) = begun("patience_vs_impatience", "interest_rate+x", own).questions()
        assert "\n\nRate: 1." in asked.prompt


def test_the_preview_includes_a_different_prompt_of_the_last_period():
    titles = {
        name: [title for title, _ in prompt_texts(begun(name, "main"), begun(name, "main", periods=1))]
        for name in ENVIRONMENTS
    }
    usual = ["System prompt", "First prompt", "Reply prompt"]
    assert titles["pricing"] == titles["procurement"] == usual
    assert titles["scheduling"] == [*usual[:2], "First prompt of the last period", usual[2]]
    assert titles["patience_vs_impatience"] == ["Question", "Question in reverse order"]
