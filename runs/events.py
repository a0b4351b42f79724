"""What packages above hear of the engine. They add a callable in their AppConfig.ready, as with accounts.hooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runs.models import BudgetAlert

runs_stopped: list[Callable[[Sequence[int]], None]] = []
"""Called once for each change, in the transaction that ended or paused runs of one organization, with their numbers."""

budget_warned: list[Callable[[BudgetAlert], None]] = []
"""Called in the transaction that records a budget's warning."""

leases_renewing: list[Callable[[], None]] = []
"""Called by the heartbeat: renew what else this process has claimed, if anything."""

sweeping: list[Callable[[], None]] = []
"""Called by each sweep, every few seconds in one of the workers: wake workers for what is due, delete what expired."""


def emit_runs_stopped(run_ids: Sequence[int]) -> None:
    for listener in runs_stopped:
        listener(run_ids)


def emit_budget_warned(alert: BudgetAlert) -> None:
    for listener in budget_warned:
        listener(alert)
