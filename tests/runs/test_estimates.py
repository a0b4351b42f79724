"""Estimates of launches: calls, tokens, dollars, time and disk."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

import runs.estimating
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS, GENERATION, generate
from environments.shocks import FEWEST_PERIODS
from runs.engine.players import options_of
from runs.estimating import dry
from runs.estimating.estimates import estimate
from runs.launching.checks import difficulty_names
from runs.launching.plan import LaunchPlan
from runs.launching.presets import PRESETS
from runs.models import RunState
from runs.services.agents import agent_update
from runs.services.catalog import catalog_install
from tests.preset_plans import plan_of
from tests.scripted_model import ScriptedModel, play_run
from tests.yardstick import within

WITHIN = 0.25
PERIODS = 20
MARKET = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",), "periods": 10}


def played(plan):
    """Calls and input tokens that the scripted player needs for all runs of a plan."""
    models = []
    for run in plan.runs:
        settings = plan.settings if run.difficulty == CUSTOM else None
        options = {"variant": run.variant, "settings": settings, "with_reference": False}
        instance = generate(run.environment, run.difficulty, run.seed, **options)
        models.append(ScriptedModel(options_of(run.agent)))
        reasoning = plan.reasoning_for(run.agent)
        play_run(instance, models[-1], variant=run.variant, reasoning=reasoning, periods=plan.periods)
    return sum(model.calls for model in models), sum(model.usage.input_tokens for model in models)


def error(estimated, plan):
    return estimated.input_tokens.expected / played(plan)[1] - 1


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS, ids=[preset.slug for preset in PRESETS])
def test_estimates_of_presets_are_within_a_quarter_of_the_scripted_player(preset, organization):
    whole = plan_of(preset, organization, "gpt-4-1", "claude-4-5-sonnet")
    if preset.slug == "shocks":
        # Its runs cannot be as short as the others.
        whole = replace(whole, agents=whole.agents[:1], difficulties=("BASIC",), periods=FEWEST_PERIODS)
    else:
        whole = replace(whole, periods=PERIODS)
    off = {}
    for run in replace(whole, seeds=whole.seeds[:1]).runs:
        kind = (run.environment, run.difficulty, run.variant, run.agent)
        fields = ("environments", "difficulties", "variants", "agents")
        game = replace(
            whole, seeds=whole.seeds[:1], **{name: (value,) for name, value in zip(fields, kind, strict=True)}
        )
        expected = estimate(game, organization)
        # The instance that was rehearsed, and one that was not.
        for seed in {whole.seeds[0], whole.seeds[-1] + 1}:
            wrong = error(expected, replace(game, seeds=(seed,)))
            if abs(wrong) > WITHIN:
                off[*kind, seed] = wrong
    assert not off


@pytest.mark.long
def test_a_whole_run_is_estimated_from_its_first_periods(organization, plan):
    whole = plan("claude-4-5-sonnet", environments=("scheduling",), difficulties=("HARD",))
    expected = estimate(whole, organization)
    other = replace(whole, seeds=(8,))
    assert expected.calls == played(other)[0] == 200
    assert abs(error(expected, other)) < WITHIN


@pytest.mark.long
def test_the_estimate_of_a_survey_covers_all_its_questions(organization):
    (preset,) = (preset for preset in PRESETS if preset.slug == "patience-quick")
    quick = plan_of(preset, organization, "gpt-4-1")
    expected = estimate(quick, organization)
    assert expected.calls == played(quick)[0]
    assert abs(error(expected, quick)) < WITHIN


@pytest.mark.long
def test_the_whole_matrix_of_the_papers_is_estimated_at_once(organization):
    models = organization.agents.filter(baseline="").select_related("endpoint")
    levels = tuple(difficulty_names()[:-1])
    whole = LaunchPlan(tuple(ENVIRONMENTS), levels, tuple(range(12)), tuple(models))

    def estimate_anew():
        for kept in (dry._instance, dry.game_length, dry._moments, dry._chats, dry._samples):
            kept.cache_clear()
        estimate(whole, organization)

    within(36_000_000, estimate_anew)


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("generator", GENERATORS)
def test_the_smallest_and_the_largest_custom_settings_are_estimated(organization, plan, environment, generator):
    generation = GENERATION[environment]
    basic = next(iter(generation.difficulties.values()))
    bounds = [(s, bound) for s in generation.settings for bound in (s.low, s.high)]
    for settings in ({**basic, s.name: int(bound) if s.whole else bound} for s, bound in bounds):
        if generation.conflicts(settings):
            continue
        custom = {"environments": (environment,), "difficulties": (CUSTOM,), "settings": settings}
        found = estimate(plan("gpt-4-1", generator=generator, **custom), organization)
        assert found.input_tokens.expected > 0, settings


def test_a_second_model_seat_doubles_an_estimate_and_a_baseline_seat_is_free(organization, agent, plan):
    both = estimate(plan("gpt-4-1", **MARKET), organization)
    one = estimate(plan("gpt-4-1", rival=agent("collusion-nash"), **MARKET), organization)
    alone = estimate(plan("gpt-4-1", variants=("single_agent",), **MARKET), organization)
    assert (both.calls, one.calls, alone.calls) == (40, 20, 20)
    assert one.input_tokens.expected == pytest.approx(both.input_tokens.expected / 2, rel=0.01)
    assert alone.input_tokens.expected < one.input_tokens.expected


def test_a_rival_is_charged_its_own_price(organization, agent, plan):
    rivals = (None, agent("claude-4-1-opus"))
    cheap, dear = (estimate(plan("gpt-5-mini", rival=rival, **MARKET), organization) for rival in rivals)
    assert dear.cost_nano.expected > 5 * cheap.cost_nano.expected


def test_the_upper_estimate_covers_a_query_for_each_tool(organization, plan):
    found = estimate(plan("gpt-4-1"), organization)
    for spread in (found.input_tokens, found.output_tokens, found.cost_nano, found.seconds):
        assert 0 < spread.low < spread.expected < spread.high
    assert found.input_tokens.high > 2.5 * found.input_tokens.expected
    assert "playing the games without a model" in found.basis


def test_baselines_are_free(organization, plan):
    found = estimate(plan("random"), organization)
    assert (found.calls, found.input_tokens.high, found.cost_nano.high) == (0, 0, 0)
    assert found.basis == "Baselines call no model and cost nothing."


def finish(experiment, *, seconds, **totals):
    """End its runs of four periods as if they had been played."""
    ended = timezone.now()
    times = {"started_at": ended - timedelta(seconds=seconds), "ended_at": ended}
    experiment.runs.update(state=RunState.FINISHED, periods_played=4, **times, **totals)


@pytest.mark.long
def test_runs_of_an_agent_correct_only_its_own_estimates(launch, organization, plan, other):
    before = estimate(plan("gpt-4-1"), organization)
    short = estimate(plan("gpt-4-1", periods=4), organization)
    calls, tokens = 3 * short.calls, 2 * round(short.input_tokens.expected)
    finish(
        launch("gpt-4-1", periods=4), queries=calls, input_tokens=tokens, output_tokens=calls * 500, seconds=calls * 7
    )
    after = estimate(plan("gpt-4-1"), organization)
    assert after.calls == 3 * before.calls
    # The run of four periods corrects a run of a hundred, whose history is much longer.
    assert after.input_tokens.expected == pytest.approx(2 * before.input_tokens.expected, rel=0.01)
    assert after.output_tokens.expected == pytest.approx(after.calls * 500)
    assert after.seconds.expected == pytest.approx(after.calls * 7)
    assert "corrected by 1 finished run of these agents" in after.basis
    catalog_install(organization=other.organization)
    theirs = other.organization.agents.select_related("endpoint").get(slug="gpt-4-1")
    assert estimate(replace(plan("gpt-4-1"), agents=(theirs,)), other.organization).calls == before.calls


def test_disk_use_is_estimated_from_the_average_reply_of_the_agent(launch, organization, plan):
    """Five calls a period, 5,000 tokens each: 20,000 bytes of encrypted thinking until the period ends."""
    finish(launch("gpt-5", periods=4), queries=20, input_tokens=40_000, output_tokens=20 * 5_000, seconds=60)
    found = estimate(plan("gpt-5", periods=4, seeds=tuple(range(32))), organization)
    assert found.calls == 32 * 20
    assert found.kept_bytes.expected == pytest.approx(32 * 20 * (1_500 + 5_000))
    assert found.open_bytes.expected == pytest.approx(16 * 5 * 20_000), "16 runs are played at the same time"
    assert found.as_json()["open_bytes"]["expected"] == 1_600_000


def test_only_chat_models_that_think_store_thinking_in_open_periods(organization, plan):
    survey = {"environments": ("patience_vs_impatience",), "difficulties": ("STANDARD",)}
    plans = (plan("gpt-5", **survey), plan("gpt-4-1"), plan("random"))
    found = [estimate(one, organization) for one in plans]
    assert [one.open_bytes.high for one in found] == [0, 0, 0]
    assert all(one.kept_bytes.low > 0 for one in found)


def test_the_estimating_code_mentions_no_environment():
    texts = [path.read_text(encoding="utf-8") for path in Path(runs.estimating.__file__).parent.glob("*.py")]
    assert len(texts) > 3 and not [name for name in ENVIRONMENTS if any(name in text for text in texts)]


def test_estimates_include_the_queue_at_the_call_limit_of_an_agent(plan, organization, agent):
    seeds = tuple(range(8))
    free = estimate(plan("gpt-5", seeds=seeds), organization).seconds
    one = estimate(plan("gpt-5"), organization).seconds
    assert free.expected == pytest.approx(one.expected), "all eight at once"
    agent_update(agent=agent("gpt-5"), calls_at_once=2)
    limited = estimate(plan("gpt-5", "gpt-4-1", seeds=seeds), organization).seconds
    assert limited.expected == pytest.approx(4 * one.expected)
