"""Guessing: the last guess and its distance to the hidden number."""

from dashboard.presenters.base import Figure, Jump, Quality, Section, common_jumps
from runs.models import Instance, Period, Run


class GuessingPresenter:
    chart_title = "Guesses by period"
    plane_title = ""

    def facts(self, run: Run) -> list[str]:
        return [f"numbers up to {run.instance.parameters['highest']}"]

    def figures(self, run: Run) -> list[Figure]:
        guesses = (run.metrics or {}).get("guesses", [])
        return [Figure("Guesses", str(len(guesses))), Figure("Last guess", str(guesses[-1]) if guesses else "–")]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]:
        return [Section("Guess", f"{period.action['number']} is {period.result['answer']}.")]

    def hidden(self, instance: Instance) -> list[Section]:
        return [Section("Hidden number", str(instance.hidden["number"]))]

    def jumps(self, qualities: list[Quality]) -> list[Jump]:
        return common_jumps(qualities)
