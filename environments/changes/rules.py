"""Rules about changes within a run, and the series of actions and results that they examine."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from environments.changes.crashes import Crash, crashes
from environments.changes.levels import NEIGHBOURS, SHORTEST, Change, change_point, early_change, spread_change
from environments.changes.wording import FEWEST, REWORDED, rewordings
from environments.findings import Finding, FinishedRun, Rule, counted, name, need, number, percent
from environments.shocks import period_of

RESULT_STEP = 0.2
"""Smallest meaningful difference, as a share of the best possible result. Demand or luck explains smaller differences."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A number for each period.

    step: the smallest meaningful difference, in the units of the values
    subject: the subject of sentences about the numbers, such as 'its price'
    format_value: formats a value; unit: words after it
    start: period of the first value
    sentence: formats (period, level before, level after) of a lasting change; by default the text uses `went`
    """

    values: Sequence[float]
    step: float
    subject: str
    format_value: Callable[[float], str]
    unit: str = ""
    start: int = 0
    seat: str = ""
    sentence: Callable[[int, float, float], str] | None = None

    def changed(self, period: int, before: float, after: float) -> str:
        """The sentence about a lasting change of level."""
        if self.sentence:
            return self.sentence(period, before, after)
        return f"From period {period} on, {self.went(before, after)}."

    def went(self, before: float, after: float) -> str:
        """Return a clause such as 'its price went from 18.00 to 2.50'."""
        return f"{self.subject} went from {self.format_value(before)} to {self.format_value(after)}{self.unit}"


@dataclass(frozen=True, kw_only=True)
class ResultSeries(Series):
    """The result of each period as a share of the best one. `can_lose`: whether a value below 0 is a loss."""

    step: float = RESULT_STEP
    subject: str = "its result"
    format_value: Callable[[float], str] = percent
    unit: str = " of the optimum"
    can_lose: bool = True


def qualities(run: FinishedRun) -> Iterable[ResultSeries]:
    """Yield the series of the quality of each period. Raises NotApplicable if one is unknown."""
    need(all(outcome.quality is not None for outcome in run.outcomes))
    yield ResultSeries(values=[number(outcome.quality) for outcome in run.outcomes], can_lose=False)


@dataclass(frozen=True)
class Course:
    """The series of an environment: the agent's actions and results in each period.

    parts: series for each single action, if `actions` holds only their mean
    """

    actions: Callable[[FinishedRun], Iterable[Series]] = lambda run: ()
    results: Callable[[FinishedRun], Iterable[ResultSeries]] = qualities
    parts: Callable[[FinishedRun], Iterable[Series]] | None = None


MOST_WORDS = 3
"""Maximum number of new words, and of dropped words, that a sentence about notes quotes."""


def changed_course(course: Course) -> Rule:
    """Rule: the period in which the level of the agent's actions changed, from the change point of its series."""
    return _rule_of_changes(
        "changed_course",
        "Changed course",
        course,
        change_point,
        2 * SHORTEST,
        lambda series, period, change: series.changed(period, change.before, change.after),
    )


def early_change_of_course(course: Course) -> Rule:
    """Rule: a change of the level of the agent's actions within the first SHORTEST periods."""
    return _rule_of_changes(
        "early_change",
        "Changed course early",
        course,
        early_change,
        1 + NEIGHBOURS,
        lambda series, period, change: (
            f"In period {period} already, {series.went(change.before, change.after)} and stayed near there."
        ),
    )


def spread_changed(course: Course) -> Rule:
    """Rule: the period from which the agent's actions vary more, or less, from one period to the next."""

    def sentence(series: Series, period: int, change: Change) -> str:
        ratio = change.after / change.before
        times = f"{max(ratio, 1 / ratio):.1f} times {'more' if ratio > 1 else 'less'}"
        return f"From period {period} on, {series.subject} varied {times} from one period to the next than before."

    return _rule_of_changes(
        "spread_changed",
        "Spread changed",
        course,
        spread_change,
        2 * SHORTEST + 1,
        sentence,
        lambda change: change.after / change.before,
    )


