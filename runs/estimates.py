"""What a launch will take, before anything starts: calls, tokens, dollars, time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Avg, Count, F

from accounts.models import Organization
from agents.llm import Usage
from runs.launching import LaunchPlan, PlannedRun, periods_of, plan_runs
from runs.models import Agent, Run, RunState

QUERIES_PER_PERIOD = {"patience_vs_impatience": 20.0}
DEFAULT_QUERIES = 5.0
"""Model queries a period where nothing was measured yet: read data, read notes, write notes, act."""

TOKENS_PER_QUERY = {
    ("procurement", "BASIC"): 6_000,
    ("procurement", "MEDIUM"): 14_000,
    ("procurement", "HARD"): 45_000,
    ("scheduling", "BASIC"): 6_000,
    ("scheduling", "MEDIUM"): 12_000,
    ("scheduling", "HARD"): 35_000,
    ("pricing", "BASIC"): 3_500,
    ("pricing", "MEDIUM"): 6_500,
    ("pricing", "HARD"): 12_000,
    ("efficiency_vs_equality", "STANDARD"): 4_000,
    ("collusiveness_vs_competitiveness", "STANDARD"): 7_000,
    ("patience_vs_impatience", "STANDARD"): 200,
}
"""Input tokens of a query, averaged over 100 periods of growing history; four characters a token."""

DEFAULT_TOKENS = 15_000
OUTPUT_PER_QUERY = 350
REASONING_OUTPUT_PER_QUERY = 2_000
CACHED_SHARE = 0.6
SECONDS_PER_QUERY = 6.0
REASONING_SECONDS_PER_QUERY = 20.0
BASELINE_SECONDS_PER_PERIOD = 0.03
RUNS_AT_ONCE = 16


@dataclass(frozen=True)
class Estimate:
    """`cost_nano` is None where an agent has no price; `basis` says where the figures come from."""

    runs: int
    periods: int
    queries: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_nano: int | None
    seconds: float
    basis: str
    unpriced: list[str]
    missing_keys: list[str]
    skipped: int


@dataclass(frozen=True)
class _PerPeriod:
    queries: float
    input: float
    cached: float
    output: float
    seconds: float


Kind = tuple[int, str, str]
"""Agent, environment, difficulty."""


def estimate(plan: LaunchPlan, organization: Organization) -> Estimate:
    """Estimate a plan from the organization's own finished runs where there are any. Raises LaunchError."""
    runs = plan_runs(plan)
    agents = {agent.id: agent for agent in plan.agents}
    periods_by_kind: Counter[Kind] = Counter()
    for run in runs:
        kind = (run.agent.id, run.environment, run.difficulty)
        periods_by_kind[kind] += periods_of(plan, run.environment, run.variant)
    measured, measured_runs = _measured(organization, list(agents))
    queries = input_tokens = cached = output = seconds = 0.0
    cost = 0
    for kind, periods in periods_by_kind.items():
        agent = agents[kind[0]]
        per_period = measured.get(kind) or _assumed(agent, kind)
        seconds += periods * per_period.seconds
        if agent.is_baseline:
            continue
        queries += periods * per_period.queries
        input_tokens += periods * per_period.input
        cached += periods * per_period.cached
        output += periods * per_period.output
        cost += agent.cost_nano(
            Usage(
                input_tokens=round(periods * per_period.input),
                cached_tokens=round(periods * per_period.cached),
                output_tokens=round(periods * per_period.output),
            )
        )
    unpriced = [agent.name for agent in plan.agents if not agent.is_baseline and not agent.is_priced]
    return Estimate(
        runs=len(runs),
        periods=periods_by_kind.total(),
        queries=round(queries),
        input_tokens=round(input_tokens),
        cached_tokens=round(cached),
        output_tokens=round(output),
        cost_nano=None if unpriced else cost,
        seconds=max(seconds / min(RUNS_AT_ONCE, len(runs)), _longest(runs, plan, measured)),
        basis=_basis(measured_runs, any(not agent.is_baseline for agent in plan.agents)),
        unpriced=unpriced,
        missing_keys=[agent.name for agent in plan.agents if lacks_key(agent, organization)],
        skipped=_all_pairs(plan) - len(runs),
    )


def lacks_key(agent: Agent, organization: Organization) -> bool:
    """Whether an LLM agent cannot be called for want of a key. Plain http is a server of one's own, which may need none."""
    endpoint = agent.endpoint
    if agent.is_baseline or endpoint is None or endpoint.has_key or endpoint.base_url.startswith("http://"):
        return False
    endpoint.organization = organization
    return not os.environ.get(endpoint.environment_variable)


def _measured(organization: Organization, agent_ids: list[int]) -> tuple[Mapping[Kind, _PerPeriod], int]:
    rows = (
        Run.objects.filter(
            organization=organization,
            agent__in=agent_ids,
            state=RunState.FINISHED,
            periods_played__gt=0,
            started_at__isnull=False,
        )
        .values("agent", "instance__environment", "instance__difficulty")
        .annotate(
            number=Count("id"),
            periods=Avg("periods_played"),
            mean_queries=Avg("queries"),
            mean_input=Avg("input_tokens"),
            mean_cached=Avg("cached_tokens"),
            mean_output=Avg("output_tokens"),
            span=Avg(F("ended_at") - F("started_at")),
        )
    )
    found: dict[Kind, _PerPeriod] = {}
    total = 0
    for row in rows:
        n = row["periods"]
        seconds = row["span"].total_seconds() / n if row["span"] else 0.0
        found[row["agent"], row["instance__environment"], row["instance__difficulty"]] = _PerPeriod(
            row["mean_queries"] / n, row["mean_input"] / n, row["mean_cached"] / n, row["mean_output"] / n, seconds
        )
        total += row["number"]
    return found, total


def _assumed(agent: Agent, kind: Kind) -> _PerPeriod:
    if agent.is_baseline:
        return _PerPeriod(0, 0, 0, 0, BASELINE_SECONDS_PER_PERIOD)
    queries = QUERIES_PER_PERIOD.get(kind[1], DEFAULT_QUERIES)
    tokens = TOKENS_PER_QUERY.get(kind[1:], DEFAULT_TOKENS) * queries
    output = REASONING_OUTPUT_PER_QUERY if agent.reasoning else OUTPUT_PER_QUERY
    seconds = REASONING_SECONDS_PER_QUERY if agent.reasoning else SECONDS_PER_QUERY
    return _PerPeriod(queries, tokens, tokens * CACHED_SHARE, output * queries, seconds * DEFAULT_QUERIES)


def _longest(runs: list[PlannedRun], plan: LaunchPlan, measured: Mapping[Kind, _PerPeriod]) -> float:
    """Runs are played one period after another, so nothing ends before the slowest single run."""
    games = {(run.agent.id, run.environment, run.difficulty, run.variant): run.agent for run in runs}
    return max(
        periods_of(plan, environment, variant)
        * (measured.get((id_, environment, difficulty)) or _assumed(agent, (id_, environment, difficulty))).seconds
        for (id_, environment, difficulty, variant), agent in games.items()
    )


def _basis(measured_runs: int, has_llm: bool) -> str:
    if measured_runs:
        return f"Estimated from {measured_runs:,} finished {'run' if measured_runs == 1 else 'runs'} of these agents."
    if has_llm:
        return "Estimated from typical prompt lengths; no run of these agents has finished yet."
    return "Baselines call no model and cost nothing."


def _all_pairs(plan: LaunchPlan) -> int:
    return len(plan.environments) * len(plan.difficulties) * len(plan.seeds) * len(plan.agents) * len(plan.variants)
