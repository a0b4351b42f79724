"""Guessing: the last guess and its distance to the hidden number."""

from games.presenter import KeyNumber, PageSection, Presenter
from runs.models import Instance, Period, Run


class GuessingPresenter(Presenter):
    chart_title = "Guesses by period"

    def facts(self, run: Run) -> list[str]:
        return [f"numbers up to {run.instance.parameters['highest']}"]

    def figures(self, run: Run) -> list[KeyNumber]:
        guesses = (run.metrics or {}).get("guesses", [])
        return [KeyNumber("Guesses", str(len(guesses))), KeyNumber("Last guess", str(guesses[-1]) if guesses else "–")]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        return [PageSection("Guess", f"{period.action['number']} is {period.result['answer']}.")]

    def truth(self, instance: Instance) -> list[PageSection]:
        return [PageSection("Hidden number", str(instance.hidden["number"]))]

    def optimum(self, instance: Instance) -> list[PageSection]:
        return []
