"""Event lists of the engine. Other packages append their listeners in AppConfig.ready, as with accounts.hooks."""

from collections.abc import Callable, Sequence

from django.db.models import QuerySet

from runs.launching.plan import LaunchPlan
from runs.models import BudgetAlert, Experiment, Run

experiment_launched: list[Callable[[Experiment, LaunchPlan], None]] = []
"""Called in the transaction that created an experiment with its runs."""

experiment_deleting: list[Callable[[Experiment], None]] = []
"""Called in the transaction that hides an experiment and its runs, before they are hidden."""

experiment_removed: list[Callable[[Experiment], None]] = []
"""Called with the former row in the transaction that removed an experiment for good. Listeners erase quotes of its runs."""

runs_cancelling: list[Callable[[QuerySet[Run]], None]] = []
"""Called in the transaction that cancels runs, before it locks them. Listeners take locks that must precede those of runs."""

runs_stopped: list[Callable[[Sequence[int]], None]] = []
"""Called with run ids of one organization in the transaction that ended or paused these runs."""

run_scored: list[Callable[[int], None]] = []
"""Called with the id of a finished run in the transaction that gives it a score later."""

budget_warned: list[Callable[[BudgetAlert], None]] = []
"""Called in the transaction that stores a budget alert."""

leases_renewing: list[Callable[[], None]] = []
"""Called by the heartbeat. Listeners renew further claims of this process."""

sweeping: list[Callable[[], None]] = []
"""Called by the sweep task every few seconds. Listeners wake workers for due work and delete expired rows."""

sweeping_seldom: list[Callable[[], None]] = []
"""Called by every SWEEPS_TO_A_SELDOM_ONE-th sweep, for work that is not urgent."""


def emit_experiment_launched(experiment: Experiment, plan: LaunchPlan) -> None:
    for listener in experiment_launched:
        listener(experiment, plan)


def emit_experiment_deleting(experiment: Experiment) -> None:
    for listener in experiment_deleting:
        listener(experiment)


def emit_experiment_removed(experiment: Experiment) -> None:
    for listener in experiment_removed:
        listener(experiment)


def emit_runs_cancelling(runs: QuerySet[Run]) -> None:
    for listener in runs_cancelling:
        listener(runs)


def emit_runs_stopped(run_ids: Sequence[int]) -> None:
    for listener in runs_stopped:
        listener(run_ids)


def emit_run_scored(run_id: int) -> None:
    for listener in run_scored:
        listener(run_id)


def emit_budget_warned(alert: BudgetAlert) -> None:
    for listener in budget_warned:
        listener(alert)
