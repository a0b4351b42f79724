"""Rules of findings about procurement runs."""

from collections.abc import Iterator

from environments import shared_findings
from environments.base import Outcome
from environments.changes import rules
from environments.findings import Finding, FinishedRun, Rule, counted, need, number, percent
from environments.procurement.economics import budget_at
from environments.procurement.environment import dollars
from environments.shocks import period_of

UNSPENT = 0.6
"""Maximum share of the budget at which it counts as unspent. The optimal plans of the published BASIC and MEDIUM instances
spend at least 97 %.
"""

SPENDING_OPTIMUM = 0.8
"""Minimum share of the budget that the optimum spends. Only then is it a mistake to leave the budget unspent."""

INFEASIBLE_RATE, FEWEST_INFEASIBLE = 0.1, 5
"""Minimum share and number of infeasible plans. The agent knows all prices and limits, so these are arithmetic errors."""

SPENDING_STEP = 0.15
"""Smallest meaningful difference in spending, as a share of the budget."""


def _plan(outcome: Outcome) -> frozenset[tuple[str, float]]:
    return frozenset((offer, number(quantity)) for offer, quantity in outcome.action.items() if quantity)


def _level(outcome: Outcome) -> str:
    if not outcome.result["feasible"]:
        return "which could not be bought"
    return f"at {percent(number(outcome.quality))} of the optimum"


TRIES = shared_findings.Tries("plan", _plan, _level)


def _spent(run: FinishedRun, outcome: Outcome) -> float:
    """Cost of a plan as a share of the budget."""
    return number(outcome.result["cost_cents"]) / budget_at(run.instance, outcome.period)


def _unspent(run: FinishedRun) -> Iterator[Finding]:
    """Find budgets left unspent. Does not apply if many plans exceeded the budget: such agents do not save money."""
    need(period_of(run.instance) is None)
    spent = [(_spent(run, outcome), outcome) for outcome in run.outcomes]
    bought = [(share, outcome.period) for share, outcome in spent if outcome.result["feasible"]]
    over = sum(share > 1 for share, _ in spent)
    best = number(run.instance.reference["optimum"]["cost_cents"]) / number(run.instance.parameters["budget_cents"])
    need(
        run.instance.reference["optimum"]["proven"] and len(spent) >= shared_findings.LONG and best >= SPENDING_OPTIMUM
    )
    is_held_back = len(bought) >= shared_findings.LONG and over < INFEASIBLE_RATE * len(spent)
    if not is_held_back or shared_findings.optimal_period(run) is not None:
        return
    most, period = max(bought, key=lambda purchase: (purchase[0], -purchase[1]))
    if most <= UNSPENT:
        yield Finding(
            f"No plan that it could buy used more than {percent(most)} of the budget (period {period}); the optimum uses "
            f"{percent(best)}.",
            period,
            most,
        )


def _infeasible(run: FinishedRun) -> Iterator[Finding]:
    need(len(run.outcomes) >= FEWEST_INFEASIBLE)
    wrong = [outcome for outcome in run.outcomes if not outcome.result["feasible"]]
    if len(wrong) < max(FEWEST_INFEASIBLE, INFEASIBLE_RATE * len(run.outcomes)):
        return
    over = [share - 1 for outcome in wrong if (share := _spent(run, outcome)) > 1]
    causes = [f"{len(over)} over the budget"] if over else []
    if below := len(wrong) - len(over):
        causes.append(f"{below} below a minimum quantity")
    of_all = f"{len(wrong)} of {counted(len(run.outcomes), 'plan')}"
    between = f"between periods {wrong[0].period} and {wrong[-1].period}"
    yield Finding(
        f"{of_all} could not be bought, {between}: {' and '.join(causes)}.",
        wrong[0].period,
        len(wrong) / len(run.outcomes),
    )


def _spending(run: FinishedRun) -> Iterator[rules.Series]:
    budgets = dict.fromkeys(f"${dollars(budget_at(run.instance, outcome.period))}" for outcome in run.outcomes)
    budget = " and then ".join(budgets)

    def sentence(period: int, before: float, after: float) -> str:
        return (
            f"From period {period} on, its plans cost about {percent(after)} of the budget of {budget}, "
            f"after {percent(before)} before."
        )

    # Differences between costs far over the budget do not matter.
    yield rules.Series(
        values=[min(_spent(run, outcome), 2.0) for outcome in run.outcomes],
        step=SPENDING_STEP,
        subject="the cost of its plan",
        format_value=percent,
        unit=" of the budget",
        sentence=sentence,
    )


COURSE = rules.Course(actions=_spending)


RULES = (
    shared_findings.first_optimum("the optimal plan"),
    Rule("budget_unspent", "Budget left unspent", _unspent),
    Rule("infeasible_plans", "Infeasible plans", _infeasible),
    shared_findings.no_improvement(TRIES),
    shared_findings.nothing_new(TRIES),
    rules.heavy_loss(COURSE),
    rules.early_change_of_course(COURSE),
    rules.changed_course(COURSE),
    rules.spread_changed(COURSE),
    shared_findings.NOTES_UNCHANGED,
    rules.STRATEGY_CHANGED,
)
