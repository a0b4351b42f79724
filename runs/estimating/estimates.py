"""The estimate of a launch: sizes of rehearsed queries, corrected by the agents' past runs or by usual values."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

from accounts.models import Organization
from accounts.services.headers import endpoint_has_secret_header
from agents.prices import CHEAPER
from infrastructure.money import NANO
from infrastructure.text.formats import counted
from runs.engine.survey import QUERIES_AT_ONCE
from runs.estimating.dry import EstimatedRange, GameSetup, Length, game_length, settings_text
from runs.estimating.forecasts import Forecast, History, Key, histories, seat_forecast, sum_of
from runs.estimating.spread import Part, why_wide
from runs.launching.checks import batch_error, flex_error
from runs.launching.plan import LaunchPlan
from runs.launching.prices import PriceChange, price_changes
from runs.models import Agent

RUNS_AT_ONCE = 16
BATCH_SECONDS = EstimatedRange(600, 3600, 24 * 3600)
"""Duration of a batch in seconds. The makers guarantee only the highest value."""


@dataclass(frozen=True)
class Estimate:
    """The estimate of a launch. `cost_nano` is None if an agent has no price; `basis` says what the figures are based on,
    `why_wide` what makes the range of the cost wide; empty if it is not.

    by_batch_nano, by_flex_nano: the cost by batch and by flex; None if the launch cannot use them
    by_call_nano: the cost by usual calls; None if there is no other way
    kept_bytes, open_bytes: disk space as in Forecast; open_bytes only of the runs that are played at the same time
    """

    runs: int
    periods: int
    calls: int
    input_tokens: EstimatedRange
    output_tokens: EstimatedRange
    cost_nano: EstimatedRange | None
    by_batch_nano: EstimatedRange | None
    by_flex_nano: EstimatedRange | None
    by_call_nano: EstimatedRange | None
    seconds: EstimatedRange
    kept_bytes: EstimatedRange
    open_bytes: EstimatedRange
    basis: str
    why_wide: str
    unpriced: list[str]
    price_changes: list[PriceChange]
    missing_keys: list[str]
    skipped: int

    def as_json(self) -> dict[str, Any]:
        """The estimate as JSON, as the command and the API print it. Also stored with the experiment."""
        return {
            "runs": self.runs,
            "periods": self.periods,
            "calls": self.calls,
            "input_tokens": round(self.input_tokens.expected),
            "output_tokens": round(self.output_tokens.expected),
            "input_tokens_range": _rounded(self.input_tokens, 0),
            "output_tokens_range": _rounded(self.output_tokens, 0),
            "cost_usd": _dollars(self.cost_nano),
            "cost_usd_by_batch": _dollars(self.by_batch_nano),
            "cost_usd_by_flex": _dollars(self.by_flex_nano),
            "cost_usd_by_call": _dollars(self.by_call_nano),
            "seconds": _rounded(self.seconds, 1),
            "kept_bytes": _rounded(self.kept_bytes, 0),
            "open_bytes": _rounded(self.open_bytes, 0),
            "basis": self.basis,
            "why_wide": self.why_wide,
            "price_changes": [change.sentence for change in self.price_changes],
        }


@dataclass(frozen=True)
class _Kind:
    """The runs of an agent in one game on all seeds. They share one forecast."""

    agent: Agent
    game: GameSetup
    length: Length
    runs: int


def estimate(plan: LaunchPlan, organization: Organization) -> Estimate:
    kinds = _kinds(plan)
    players = [*plan.agents, *([plan.rival] if plan.rival else [])]
    measured = histories(organization, players, {kind.game for kind in kinds}, plan.seeds[0])
    forecasts = [_forecast(kind, plan, measured) for kind in kinds]
    total = sum_of(forecast.times(kind.runs) for kind, forecast in zip(kinds, forecasts, strict=True))
    models = {agent: None for kind in kinds for agent in _players(kind, plan) if not agent.is_baseline}
    unpriced = [agent.name for agent in models if not agent.is_priced]
    by_call = None if unpriced else total.cost_nano
    halved = by_call and by_call.times(1 / CHEAPER)
    by_batch = None if batch_error(plan.environments, plan.agents) else halved
    by_flex = None if flex_error(plan.agents, plan.rival, batch=False) else halved
    at_once = min(RUNS_AT_ONCE, len(plan.runs))
    return Estimate(
        runs=len(plan.runs),
        periods=sum(kind.runs * kind.length.periods for kind in kinds),
        calls=round(total.calls.expected),
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost_nano=halved if plan.batch or plan.flex else by_call,
        by_batch_nano=by_batch,
        by_flex_nano=by_flex,
        by_call_nano=by_call if by_batch or by_flex else None,
        seconds=BATCH_SECONDS if plan.batch else _seconds(kinds, forecasts, total.seconds.times(1 / at_once)),
        kept_bytes=total.kept_bytes,
        open_bytes=total.open_bytes.times(at_once / len(plan.runs)),
        basis=_basis(list(models), kinds, measured),
        why_wide="" if unpriced else why_wide(_parts(kinds, forecasts, measured)),
        unpriced=unpriced,
        price_changes=price_changes(models),
        missing_keys=[agent.name for agent in models if lacks_key(agent, organization)],
        skipped=plan.repeats
        * prod(map(len, (plan.environments, plan.difficulties, plan.seeds, plan.agents, plan.variants)))
        - len(plan.runs),
    )


def _seconds(kinds: list[_Kind], forecasts: list[Forecast], shared: EstimatedRange) -> EstimatedRange:
    """The time of a launch, at least that of its slowest run, because the periods of a run are sequential.

    shared: the total time of all runs, divided by the number of runs that are played at the same time
    """
    return reduce(
        EstimatedRange.largest, (*(forecast.seconds for forecast in forecasts), *_queues(kinds, forecasts)), shared
    )


def _kinds(plan: LaunchPlan) -> list[_Kind]:
    alike = Counter((run.agent, run.environment, run.difficulty, run.variant) for run in plan.runs)
    kinds = []
    for (agent, environment, difficulty, variant), number in alike.items():
        settings = settings_text(difficulty, plan.settings_of(environment, difficulty))
        own = plan.prompts.get((environment, variant))
        game = GameSetup(
            *(environment, difficulty, plan.seeds[0], plan.generator, settings, variant),
            reasoning=plan.reasoning_for(agent, variant),
            prompts=own.prompt_set if own else None,
        )
        kinds.append(_Kind(agent, game, game_length(game, plan.periods), number))
    return kinds


def lacks_key(agent: Agent, organization: Organization) -> bool:
    """Whether an LLM agent lacks an API key. Local servers (plain http) and endpoints with secret headers may need none."""
    endpoint = agent.endpoint
    if agent.is_baseline or endpoint is None or endpoint.has_key or endpoint.base_url.startswith("http://"):
        return False
    if endpoint.base_url and endpoint_has_secret_header(endpoint):
        return False
    endpoint.organization = organization
    return not os.environ.get(endpoint.environment_variable)


def _players(kind: _Kind, plan: LaunchPlan) -> list[Agent]:
    """The agent in each seat, as in Run.agent_in."""
    return [plan.rival or kind.agent if index else kind.agent for index, _ in enumerate(kind.length.seats)]


def _forecast(kind: _Kind, plan: LaunchPlan, measured: Mapping[Key, History]) -> Forecast:
    """The forecast of one run. Seats are played one after the other, so their times add up."""
    return sum_of(
        seat_forecast(agent, kind.game, kind.length, seat, measured.get((agent.pk, kind.game.environment)))
        for seat, agent in zip(kind.length.seats, _players(kind, plan), strict=True)
    )


def _queues(kinds: list[_Kind], forecasts: list[Forecast]) -> Iterable[EstimatedRange]:
    """For each agent with a limit of calls at once, the total time of its runs if they wait for each other."""
    for agent in {kind.agent for kind in kinds if kind.agent.calls_at_once}:
        seconds = EstimatedRange(0, 0, 0)
        for kind, forecast in zip(kinds, forecasts, strict=True):
            if kind.agent == agent:
                # A survey sends many queries at once, so one run of it takes many of the places.
                places = (agent.calls_at_once or 1) / (1 if kind.length.queries_wait else QUERIES_AT_ONCE)
                seconds += forecast.seconds.times(kind.runs / max(1, places))
        yield seconds


def _parts(kinds: list[_Kind], forecasts: list[Forecast], measured: Mapping[Key, History]) -> list[Part]:
    """The cost of each agent in each environment, on all difficulties and variants. A rival's cost is its opponent's part."""
    costs: dict[tuple[Agent, str], EstimatedRange] = {}
    for kind, forecast in zip(kinds, forecasts, strict=True):
        key = (kind.agent, kind.game.environment)
        costs[key] = costs.get(key, EstimatedRange(0, 0, 0)) + forecast.cost_nano.times(kind.runs)
    return [
        Part(
            agent.name, environment, cost,
            earlier=history.runs if (history := measured.get((agent.pk, environment))) else 0,
            has_effort=not agent.reasoning or bool(agent.reasoning_effort),
        )
        for (agent, environment), cost in costs.items()
    ]  # fmt: skip


def _basis(models: list[Agent], kinds: list[_Kind], measured: Mapping[Key, History]) -> str:
    if not models:
        return "Baselines call no model and cost nothing."
    environments = {kind.game.environment for kind in kinds}
    known_histories = [
        measured[agent.pk, name] for agent in models for name in environments if (agent.pk, name) in measured
    ]
    dry = "Prompts, data and histories are measured by playing the games without a model"
    if not known_histories:
        usual = f"{dry}; replies and times are what is usual for such models."
        bounds = " Expected: one query of a period reads all data. High: each tool takes a query of its own."
        return usual + (bounds if any(kind.length.queries_wait for kind in kinds) else "")
    runs = counted(sum(history.runs for history in known_histories), "finished run,finished runs")
    are_all_known = len(known_histories) == len(models) * len(environments)
    whose = "of these agents" if are_all_known else "where these agents have played before"
    return f"{dry}, and corrected by {runs} {whose}."


def _dollars(nano: EstimatedRange | None) -> dict[str, float] | None:
    return None if nano is None else _rounded(nano.times(1 / NANO), 6)


def _rounded(spread: EstimatedRange, digits: int) -> dict[str, float]:
    return {name: round(value, digits or None) for name, value in vars(spread).items()}
