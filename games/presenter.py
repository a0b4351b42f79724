"""Building blocks of presenters: figures, chips and heat maps that shared templates render."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from environments.shocks import period_of
from infrastructure.text.formats import counted, dollars, percent
from infrastructure.text.tables import Table, text_table
from runs.models import Instance, Period, Run


@dataclass(frozen=True)
class KeyNumber:
    """A number with its name. `about`: the anchor of its paragraph in the methodology."""

    label: str
    value: str
    note: str = ""
    about: str = ""


@dataclass(frozen=True)
class Chip:
    text: str
    is_new: bool = False
    title: str = ""


@dataclass(frozen=True)
class HeatMap:
    """A square table of ranks as colours. Values are from 0 (best, darkest) to the number of columns minus 1."""

    caption: str
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PageSection:
    """Part of a page. Every field is optional. Each problem has its own line."""

    title: str
    sentence: str = ""
    problems: tuple[str, ...] = ()
    figures: tuple[KeyNumber, ...] = ()
    table: Table | None = None
    chips: tuple[Chip, ...] = ()
    heat: tuple[HeatMap, ...] = ()


NOT_COMPUTED = PageSection(
    "Optimum", "Not computed yet. It takes a while, so a worker computes it when the first run on this instance begins."
)


@dataclass(frozen=True)
class Jump:
    """An entry of the “Jump to” menu, which opens a period."""

    label: str
    index: int


@dataclass(frozen=True)
class Quality:
    """The quality of a period: its index, and its result as a share of the best possible one."""

    index: int
    value: float | None


def recovery_number(run: Run) -> KeyNumber | None:
    """The recovery of a run after its shock; None for runs without one."""
    if period_of(run.instance) is None:
        return None
    metrics = run.metrics or {}
    regained = metrics.get("periods_to_regain")
    note = f"back in {counted(regained, 'period,periods')}" if regained else "of the level before"
    return KeyNumber("Recovery", percent(metrics.get("recovery")), note, about="recovery")


def common_jumps(qualities: list[Quality]) -> list[Jump]:
    """Menu entries for the best, first optimal, worst, first and last period. Of equal periods the earliest is used."""
    values = [(quality.value, quality.index) for quality in qualities if quality.value is not None]
    jumps = []
    if values:
        jumps.append(Jump("Best", max(values, key=itemgetter(0))[1]))
        jumps += [Jump("First optimal", index) for value, index in values if value >= 1 - 1e-9][:1]
        jumps.append(Jump("Worst", min(values)[1]))
    if qualities:
        jumps += [Jump("First", qualities[0].index), Jump("Last", qualities[-1].index)]
    return jumps


class Presenter:
    """Content of the run page for an environment.

    This base class shows stored values; subclasses arrange them for their environment.

    chart_heights: height of the chart in pixels on a wide page and on a phone, reserved so that the layout does not shift
    plane_title: title of a second chart; empty if there is none
    instance_title: title of the figure of an instance
    """

    chart_title = "By period"
    plane_title = ""
    instance_title = "Hidden values"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        return 410, 448

    def facts(self, run: Run) -> list[str]:
        """A few words for the line under the title."""
        return []

    def figures(self, run: Run) -> list[KeyNumber]:
        """The two key figures; `run.metrics` is None until the run has ended."""
        last = "–" if run.last_quality is None else f"{run.last_quality * 100:.1f}"
        return [
            KeyNumber("Last period", last, "points", about="quality-of-a-period"),
            KeyNumber("Periods", str(run.periods_played), f"of {run.periods}"),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        return [_stored("Action", period.action), _stored("Result", period.result)]

    def learns(self, instance: Instance) -> list[PageSection]:
        """The values that an agent may learn from its tools."""
        return [_stored("Parameters", instance.parameters)]

    def truth(self, instance: Instance) -> list[PageSection]:
        """The hidden values that no agent learns, without the optimum."""
        return [_stored("Hidden", instance.hidden)]

    def optimum(self, instance: Instance) -> list[PageSection]:
        """The reference of scores and its proof. A costly reference is missing until a worker has stored it."""
        return [_stored("Reference", instance.reference)] if instance.reference else [NOT_COMPUTED]

    def hidden(self, instance: Instance) -> list[PageSection]:
        """All values that the run page lists as not shown to the agent."""
        return [*self.truth(instance), *self.optimum(instance)]

    def jumps(self, qualities: list[Quality]) -> list[Jump]:
        return common_jumps(qualities)


def _stored(title: str, values: Mapping[str, Any]) -> PageSection:
    rows = ((str(key), str(value)[:400]) for key, value in values.items())
    return PageSection(title, table=text_table(("Name", "Value"), rows, text_columns=2))


def price_moved(period: Period, before: Period | None, name: str) -> str:
    """A price of the period, with an arrow if it differs from the price in the previous period."""
    price = period.action[name]
    earlier = before.action.get(name, price) if before else price
    return dollars(price) if price == earlier else f"{'↑' if price > earlier else '↓'} {dollars(price)}"
