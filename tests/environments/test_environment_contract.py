"""The contract of every environment."""

import json
import re

import numpy as np
import pytest

from environments.base import Outcome, ToolError
from environments.prompts.sets import PromptSet
from environments.registry import ENVIRONMENTS, GENERATION
from environments.survey import Survey
from tests.environments.cast import CASES, SURVEYS, act, fresh_instance, game, instance_of, random_action

TOOLS = [name for name in ENVIRONMENTS if name not in SURVEYS]
every_case = pytest.mark.parametrize(("name", "difficulty", "generator"), CASES)
every_case_with_tools = pytest.mark.parametrize(every_case.args[0], [case for case in CASES if case[0] in TOOLS])
every_environment = pytest.mark.parametrize("name", list(ENVIRONMENTS))
every_environment_with_tools = pytest.mark.parametrize("name", TOOLS)

METRICS = {
    "procurement": "best_share_by_period within_budget_rate mean_budget_use budget_95_100_rate exploration_rate "
    "periods_to_optimum solved",
    "scheduling": "blocking_pairs_by_period best_so_far_rate requery_rate exploration_rate periods_to_stability solved",
    "pricing": "profit_share_by_period adaptability tracking_error_by_period",
    "efficiency_vs_equality": "litmus efficiency_competency equality_competency frontier_distance revenue inequality",
    "collusiveness_vs_competitiveness": "litmus mean_price converged",
    "patience_vs_impatience": "litmus_rate reliability by_horizon",
}
OUTCOME = {
    "procurement": "feasible reasons cost_cents workers share_of_optimum",
    "scheduling": "blocking_pairs pairs feedback stable",
    "pricing": "quantities profits total_profit share_of_optimum",
    "efficiency_vs_equality": "revenue pay total_revenue total_pay inequality",
    "collusiveness_vs_competitiveness": "quantities profits",
    "patience_vs_impatience": "later_share",
}
DISTINCT = {"collusiveness_vs_competitiveness": 3} | dict.fromkeys(SURVEYS, 1)
"""How many of the instances of twelve seeds differ, where it is not all of them.

Collusion's seeds only choose among three moneys; surveys ask the same whatever the seed, which only tells runs apart.
"""


def as_text(instance):
    data = instance.as_json()
    data["reference"].get("optimum", {}).pop("seconds", None)
    return json.dumps(data)


def played(name, difficulty, generator, periods=8):
    environment = game(name, difficulty, generator)
    for period in range(periods):
        # The second half repeats the first backwards, for what an environment remembers of an action.
        draw = np.random.default_rng([5, min(period, periods - 1 - period)])
        if not environment.finished:
            act(environment, str(random_action(environment, draw)))
    return environment


def counter(environment):
    """The tool that returns the current period."""
    return next(tool.name for tool in environment.tools() if tool.name.endswith("_number"))


def history(environment):
    """What an agent may read of the past; for a survey, whose agents read nothing, what a person may."""
    if isinstance(environment, Survey):
        return "\n".join(map(environment.feedback, environment.outcomes))
    return environment.call(environment.history_tool)


@pytest.mark.sampled
@every_case
def test_a_seed_always_gives_the_same_instance_byte_for_byte(name, difficulty, generator):
    again = fresh_instance(name, difficulty, generator)
    assert as_text(again) == as_text(instance_of(name, difficulty, generator))
    assert again.content_hash == instance_of(name, difficulty, generator).content_hash


@pytest.mark.sampled
@every_case
def test_different_seeds_and_generators_give_different_instances(name, difficulty, generator):
    chosen = instance_of(name, difficulty, generator).settings
    seeds = [GENERATION[name].build(dict(chosen), seed, generator) for seed in range(12)]
    assert len({json.dumps(drawn) for drawn in seeds}) == DISTINCT.get(name, 12)
    other = "paper_text" if generator == "published" else "published"
    assert instance_of(name, difficulty, generator).content_hash != fresh_instance(name, difficulty, other).content_hash


@pytest.mark.sampled
@every_case
def test_a_repeated_or_rebuilt_run_continues_like_an_uninterrupted_run(name, difficulty, generator):
    whole, again = played(name, difficulty, generator), played(name, difficulty, generator)
    assert (whole.outcomes, history(whole)) == (again.outcomes, history(again))
    for cut in range(0, len(whole.outcomes), 3):
        stored = [Outcome(**json.loads(json.dumps(vars(outcome)))) for outcome in whole.outcomes[:cut]]
        rebuilt = ENVIRONMENTS[name](whole.instance, stored)
        for outcome in whole.outcomes[cut:]:
            act(rebuilt, outcome.action)
        assert rebuilt.outcomes == whole.outcomes
        assert history(rebuilt) == history(whole)


