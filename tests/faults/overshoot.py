"""Many threads, one budget: python -m tests.faults.overshoot [--trials 1000]

Each trial lets 64 threads make calls at once, all paid by an experiment whose budget is ten calls, and counts what was
sent and booked. On a throwaway SQLite file, or on the database that DATABASE_URL names, whose experiments it adds to.
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

THREADS = 64
CALLS = 10
COST = 7_000_001


def overshoots(trials, experiment):
    """(calls sent, billionths of a dollar booked above the budget) of every trial that sent more than its budget holds,
    or less, or left something reserved."""
    from django.db import connection

    from runs.models import Experiment

    run = experiment.runs.get()
    wrong = []
    with ThreadPoolExecutor(THREADS) as pool:
        for trial in range(trials):
            spent = Experiment.objects.get(pk=experiment.pk).cost_nano
            budget = spent + CALLS * COST
            Experiment.objects.filter(pk=experiment.pk).update(budget_nano=budget)
            places = [(trial, thread) for thread in range(THREADS)]
            sent = sum(pool.map(lambda place: spend(run, *place), places))
            after = Experiment.objects.get(pk=experiment.pk)
            if (sent, after.cost_nano, after.reserved_nano) != (CALLS, budget, 0):
                wrong.append((sent, after.cost_nano - budget))
        # Each thread has its own session, which no other thread closes.
        list(pool.map(lambda _: connection.close(), range(4 * THREADS)))
    return wrong


def spend(run, trial, thread):
    """Calls that one thread gets to make before the budget is used up."""
    from runs.engine.exceptions import BudgetBusy, OverBudget
    from runs.engine.writing.entries import Settlement
    from runs.engine.writing.group_commit import group_commit
    from runs.models import Exchange, ExchangeState

    for sent in range(CALLS + 1):
        place = {"period_index": trial, "seat": f"t{thread}", "attempt": 0, "step": sent}
        exchange = Exchange(run_id=run.pk, fence=run.fence, reserved_nano=COST, **place)
        try:
            group_commit.intend(run.pk, run.fence, exchange)
        except (OverBudget, BudgetBusy):
            return sent
        exchange.state, exchange.cost_nano = ExchangeState.REPLIED, COST
        group_commit.settle(Settlement(run.pk, run.fence, exchange))
    return CALLS + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
    os.environ.setdefault("ECONEVALS_DATA_DIR", tempfile.mkdtemp(prefix="econevals-overshoot."))
    os.environ.setdefault("SECRET_KEY", "only-for-this-0123456789-abcdefgh")
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    started = time.monotonic()
    wrong = overshoots(trials, experiment())
    seconds = time.monotonic() - started
    print(f"{trials} trials of {THREADS} threads at a cap of {CALLS} calls on {connection.vendor}: {seconds:.0f} s")
    print(f"{len(wrong)} trials overshot or fell short {wrong[:5]}")
    return int(bool(wrong))


def experiment():
    """An experiment of one run in an organization of its own, whose lease is taken."""
    import uuid

    from accounts.models import User
    from accounts.services import organization_create
    from runs.engine import lease
    from runs.launching.plan import LaunchPlan
    from runs.services import catalog_install, experiment_launch

    name = f"overshoot-{uuid.uuid4().hex[:8]}"
    owner = User.objects.create_user(name, f"{name}@example.org")
    organization = organization_create(name=name, slug=name, owner=owner)
    catalog_install(organization=organization)
    agents = tuple(organization.agents.filter(slug="random"))
    plan = LaunchPlan(agents=agents, environments=("pricing",), difficulties=("BASIC",), seeds=(0,))
    launched = experiment_launch(organization=organization, user=owner, plan=plan)
    lease.take(launched.runs.get().pk)
    return launched


if __name__ == "__main__":
    sys.exit(main())
