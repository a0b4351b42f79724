"""Events of the engine. Other packages append their listeners in AppConfig.ready, as with accounts.hooks."""

from collections.abc import Callable, Sequence
from typing import Generic, ParamSpec

from django.db.models import QuerySet

from runs.launching.plan import LaunchPlan
from runs.models import BudgetAlert, Experiment, Run

Arguments = ParamSpec("Arguments")


class Event(list[Callable[Arguments, None]], Generic[Arguments]):
    """A list of listeners. Calling it calls each listener with the same arguments."""

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        for listener in self:
            listener(*args, **kwargs)


experiment_launched = Event[[Experiment, LaunchPlan]]()
"""Called in the transaction that created an experiment with its runs."""

experiment_deleting = Event[[Experiment]]()
"""Called in the transaction that hides an experiment and its runs, before they are hidden."""

experiment_removed = Event[[Experiment]]()
"""Called with the former row in the transaction that removed an experiment for good. Listeners erase quotes of its runs."""

runs_cancelling = Event[[QuerySet[Run]]]()
"""Called in the transaction that cancels runs, before it locks them. Listeners take locks that must precede those of runs."""

runs_stopped = Event[[Sequence[int]]]()
"""Called with run ids of one organization in the transaction that ended or paused these runs."""

run_scored = Event[[int]]()
"""Called with the id of a finished run in the transaction that gives it a score later."""

budget_warned = Event[[BudgetAlert]]()
"""Called in the transaction that stores a budget alert."""

leases_renewing = Event[[]]()
"""Called by the heartbeat. Listeners renew further claims of this process."""

sweeping = Event[[]]()
"""Called by the sweep task every few seconds. Listeners wake workers for due work and delete expired rows."""

sweeping_seldom = Event[[]]()
"""Called by every SWEEPS_TO_A_SELDOM_ONE-th sweep, for work that is not urgent."""