@every_environment_with_tools
@pytest.mark.parametrize("reasoning", [False, True])
def test_tools_have_valid_schemas_and_the_action_comes_last(name, reasoning):
    environment = game(name, reasoning=reasoning)
    tools = environment.tools()
    assert tools[-1].name == environment.action_tool
    assert environment.action_argument in tools[-1].input_schema["properties"]
    names = {tool.name for tool in tools}
    assert names >= {"write_notes", "read_notes", counter(environment), environment.history_tool}
    assert [tool.name for tool in tools if tool.again] == [environment.history_tool]
    assert len(names) == len(tools)
    for tool in tools:
        schema = tool.input_schema
        assert re.fullmatch(r"[a-z_]{1,64}", tool.name) and tool.description
        assert schema["type"] == "object" and set(schema.get("required", [])) <= set(schema["properties"])
        assert all(p["type"] in ("string", "integer") and p["description"] for p in schema["properties"].values())


@pytest.mark.sampled
@every_case_with_tools
def test_every_getter_answers_and_an_unknown_getter_is_a_tool_error(name, difficulty, generator):
    for environment in (game(name, difficulty, generator), played(name, difficulty, generator)):
        for tool in environment.tools():
            if tool.name not in ("write_notes", "read_notes", environment.action_tool):
                assert environment.call(tool.name).strip()
        assert environment.call(counter(environment)) == str(len(environment.outcomes))
        with pytest.raises(ToolError):
            environment.call("get_everything")


@every_environment_with_tools
def test_every_variant_has_prompts_without_placeholders(name):
    for variant in ENVIRONMENTS[name].variants:
        for reasoning in (False, True):
            environment = game(name, variant=variant, reasoning=reasoning)
            prompts = (environment.system_prompt, environment.reply_prompt, environment.initial_prompt)
            texts = [prompt(seat) for prompt in prompts for seat in environment.seats]
            assert all(text.strip() and "{" not in text and "<" not in text for text in texts)
            assert ("reasoning" in environment.system_prompt()) is not reasoning


def test_the_folder_of_every_earlier_prompt_set_is_its_version():
    kept = [path for one in ENVIRONMENTS.values() for path in one.prompt_set.folder.parent.glob("earlier_prompts/*")]
    assert kept and [PromptSet(path, chat=None).version for path in kept] == [path.name for path in kept]
    assert all(re.fullmatch(r"[0-9a-f]{12}", one.prompt_set.version) for one in ENVIRONMENTS.values())


@pytest.mark.parametrize("name", SURVEYS)
def test_a_survey_asks_questions_without_placeholders_and_has_no_tools(name):
    for variant in ENVIRONMENTS[name].variants:
        environment = game(name, variant=variant)
        assert isinstance(environment, Survey) and environment.tools() == ()
        assert environment.periods == environment.periods_of(variant, environment.instance)
        for question in (asked for ahead in range(environment.periods) for asked in environment.questions(ahead)):
            assert question.prompt.strip() and not re.search(r"[{}]|<(?!/?(reasoning|answer)>)", question.prompt)
        assert environment.questions(environment.periods) == ()
        with pytest.raises(ToolError):
            environment.call("get_everything")


@pytest.mark.sampled
@every_case
def test_scores_stay_within_bounds_and_metrics_have_the_agreed_keys(name, difficulty, generator):
    environment = played(name, difficulty, generator)
    instance, outcomes = environment.instance, environment.outcomes
    score = environment.score(instance, outcomes)
    low = {"procurement": 0.0}.get(name, -np.inf)
    assert score.value is None or low <= score.value <= 1 + 1e-12
    assert (score.value is None) == bool(score.note)
    metrics = environment.metrics(instance, outcomes)
    assert set(METRICS.get(name, "").split()) <= set(metrics)
    series = {key for key, value in metrics.items() if isinstance(value, list) and len(value) == len(outcomes) > 4}
    assert all(key.endswith("_by_period") for key in series), "They are stored apart by their names."
    for outcome in outcomes:
        assert {"period", "action", *OUTCOME.get(name, "").split()} <= set(outcome.as_json())
    json.dumps([outcome.as_json() for outcome in outcomes] + [environment.metrics(instance, outcomes)], allow_nan=False)


@every_environment
def test_a_run_without_outcomes_has_metrics_and_no_high_score(name):
    environment = game(name)
    assert set(environment.metrics(environment.instance, [])) >= set(METRICS.get(name, "").split())
    assert environment.score(environment.instance, []).value in (None, 0.0)


@every_environment
def test_a_run_is_finished_after_its_last_period(name):
    environment = game(name, periods=1)
    assert not environment.finished
    act(environment, random_action(environment, np.random.default_rng(0)))
    assert environment.finished
