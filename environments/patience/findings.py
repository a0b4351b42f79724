"""Rules of findings about patience runs."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, groupby

from environments.changes.rules import Course, Series
from environments.findings import Finding, FinishedRun, Rule, name, need, number, percent

MOSTLY = 0.8
"""Minimum share of equal answers that counts as a clear choice."""

CHOICE_STEP = 0.3
"""Smallest meaningful difference, as a share of the answers about an amount."""

FEWEST = 5
"""Minimum number of valid answers about an amount. With fewer the share of later choices may be due to chance."""


def _contradictory(run: FinishedRun) -> Iterator[Finding]:
    """Find contradictions: the agent clearly chose one later amount and clearly refused a larger one at the same horizon.

    Does not apply to prompts that name an interest rate, which measure right and wrong answers instead.
    """
    rows_by_question: dict[tuple[str, str], list[tuple[float, float, float, int]]] = defaultdict(list)
    for outcome in run.outcomes:
        action = outcome.action
        later, valid = number(action["later"]), number(action["later"]) + number(action["now"])
        if "rate" not in action and valid >= FEWEST:
            key = (str(action["horizon"]), str(action.get("name", "")))
            rows_by_question[key].append((number(action["amount"]), later, valid, outcome.period))
    need(any(len(rows) > 1 for rows in rows_by_question.values()))
    contradictions = []
    for (horizon, user), rows in rows_by_question.items():
        rows.sort()
        contradictions += [
            (_taken(a) - _taken(b), b[0] - a[0], horizon, user, a, b)
            for a, b in combinations(rows, 2)
            if _taken(a) >= MOSTLY and _refused(b) >= MOSTLY
        ]
    if contradictions:
        difference, _, horizon, user, a, b = max(contradictions, key=lambda contradiction: contradiction[:4])
        for_user = f" for {name(user)}" if user else ""
        where = len({contradiction[2:4] for contradiction in contradictions})
        also = f" {where} of {len(rows_by_question)} sets of questions have such a contradiction." if where > 1 else ""
        yield Finding(
            f"It took ${a[0]:g} in {name(horizon)} over $100 now in {a[1]:.0f} of {a[2]:.0f} answers{for_user}, but "
            f"${b[0]:g} in only {b[1]:.0f} of {b[2]:.0f}.{also}",
            b[3],
            difference,
        )


def _taken(row: tuple[float, float, float, int]) -> float:
    return row[1] / row[2]


def _refused(row: tuple[float, float, float, int]) -> float:
    return (row[2] - row[1]) / row[2]


def _choices(run: FinishedRun) -> Iterator[Series]:
    """Share of later choices by amount: one series for each horizon and name, without the cells that have a rate."""
    unrated = [outcome for outcome in run.outcomes if "rate" not in outcome.action]
    for (horizon, user), group in groupby(
        unrated, lambda outcome: (outcome.action["horizon"], outcome.action.get("name", ""))
    ):
        outcomes = list(group)
        for_user = f" for {name(user)}" if user else ""
        yield Series(
            values=[number(outcome.result["later_share"]) for outcome in outcomes],
            step=CHOICE_STEP,
            subject=f"the share of answers{for_user} that choose {name(horizon)}",
            format_value=percent,
            start=outcomes[0].period,
        )


COURSE = Course(actions=_choices)

RULES = (Rule("contradictory", "Contradictory answers", _contradictory),)
