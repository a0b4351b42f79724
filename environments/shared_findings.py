"""Rules of findings that several environments share."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from environments.base import Outcome
from environments.changes.wording import without_numbers
from environments.findings import Finding, Played, Rule, counted, need, number

OPTIMAL = 1 - 1e-9
"""Quality from which a period counts as optimal: below it by more than rounding it is not."""

LONG = 20
"""Periods. A fifth of a run of the papers is longer than any pause that a plan of experiments explains."""


def _qualities(played: Played) -> list[float]:
    """Raises ValueError if the quality of a period is unknown."""
    return [number(outcome.quality) for outcome in played.outcomes]


def optimal_period(played: Played) -> int | None:
    """The first period with an optimal result."""
    known = ((outcome.period, outcome.quality) for outcome in played.outcomes)
    return next((period for period, quality in known if quality is not None and quality >= OPTIMAL), None)


def searching(played: Played) -> Sequence[Outcome]:
    """The periods before the first optimal one. After it there is nothing to find, so repeating is no mistake."""
    found = optimal_period(played)
    return played.outcomes if found is None else [one for one in played.outcomes if one.period < found]


def first_optimum(what: str) -> Rule:
    """what: 'the optimal plan'"""

    def find(played: Played) -> Iterator[Finding]:
        need(any(outcome.quality is not None for outcome in played.outcomes))
        period = optimal_period(played)
        if period is not None:
            yield Finding(f"It first found {what} in period {period}.", period, period)

    return Rule("first_optimum", "Found the optimum", find, is_problem=False)


@dataclass(frozen=True)
class Tries:
    """What the agent tries in each period.

    noun: 'plan'
    key: identifies an action
    level: how good its result was, in words that follow the noun
    """

    noun: str
    key: Callable[[Outcome], Hashable]
    level: Callable[[Outcome], str]


def no_improvement(tries: Tries) -> Rule:
    """The best result came in the first half of the run, and at least LONG new actions after it were not better."""

    def find(played: Played) -> Iterator[Finding]:
        qualities = _qualities(played)
        need(len(qualities) > LONG)
        best = max(qualities, default=0.0)
        if not 0 < best < OPTIMAL:
            return
        at = qualities.index(best)
        before = {tries.key(outcome) for outcome in played.outcomes[: at + 1]}
        new = len({tries.key(outcome) for outcome in played.outcomes[at + 1 :]} - before)
        if new >= LONG and len(qualities) - at - 1 >= len(qualities) / 2:
            sentence = (
                f"The best {tries.noun} came in period {at}, {tries.level(played.outcomes[at])}; none of the "
                f"{counted(new, f'new {tries.noun}')} after it was better."
            )
            yield Finding(sentence, at, new)

    return Rule("no_improvement", "Stopped improving", find)


def nothing_new(tries: Tries) -> Rule:
    """At least LONG periods without a new action, at the end or up to the optimum, or LONG equal actions in a row."""

    def find(played: Played) -> Iterator[Finding]:
        outcomes = searching(played)
        need(len(played.outcomes) >= LONG and all(outcome.quality is not None for outcome in outcomes))
        keys = [tries.key(outcome) for outcome in outcomes]
        first_places = {one: place for place, one in reversed(list(enumerate(keys)))}
        last_new = max(first_places.values(), default=0)
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
            found = optimal_period(played)
            sentence = f"It tried its last new {tries.noun} in period {at}; all {tail} later ones repeat earlier ones."
            if found is not None:
                sentence = (
                    f"It tried no new {tries.noun} in the {tail} periods between period {at} and period {found}, in which "
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


def _notes_unchanged(played: Played) -> Iterator[Finding]:
    """No notes in at least LONG periods at the end, or the same words in all notes of at least LONG periods at the end."""
    last = max((outcome.period for outcome in played.outcomes), default=0)
    need(last >= LONG and any(text.strip() for texts in played.notes.values() for text in texts.values()))
    found = optimal_period(played)
    for seat, texts in sorted(played.notes.items()):
        written = sorted(period for period, text in texts.items() if text.strip() and period <= last)
        if not written or (found is not None and found <= written[-1]):
            continue
        whose = seat if len(played.notes) > 1 else ""
        of_whom = f" in {seat.replace('_', ' ')}" if whose else ""
        silent = last - written[-1]
        if silent >= LONG:
            sentence = f"It wrote no notes{of_whom} in the {silent} periods after period {written[-1]}."
            yield Finding(sentence, written[-1], silent, whose)
            continue
        wordings = [without_numbers(texts[period]) for period in written]
        others = [place for place, wording in enumerate(wordings) if wording != wordings[-1]]
        copies = written[others[-1] + 1 if others else 0 :]
        same = copies[0]
        if written[-1] - same >= LONG:
            but = " but for numbers" if len({texts[period].strip() for period in copies}) > 1 else ""
            sentence = f"Its notes{of_whom} are word for word the same{but} from period {same} to {written[-1]}."
            yield Finding(sentence, same, written[-1] - same, whose)


NOTES_UNCHANGED = Rule("notes_unchanged", "Notes unchanged", _notes_unchanged, of_models=True)
