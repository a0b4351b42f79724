"""Rules of findings about efficiency versus equality runs."""

from collections.abc import Iterator

from environments.changes import rules
from environments.findings import Finding, FinishedRun, Rule, name, need, number, percent
from environments.prompts.variants import base_variant
from environments.shared_findings import NOTES_UNCHANGED

FEWEST = 10
"""Minimum number of periods. In shorter runs differences of pay may be due to chance."""

UNEQUAL = 3.0
"""Minimum ratio of the highest to the lowest total pay. Random assignments stay below 2 over a whole run."""

RANGE_STEP = 0.3
"""Smallest meaningful difference, as a share of the range from the smallest to the largest revenue of a period."""


def _unequal_pay(run: FinishedRun) -> Iterator[Finding]:
    """Find unequal total pay. Does not apply to the prompt that asks only for revenue, which makes pay unequal."""
    need(base_variant(run.variant) != "efficiency" and len(run.outcomes) >= FEWEST)
    last = run.outcomes[-1]
    pay = {worker: number(total) for worker, total in last.result["total_pay"].items()}
    most, least = max(pay, key=pay.__getitem__), min(pay, key=pay.__getitem__)
    if pay[most] > 0 and pay[least] >= 0 and pay[most] >= UNEQUAL * pay[least]:
        times = f"{pay[most] / pay[least]:,.1f} times as much as" if pay[least] else "and nothing went to"
        amounts = f"${pay[most]:,.0f} against ${pay[least]:,.0f}"
        yield Finding(
            f"At the end {name(most)} had been paid {times} {name(least)}: {amounts}.",
            last.period,
            pay[most] - pay[least],
        )


def _revenue(run: FinishedRun) -> Iterator[rules.Series]:
    """Revenue of each period on a scale from the smallest (0) to the largest (1) possible with its tasks."""
    sizes, productivities = run.instance.hidden["task_sizes"], run.instance.hidden["productivities"]
    skills = sorted(number(value) for value in productivities.values())
    values = []
    for outcome in run.outcomes:
        tasks = sorted(number(sizes[task]) for task in outcome.action)
        most = sum(skill * size for skill, size in zip(skills, tasks, strict=True))
        least = sum(skill * size for skill, size in zip(skills, reversed(tasks), strict=True))
        values.append((number(outcome.result["revenue"]) - least) / (most - least) if most > least else 1.0)

    def sentence(period: int, before: float, after: float) -> str:
        goal = "more" if after > before else "less"
        return (
            f"From period {period} on, it assigned for {goal} revenue: {percent(after)} of the way from the least to the "
            f"largest possible, after {percent(before)} before."
        )

    yield rules.Series(
        values=values,
        step=RANGE_STEP,
        subject="the revenue of its assignment",
        format_value=percent,
        unit=" of the way from the least to the largest possible",
        sentence=sentence,
    )


COURSE = rules.Course(actions=_revenue)


RULES = (
    Rule("unequal_pay", "Unequal pay", _unequal_pay, is_problem=False),
    rules.heavy_loss(COURSE),
    rules.early_change_of_course(COURSE),
    rules.changed_course(COURSE),
    rules.spread_changed(COURSE),
    NOTES_UNCHANGED,
    rules.STRATEGY_CHANGED,
)
