"""Differences between runs of one instance, and the result of their comparison in words. Pure functions."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Any

from environments.base import Outcome
from environments.declarations import POINTS, ScoreFormat
from environments.registry import LITMUS_TESTS, score_format
from infrastructure.text.formats import counted
from infrastructure.text.tables import Table, typed
from runs.models import Run
from runs.selectors.state_words import state_words

Actions = Mapping[int, Any]
"""What a run played, by period."""


@dataclass(frozen=True)
class Parting:
    """The periods in which runs differ.

    compared: the number of periods that at least two of the runs played
    parted: those periods in which not all of these runs took the same action, in order
    """

    compared: int
    parted: tuple[int, ...]

    @property
    def first(self) -> int | None:
        return self.parted[0] if self.parted else None


def parting(runs: Sequence[Actions]) -> Parting:
    """Find the periods in which runs differ.

    Equal numbers such as 20 and 20.0 are the same, and the order of keys does not count.
    """
    parted, compared = [], 0
    for period in sorted({period for actions in runs for period in actions}):
        period_actions = [actions[period] for actions in runs if period in actions]
        compared += len(period_actions) > 1
        if any(action != period_actions[0] for action in period_actions):
            parted.append(period)
    return Parting(compared, tuple(parted))


EQUAL = 1e-9
"""Scores that differ by less count as equal, since the difference may be a rounding error."""


def player(run: Run) -> str:
    return f"{run.agent.name} against {run.rival.name}" if run.rival else run.agent.name


def run_label(run: Run) -> str:
    """'GPT-5 (run 12)'"""
    return f"{player(run)} (run {run.pk})"


def answer(runs: Sequence[Run]) -> str:
    """A sentence on which run scored highest, and by how much."""
    environment = runs[0].instance.environment
    if environment in LITMUS_TESTS and len({run.variant for run in runs}) > 1:
        return "Their prompts differ, so their scores measure different things."
    scored = sorted(
        (run for run in runs if run.is_finished and run.score is not None), key=lambda run: -(run.score or 0.0)
    )
    if not scored:
        return "None of these runs has a score yet."
    form = score_format(environment, runs[0].variant)
    label = form.label.lower()
    if len(scored) == 1:
        return f"Only {run_label(scored[0])} has a score: {form.text(scored[0].score)}."
    equals = [run for run in scored if isclose(run.score or 0.0, scored[0].score or 0.0, abs_tol=EQUAL)]
    form = _distinguishing_format(form, [run.score or 0.0 for run in scored[: len(equals) + 1]])
    best = form.text(scored[0].score)
    if len(equals) == len(scored):
        some = "" if len(scored) == len(runs) else " that have a score"
        return f"{'Both' if len(scored) == 2 else f'All {len(scored)}'} runs{some} have the same {label}: {best}."
    next_best = scored[len(equals)]
    more = f"{_difference(form, scored[0], next_best)} more than {run_label(next_best)}"
    if len(equals) > 1:
        return f"{' and '.join(map(run_label, equals))} share the highest {label}: {best}, {more}."
    return f"{run_label(scored[0])} has the highest {label}: {best}, {more}."


def _distinguishing_format(form: ScoreFormat, scores: Sequence[float]) -> ScoreFormat:
    """The format with enough digits to show that the highest score is above the lowest."""
    while form.text(scores[0]) == form.text(scores[-1]) and not isclose(scores[0], scores[-1], abs_tol=EQUAL):
        form = replace(form, digits=form.digits + 1)
    return form


def _difference(form: ScoreFormat, better: Run, worse: Run) -> str:
    """'10.9 points', '2.2 percentage points', '0.85'"""
    text = form.text((better.score or 0.0) - (worse.score or 0.0)).removesuffix(form.unit)
    if "%" in form.unit:
        return f"{text} percentage points"
    return f"{text} points" if form.factor == POINTS.factor else text


def parted(parting: Parting) -> str:
    """A sentence on where the runs first differ."""
    periods = counted(parting.compared, "period,periods")
    if not parting.compared:
        return "No period has been played by two of them yet."
    if parting.first is None:
        return f"They play the same in all {periods} that they have in common."
    number = len(parting.parted)
    how_often = f"all {periods}" if number == parting.compared else f"{number:,} of {periods}"
    return f"They first part in period {parting.first} and differ in {how_often}."


def cautions(runs: Sequence[Run]) -> list[str]:
    """Sentences that a reader must know before comparing the scores."""
    sentences = []
    if len({run.periods for run in runs}) > 1:
        lengths = ", ".join(f"{run.periods:,}" for run in sorted(runs, key=lambda run: run.periods))
        sentences.append(f"The runs differ in length ({lengths} periods), so their scores do not compare directly.")
    if len({run.variant for run in runs}) > 1:
        sentences.append("The runs differ in their prompts.")
    for run in runs:
        if not run.is_finished:
            state = state_words(run.state, run.pause_cause, run.reason).lower()
            sentences.append(
                f"Run {run.pk} is {state} after {run.periods_played} of {run.periods} periods and has no score."
                if run.score is None
                else f"Run {run.pk} is {state}."
            )
    return sentences


def periods_table(runs: Iterable[Run], outcomes: Mapping[int, Sequence[Outcome]], parting: Parting) -> Table:
    """One row for each period of each run. The quality is an unrounded share; action and result are JSON."""
    columns = [
        *typed(int, "run"), *typed(str, "agent", "variant"), *typed(int, "period"), *typed(bool, "runs_differ"),
        *typed(float, "quality"), *typed(str, "action", "result"),
    ]  # fmt: skip
    differing = set(parting.parted)
    rows = [
        (
            run.pk, player(run), run.variant, outcome.period, outcome.period in differing, outcome.quality,
            json.dumps(outcome.action), json.dumps(outcome.result),
        )
        for run in runs
        for outcome in outcomes[run.pk]
    ]  # fmt: skip
    return Table("Periods of the compared runs", columns, rows)
