"""The figures at the top of an agent's page. Pure functions over what was read."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.agent_page.history import HistoryRow, cost_per_point
from analysis.agent_page.selectors import Totals
from environments.registry import BENCHMARKS, LITMUS_TESTS
from infrastructure.text.formats import DASH, counted, money, score
from runs.models import Agent
from runs.selectors.cells import environment_title
from stats.summaries import mean


@dataclass(frozen=True)
class Tile:
    label: str
    value: str
    note: str = ""


def tiles_of(agent: Agent, totals: Totals, history: Sequence[HistoryRow]) -> list[Tile]:
    """Finished runs, the mean in each environment, cost, and cost per point.

    A benchmark's mean is over the difficulties that were played, as on the leaderboard: under its usual conditions only.
    """
    usual = [row for row in history if row.conditions.is_usual]
    means = [_mean_tile(name, [row for row in usual if row.conditions.environment == name]) for name in BENCHMARKS]
    finished = Tile("Finished runs", f"{totals.finished:,}", f"of {totals.runs:,}")
    tiles = [finished, *filter(None, means), *filter(None, (_litmus_tile(test, history) for test in LITMUS_TESTS))]
    if agent.is_baseline:
        return [*tiles, Tile("Cost", "$0.00", "free")]
    if agent.is_outside:
        return [*tiles, Tile("Cost", DASH, "not known here")]
    per_point = cost_per_point([row.sums for row in usual if row.cost_is_known])
    return [*tiles, _cost_tile(agent, totals), Tile("Cost per point", per_point, "of a benchmark score")]


def _mean_tile(environment: str, rows: Sequence[HistoryRow]) -> Tile | None:
    if not rows:
        return None
    difficulties = ", ".join(dict.fromkeys(row.conditions.difficulty for row in rows))
    return Tile(environment_title(environment), score(mean([row.sums.mean for row in rows])), difficulties)


def _litmus_tile(test: str, history: Sequence[HistoryRow]) -> Tile | None:
    """The first row of a test under the main prompt, which is that of the papers where it was played."""
    rows = [row for row in history if row.conditions.environment == test and row.conditions.variant == "main"]
    if not rows:
        return None
    return Tile(environment_title(test), rows[0].form.text(rows[0].sums.mean), rows[0].form.label.lower())


def _cost_tile(agent: Agent, totals: Totals) -> Tile:
    if agent.imported:
        return Tile("Cost", DASH, "not in the log")
    if not agent.is_priced and totals.calls:
        return Tile("Cost", DASH, "no price known")
    thinking = f", {money(totals.thinking_nano)} for thinking" if totals.thinking_nano else ""
    return Tile("Cost", money(totals.cost_nano), counted(totals.calls, "call,calls") + thinking)
