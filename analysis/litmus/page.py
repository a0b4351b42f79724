"""What is beside the litmus table: choices of the charts, and small tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.base.links import BoardLinks
from analysis.benchmark.published import patience_rates
from analysis.figures.colours import AgentStyle
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus.charts import Standing, latest, name_scores, pareto_runs, standings
from analysis.litmus.filters import LitmusFilter
from analysis.litmus.name_tests import TestLine, test_lines
from analysis.records import RunRecord
from environments.registry import GENERATION
from infrastructure.text.formats import percent, share


@dataclass(frozen=True)
class Choice:
    label: str
    query: str
    chosen: bool


@dataclass(frozen=True)
class RateRow:
    """An agent's (rate, reliability) at each horizon as text. Published rows are table 5 of the paper."""

    agent: str
    is_published: bool
    cells: list[tuple[str, str]]


@dataclass(frozen=True)
class LitmusPage:
    """seeds, curves: choices of the Pareto chart and of the choice curves; empty without runs"""

    seeds: list[Choice]
    instance: str
    standings: list[Standing]
    curves: list[Choice]
    rates: list[RateRow]
    horizons: list[str]
    names: int
    tests: list[TestLine]
    markets: int


def page_of(
    records: Sequence[RunRecord], patience: Sequence[RunRecord], litmus_filter: LitmusFilter, links: BoardLinks
) -> LitmusPage:
    """`records` are all runs with the metrics of the Pareto chart, `patience` those with curves and names."""
    everything = pareto_runs(records)
    seeds = sorted({run.seed for run in everything})
    chosen = litmus_filter.seed if litmus_filter.seed in seeds else None
    choices: list[tuple[str, object, bool]] = []
    if len(seeds) > 1:
        choices.append((f"all {len(seeds)} instances", "", chosen is None))
    choices += [(f"seed {seed}", seed, seed == chosen or len(seeds) == 1) for seed in seeds]
    with_curves = list(latest(patience, "patience").values())
    shown = next((run.agent_slug for run in with_curves if run.agent_slug == litmus_filter.agent), "")
    styles = {run.agent_id: AgentStyle("", "") for run in patience}
    named = name_scores(patience, styles, str)
    labels = _horizon_labels()
    return LitmusPage(
        seeds=[Choice(label, links.query(seed=seed), is_chosen) for label, seed, is_chosen in choices],
        instance=next((label for label, _, is_chosen in choices if is_chosen), ""),
        standings=standings(pareto_runs(records, chosen)),
        curves=[
            Choice(
                run.agent_name,
                links.query(agent=run.agent_slug),
                run.agent_slug == shown or (not shown and place == 0),
            )
            for place, run in enumerate(with_curves)
        ],
        rates=_rates(with_curves, labels, litmus_filter.shows_published),
        horizons=labels,
        names=len(named),
        tests=test_lines(named),
        markets=sum((run.environment, run.variant) == LITMUS_CHARTS["markets"] and run.is_scored for run in records),
    )


def _horizon_labels() -> list[str]:
    build = GENERATION[LITMUS_CHARTS["patience"][0]]
    parameters, _ = build.build(dict(build.difficulties["STANDARD"]), 0, "published")
    return [horizon["label"] for horizon in parameters["horizons"]]


def _rates(runs: Sequence[RunRecord], labels: Sequence[str], with_published: bool) -> list[RateRow]:
    """Own rows, then the rows of the paper's table 5."""
    rows = []
    for run in runs:
        measured = run.metrics.get("by_horizon") or {}
        rows.append(RateRow(run.agent_name, False, [_rate_cell(measured.get(label) or {}) for label in labels]))
    printed: dict[str, dict[str, tuple[str, str]]] = {}
    for score in patience_rates() if with_published else ():
        printed.setdefault(score.llm, {})[score.horizon] = (percent(score.rate), share(score.reliability))
    rows += [RateRow(llm, True, [cells.get(label, ("–", "")) for label in labels]) for llm, cells in printed.items()]
    return rows


def _rate_cell(measured: dict[str, object]) -> tuple[str, str]:
    reliability = measured.get("reliability")
    if not isinstance(reliability, int | float):
        return "–", ""
    rate = measured.get("rate")
    return (percent(rate) if isinstance(rate, int | float) else str(measured.get("bound") or "no rate")), share(
        reliability
    )
