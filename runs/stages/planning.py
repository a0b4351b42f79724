"""The plan of a comparison at launch: the seeds that detect a difference of two agents, their cost, and useful stages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from accounts.models import Organization
from environments.generation import MAX_SEEDS
from environments.registry import ENVIRONMENTS, LITMUS_TESTS
from infrastructure.text.formats import counted, money
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchError, LaunchPlan, format_seeds, plays
from runs.stages.selectors import MeasuredScores, measured_scores
from runs.stages.words import advice
from stats.designs.planning import PAIRS_FROM, Spread, instances_needed, spread_of
from stats.designs.sequential import sensible_sizes

REPEATS = (1, 2, 3)
"""Numbers of runs on each instance for which the plan counts seeds and runs."""


@dataclass(frozen=True)
class ComparisonPlan:
    """What the launch form, the API and `estimate` say about a comparison of two agents.

    answer: the number of seeds that detect the planned difference, and their cost; empty if no difference is planned
    basis: the data on which the answer is based
    seeds: seeds to choose instead, as text; empty if the chosen ones are enough, or if the number is unknown
    advice: a problem of the chosen stages; stages: stages to choose instead, empty if there is no problem
    """

    answer: str = ""
    basis: str = ""
    needed: int | None = None
    seeds: str = ""
    advice: str = ""
    stages: str = ""


def comparison_plan(plan: LaunchPlan, organization: Organization) -> ComparisonPlan | None:
    """The plan of a comparison. None if the launch does not compare two agents.

    A comparison has exactly two agents that play all of its environments, one variant, and no litmus test.
    """
    if len(plan.agents) != 2 or len(plan.variants) != 1 or set(plan.environments) & set(LITMUS_TESTS):
        return None
    if not all(plays(agent, name) for agent in plan.agents for name in plan.environments):
        return None
    warning = advice(plan.stages, plan.cells) if plan.stages else ""
    better = sensible_sizes(len(plan.seeds), plan.cells) if warning or not plan.stages else []
    comparison = ComparisonPlan(advice=warning, stages=", ".join(map(str, better)))
    return comparison if plan.points is None else _with_seeds(comparison, plan, plan.points, organization)


def _with_seeds(
    comparison: ComparisonPlan, plan: LaunchPlan, points: float, organization: Organization
) -> ComparisonPlan:
    first, second = plan.agents
    aim = f"To tell {first.name} from {second.name} by {points:g} {'point' if points == 1 else 'points'}"
    scores = measured_scores(organization=organization, plan=plan)
    spreads = {cell: _spread(measured, plan, plan.repeats) for cell, measured in scores.items()}
    known_spreads = [spread for spread in spreads.values() if spread is not None]
    if unknown := [_cell_words(*cell) for cell, spread in spreads.items() if spread is None]:
        return replace(
            comparison,
            answer=f"How many seeds this takes is not known yet: too few runs have finished on {', '.join(unknown)}. "
            f"Play {PAIRS_FROM} seeds with both agents first.",
        )
    basis = _basis(spreads, points) + _repeats(scores, plan, points)
    instances = instances_needed([spread.points for spread in known_spreads], points)
    if instances is None:
        too_many = f"{aim} takes more seeds than one experiment holds ({MAX_SEEDS:,})."
        equal = "All differences measured so far are equal, so no number of seeds can be computed."
        is_spread = any(spread.points > 1e-9 for spread in known_spreads)
        return replace(comparison, answer=too_many if is_spread else equal, basis=basis)
    needed = math.ceil(instances / len(scores))
    each = f" in each of {len(scores)} environments and difficulties" if len(scores) > 1 else ""
    runs_each = f" with {plan.repeats} runs on each instance" if plan.repeats > 1 else ""
    answer = f"{aim} takes {counted(needed, 'seed,seeds')}{each}{runs_each}"
    if needed > MAX_SEEDS:
        return replace(comparison, answer=f"{answer}, more than one experiment holds ({MAX_SEEDS:,}).", basis=basis)
    seeds = tuple(range(plan.seeds[0], plan.seeds[0] + needed))
    answer += _price(plan, seeds, organization)
    if needed <= len(plan.seeds):
        answer += f" The {len(plan.seeds)} chosen seeds are enough."
        return replace(comparison, answer=answer, basis=basis, needed=needed)
    return replace(comparison, answer=answer, basis=basis, needed=needed, seeds=format_seeds(seeds))


def _price(plan: LaunchPlan, seeds: tuple[int, ...], organization: Organization) -> str:
    try:
        whole = estimate(replace(plan, seeds=seeds, stages=()), organization)
    except LaunchError as error:
        return f". {error}"
    runs = counted(whole.runs, "run,runs")
    if whole.cost_nano is None:
        return f": {runs}, at a price that is not known."
    cost = round(whole.cost_nano.expected)
    return f": {runs}, about {money(cost)}." if cost else f": {runs}, which cost nothing."


def _basis(spreads: dict[tuple[str, str], Spread | None], points: float) -> str:
    """The basis in words: 'With 80 % power at the 5 % level. The standard deviation of a difference is 11.2 points ...'"""
    measured = [(cell, spread) for cell, spread in spreads.items() if spread is not None]
    parts = [
        f"{spread.points:.1f} points{f' on {_cell_words(*cell)}' if len(measured) > 1 else ''}"
        f"{_interval_words(spread)}, from {spread.basis}"
        for cell, spread in measured
    ]
    basis = f"With 80 % power at the 5 % level. The standard deviation of a difference is {'; '.join(parts)}."
    intervals = [spread.interval for _, spread in measured if spread.interval]
    if len(intervals) < len(measured):
        return basis
    few, many = (instances_needed([interval[end] for interval in intervals], points) for end in (0, 1))
    if few is None or many is None or few == many:
        return basis
    ends = [f"{math.ceil(number / len(spreads)):,}" for number in (few, many)]
    return f"{basis} With the ends of the interval the answer is {ends[0]} and {ends[1]} seeds."


def _interval_words(spread: Spread) -> str:
    if spread.interval is None:
        return ", computed for these repeats"
    return f" (95 % interval {spread.interval[0]:.1f} to {spread.interval[1]:.1f})"


def _spread(measured: MeasuredScores, plan: LaunchPlan, repeats: int) -> Spread | None:
    """The spread of a difference with so many runs on each instance. Repeats change nothing if none were measured."""
    spread = spread_of(measured.scores, *(agent.pk for agent in plan.agents))
    return spread and (spread if measured.run is None else spread.with_repeats(repeats, measured.run, measured.left))


def _repeats(scores: Mapping[tuple[str, str], MeasuredScores], plan: LaunchPlan, points: float) -> str:
    """Whether more seeds or more runs on each: the seeds and runs that some numbers of repeats take."""
    if any(measured.run is None for measured in scores.values()):
        alike = " No agent has several runs on one instance yet, so repeats are counted as if they changed nothing."
        return alike if plan.repeats > 1 else ""
    needed = {}
    for repeats in REPEATS:
        spreads = [spread for measured in scores.values() if (spread := _spread(measured, plan, repeats))]
        instances = instances_needed([spread.points for spread in spreads], points)
        if instances is None:
            return ""
        needed[repeats] = math.ceil(instances / len(scores))
    options = [
        f"{repeats} on each: {counted(seeds, 'seed,seeds')}, {2 * repeats * seeds * len(scores):,} runs"
        for repeats, seeds in needed.items()
    ]
    return f" More seeds or more runs? {'; '.join(options)}."


def _cell_words(environment: str, difficulty: str) -> str:
    return f"{ENVIRONMENTS[environment].title.lower()} {difficulty}"


def stage_runs(plan: LaunchPlan) -> Sequence[int]:
    """The number of runs after each stage."""
    return [size * plan.cells * len(plan.agents) * plan.repeats for size in plan.stages]