def _rule_of_changes(
    key: str,
    title: str,
    course: Course,
    change_of: Callable[[Sequence[float], float], Change | None],
    least: int,
    sentence: Callable[[Series, int, Change], str],
    size: Callable[[Change], float] = lambda change: change.after - change.before,
) -> Rule:
    """Rule: a change in each series of the agent's actions.

    change_of: finds the change in (values, smallest meaningful difference)
    least: minimum number of periods that at least one series must have
    sentence: says it, from the series, the period and the change
    size: the value of the finding
    """

    def find(run: FinishedRun) -> Iterator[Finding]:
        all_series = list(course.actions(run))
        need(any(len(series.values) >= least for series in all_series))
        for series in all_series:
            change = change_of([number(value) for value in series.values], series.step)
            if change is not None:
                period = series.start + change.position
                yield Finding(sentence(series, period, change), period, size(change), series.seat)

    return Rule(key, title, find, is_problem=False)


def heavy_loss(course: Course) -> Rule:
    """Rule: the deepest loss or crash of each series of results, with the action that changed most when it began."""

    def find(run: FinishedRun) -> Iterator[Finding]:
        # After a shock, results fall without an action of the agent.
        need(period_of(run.instance) is None)
        all_results = list(course.results(run))
        need(any(len(results.values) > NEIGHBOURS for results in all_results))
        for results in all_results:
            stretches = crashes(results.values, can_lose=results.can_lose)
            if stretches:
                yield Finding(
                    _loss(results, stretches, _behind(course, run, results.start + stretches[0].start)),
                    results.start + stretches[0].start,
                    stretches[0].depth,
                    results.seat,
                )

    return Rule("heavy_loss", "Heavy loss", find)


def _loss(results: ResultSeries, stretches: Sequence[Crash], behind: str) -> str:
    worst = stretches[0]
    first, last = results.start + worst.start, results.start + worst.end - 1
    when = f"in period {first}" if first == last else f"at worst in periods {first} to {last}"
    subject = f"{results.subject[0].upper()}{results.subject[1:]}"
    around = "" if worst.level is None else f", against {results.format_value(worst.level)} around"
    also = f" So it fell {counted(len(stretches) - 1, 'other time')}." if len(stretches) > 1 else ""
    return f"{subject} was {results.format_value(worst.lowest)}{results.unit} {when}{around}{behind}.{also}"


def _behind(course: Course, run: FinishedRun, period: int) -> str:
    """Describe the largest change of an action from the period before to this one; empty without one.

    Example: '; its price went from 18.00 to 2.50'.
    """
    moved = []
    for series in (course.parts or course.actions)(run):
        position = period - series.start
        if 0 < position < len(series.values):
            before, after = series.values[position - 1], series.values[position]
            moved.append((abs(after - before) / series.step, series.went(before, after)))
    size, movement = max(moved, default=(0.0, ""))
    return f"; {movement}" if size >= 1 else ""


def _strategy_changed(run: FinishedRun) -> Iterator[Finding]:
    need(any(sum(bool(text.strip()) for text in texts.values()) >= 2 * FEWEST for texts in run.notes.values()))
    for seat, in_seat, texts in run.notes_by_seat():
        change = max(rewordings(texts), key=lambda rewording: rewording.size, default=None)
        if change is None or change.size < REWORDED:
            continue
        wordings = [_quoted("new", change.new), _quoted("gone", change.gone)]
        wording_list = f": {' and '.join(filter(None, wordings))}" if any(wordings) else ""
        yield Finding(
            f"From period {change.period} on, its notes{in_seat} use other words{wording_list}.",
            change.period,
            change.size,
            seat,
        )


def _quoted(which: str, terms: Iterable[str]) -> str:
    """Return a clause such as 'new are “undercut” and “rival”'; empty without words."""
    quotes = [f"“{name(word)}”" for word in terms][:MOST_WORDS]
    listed = " and ".join(filter(None, (", ".join(quotes[:-1]), *quotes[-1:])))
    return f"{which} {'is' if len(quotes) == 1 else 'are'} {listed}" if quotes else ""


STRATEGY_CHANGED = Rule(
    "strategy_changed",
    "Changed strategy in notes",
    _strategy_changed,
    is_problem=False,
    of_models=True,
    quotes_notes=True,
)
