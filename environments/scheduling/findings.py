"""Rules of findings about scheduling runs."""

from collections.abc import Hashable, Iterator

from environments import shared_findings
from environments.base import Outcome
from environments.changes.rules import STRATEGY_CHANGED, Course, Series, changed_course, early_change_of_course
from environments.findings import Finding, FinishedRun, Rule, counted, name, need, number
from environments.shocks import period_of

REPORTED = 15
"""Minimum number of different assignments answered with the same blocking pair. On the published instances, Knuth's rule
and random assignments reach at most 10.
"""

WORSE = 0.05
"""Minimum difference in score by which the final assignment is worse than the best one: five points."""

MOVED_STEP = 0.2
"""Smallest meaningful difference, as a share of the workers."""


def _assignment(outcome: Outcome) -> Hashable:
    return frozenset(outcome.action.items())


def _level(outcome: Outcome) -> str:
    return f"with {counted(int(number(outcome.result['blocking_pairs'])), 'blocking pair')}"


TRIES = shared_findings.Tries("assignment", _assignment, _level)


def _reported_pair(run: FinishedRun) -> Iterator[Finding]:
    """Find the blocking pair reported for most assignments. Repeated assignments get the same answer and count once."""
    need(len(run.outcomes) >= REPORTED)
    periods: dict[tuple[str, str], dict[Hashable, int]] = {}
    for outcome in run.outcomes:
        for worker, task in outcome.result["feedback"]:
            periods.setdefault((worker, task), {}).setdefault(_assignment(outcome), outcome.period)
    pair, period_by_assignment = max(periods.items(), key=lambda item: len(item[1]), default=(("", ""), {}))
    if len(period_by_assignment) >= REPORTED:
        worker, task = map(name, pair)
        first, *_, last = period_by_assignment.values()
        yield Finding(
            f"The answers to {len(period_by_assignment)} different assignments named the same blocking pair, {worker} and "
            f"{task}, from period {first} to {last}.",
            first,
            len(period_by_assignment),
        )


def _ended_below(run: FinishedRun) -> Iterator[Finding]:
    need(len(run.outcomes) > 1 and period_of(run.instance) is None)
    counts = [int(number(outcome.result["blocking_pairs"])) for outcome in run.outcomes]
    qualities = [number(outcome.quality) for outcome in run.outcomes]
    best = max(range(len(qualities)), key=qualities.__getitem__, default=0)
    if qualities and qualities[best] - qualities[-1] >= WORSE:
        yield Finding(
            f"The final assignment, which counts, has {counted(counts[-1], 'blocking pair')}; "
            f"that of period {best} had {counts[best]:,}.",
            best,
            qualities[best] - qualities[-1],
        )


def _moves(run: FinishedRun) -> Iterator[Series]:
    size = len(run.instance.parameters["workers"])
    actions = [outcome.action for outcome in run.outcomes]
    moved = [
        sum(new[worker] != old[worker] for worker in new) / size for old, new in zip(actions, actions[1:], strict=False)
    ]

    def sentence(period: int, before: float, after: float) -> str:
        return (
            f"From period {period} on, it moved about {after * size:.0f} of the {size} workers a period, "
            f"after {before * size:.0f} before."
        )

    yield Series(
        values=moved,
        step=MOVED_STEP,
        subject="the number of workers that it moved",
        format_value=lambda share: f"{share * size:.0f}",
        unit=f" of {size}",
        start=1,
        sentence=sentence,
    )


COURSE = Course(actions=_moves)


RULES = (
    shared_findings.first_optimum("a stable assignment"),
    Rule("ended_below_best", "Ended below its best", _ended_below),
    Rule("reported_pair", "Kept a known blocking pair", _reported_pair),
    shared_findings.no_improvement(TRIES),
    shared_findings.nothing_new(TRIES),
    early_change_of_course(COURSE),
    changed_course(COURSE),
    shared_findings.NOTES_UNCHANGED,
    STRATEGY_CHANGED,
)
