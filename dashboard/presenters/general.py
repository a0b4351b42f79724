"""Presenter for environments without one of their own: actions, results and hidden values as stored."""

from __future__ import annotations

from dashboard.presenters.base import Figure, Jump, Quality, Raw, Section, common_jumps
from runs.models import Instance, Period, Run


class GeneralPresenter:
    chart_title = "By period"
    plane_title = ""

    def facts(self, run: Run) -> list[str]:
        return []

    def figures(self, run: Run) -> list[Figure]:
        last = "–" if run.last_quality is None else f"{run.last_quality * 100:.1f}"
        return [Figure("Last period", last, "points"), Figure("Periods", str(run.periods_played), f"of {run.periods}")]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]:
        return [Raw("Action", period.action).section(), Raw("Result", period.result).section()]

    def hidden(self, instance: Instance) -> list[Section]:
        return [Raw("Hidden", instance.hidden).section(), Raw("Reference", instance.reference or {}).section()]

    def jumps(self, qualities: list[Quality]) -> list[Jump]:
        return common_jumps(qualities)
