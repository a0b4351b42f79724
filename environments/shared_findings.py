"""Rules of findings that several environments share."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from environments.base import Outcome
from environments.changes.wording import without_numbers
from environments.findings import Finding, FinishedRun, Rule, counted, need, number
from environments.shocks import period_of

OPTIMAL = 1 - 1e-9
"""Minimum quality of an optimal period. It is slightly below 1 to allow for rounding."""

LONG = 20
"""Number of periods from which a stretch counts as long: a fifth of a run in the papers. A sensible
search makes no pause of this length."""


def _qualities(run: FinishedRun) -> list[float]:
    """The quality of each period. Raises ValueError if one is unknown."""
    return [number(outcome.quality) for outcome in run.outcomes]


def optimal_period(run: FinishedRun) -> int | None:
    """The first period with an optimal result; None without one."""
    qualities = ((outcome.period, outcome.quality) for outcome in run.outcomes)
    return next((period for period, quality in qualities if quality is not None and quality >= OPTIMAL), None)


def searching(run: FinishedRun) -> Sequence[Outcome]:
    """The periods before the first optimal one. Later the agent has nothing to search, so repeating is not a mistake."""
    optimum = optimal_period(run)
    return run.outcomes if optimum is None else [outcome for outcome in run.outcomes if outcome.period < optimum]


def first_optimum(what: str) -> Rule:
    """Rule: the first period with an optimal result. `what`: its name, such as 'the optimal plan'."""

    def find(run: FinishedRun) -> Iterator[Finding]:
        need(any(outcome.quality is not None for outcome in run.outcomes))
        period = optimal_period(run)
        if period is not None:
            yield Finding(f"It first found {what} in period {period}.", period, period)

    return Rule("first_optimum", "Found the optimum", find, is_problem=False)


@dataclass(frozen=True)
class Tries:
    """Words and functions for the actions that an agent tries in an environment.

    noun: name of an action, such as 'plan'
    key: returns the same key for equal actions
    level: describes how good the result was, in words that follow the noun
    """

    noun: str
    key: Callable[[Outcome], Hashable]
    level: Callable[[Outcome], str]


def no_improvement(tries: Tries) -> Rule:
    """Rule: the best result was in the first half of the run, and at least LONG new actions after it were not better."""

    def find(run: FinishedRun) -> Iterator[Finding]:
        qualities = _qualities(run)
        need(len(qualities) > LONG and period_of(run.instance) is None)
        best = max(qualities, default=0.0)
        if not 0 < best < OPTIMAL:
            return
        at = qualities.index(best)
        before = {tries.key(outcome) for outcome in run.outcomes[: at + 1]}
        new = len({tries.key(outcome) for outcome in run.outcomes[at + 1 :]} - before)
        if new >= LONG and len(qualities) - at - 1 >= len(qualities) / 2:
            yield Finding(
                f"The best {tries.noun} came in period {at}, {tries.level(run.outcomes[at])}; none of the "
                f"{counted(new, f'new {tries.noun}')} after it was better.",
                at,
                new,
            )

    return Rule("no_improvement", "Stopped improving", find)


def nothing_new(tries: Tries) -> Rule:
    """Rule: the agent repeats actions for at least LONG periods.

    Either it tries no new action in the last periods before the optimum, or before the end of a run
    without the optimum. Or it repeats one action in consecutive periods.
    """

    def find(run: FinishedRun) -> Iterator[Finding]:
        outcomes = searching(run)
        need(len(run.outcomes) >= LONG and all(outcome.quality is not None for outcome in outcomes))
        keys = [tries.key(outcome) for outcome in outcomes]
        first_positions = {key: position for position, key in reversed(list(enumerate(keys)))}
        last_new = max(first_positions.values(), default=0)
        tail = len(keys) - last_new - 1
        start, length = _longest_run(keys)
        if length >= max(LONG, tail):
            first, last = outcomes[start], outcomes[start + length - 1].period
            sentence = (
                f"It repeated one {tries.noun} from period {first.period} to {last} ({length} periods), "
                f"{tries.level(first)}."
            )
            yield Finding(sentence, first.period, length)
        elif tail >= LONG:
            at = outcomes[last_new].period
            optimum = optimal_period(run)
            sentence = f"It tried its last new {tries.noun} in period {at}; all {tail} later ones repeat earlier ones."
            if optimum is not None:
                sentence = (
                    f"It tried no new {tries.noun} in the {tail} periods between period {at} and period {optimum}, in which "
                    "it found the optimum."
                )
            yield Finding(sentence, at, tail)

    return Rule("nothing_new", "Repeated actions", find)


def _longest_run(keys: Sequence[Hashable]) -> tuple[int, int]:
    """Start and length of the longest run of equal keys; (0, 0) without keys."""
    best, at = (0, 0), 0
    for _, group in groupby(keys):
        length = sum(1 for _ in group)
        if length > best[1]:
            best = (at, length)
        at += length
    return best


def _notes_unchanged(run: FinishedRun) -> Iterator[Finding]:
    """Find runs without notes, or with the same words in all notes, in at least LONG periods at the end."""
    last = max((outcome.period for outcome in run.outcomes), default=0)
    need(last >= LONG and any(text.strip() for texts in run.notes.values() for text in texts.values()))
    optimum = optimal_period(run)
    for seat, in_seat, texts in run.notes_by_seat():
        written = sorted(period for period, text in texts.items() if text.strip() and period <= last)
        if not written or (optimum is not None and optimum <= written[-1]):
            continue
        silent = last - written[-1]
        if silent >= LONG:
            yield Finding(
                f"It wrote no notes{in_seat} in the {silent} periods after period {written[-1]}.",
                written[-1],
                silent,
                seat,
            )
            continue
        wordings = [without_numbers(texts[period]) for period in written]
        others = [position for position, wording in enumerate(wordings) if wording != wordings[-1]]
        copies = written[others[-1] + 1 if others else 0 :]
        same = copies[0]
        if written[-1] - same >= LONG:
            but = " but for numbers" if len({texts[period].strip() for period in copies}) > 1 else ""
            yield Finding(
                f"Its notes{in_seat} are word for word the same{but} from period {same} to {written[-1]}.",
                same,
                written[-1] - same,
                seat,
            )


NOTES_UNCHANGED = Rule("notes_unchanged", "Notes unchanged", _notes_unchanged, of_models=True)
