"""The life of a survey by batch in a fork, which may be killed before any line of it."""

import os
import signal
import sys
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from urllib.request import urlopen

SLICES = 20
KEY = "sk-emulated-0001"
ASKED = {"one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0, "repetitions": 2}


def call_own(urls):
    """Take these addresses, by maker, for the makers' own."""
    from agents.providers.makers import MAKERS

    for maker, url in urls.items():
        type(MAKERS[maker]).own_url = url


def launch_by_batch(*, urls, model, prices, times):
    """So many runs of a survey of four questions; their numbers."""
    from accounts.services.endpoints import endpoint_create
    from runs.bootstrap import ensure_organization
    from runs.launching.plan import LaunchPlan
    from runs.models import Agent
    from runs.services.agents import agent_create
    from runs.services.experiments import experiment_launch

    call_own(urls)
    organization, _ = ensure_organization(allow_environment_keys=False)
    (maker,) = urls
    agents = Agent.objects.filter(name="batcher")
    if not agents.exists():
        endpoint = endpoint_create(organization=organization, name="own", provider=maker, base_url="", key=KEY)
        options = {"endpoint": endpoint, "model": model, "temperature": None, "max_tokens": 2000}
        agent_create(organization=organization, name="batcher", **options)
        agents.update(**{name: Decimal(price) for name, price in prices.items()})
    games = (("patience_vs_impatience",), ("CUSTOM",), (0,), tuple(agents.select_related("endpoint")))
    plan = LaunchPlan(*games, settings=ASKED, periods=2, batch=True)
    launched = [experiment_launch(organization=organization, user=None, plan=plan) for _ in range(times)]
    return [run.pk for experiment in launched for run in experiment.runs.all()]


def live_by_batch(*, urls, step_url, run, line=""):
    """Slices of a run until it ends, each followed by a step of the provider, which `step_url` makes.

    SIGKILL before this line of code about batches, such as "lifecycle.py:100". Returns all lines, in their order.
    """
    from django.db.models.functions import Now

    from runs.engine.advance import advance
    from runs.models import Run, RunState

    call_own(urls)
    rows = Run.objects.filter(pk=run)
    # The lease of a killed fork.
    rows.filter(state=RunState.RUNNING).update(lease_until=Now() - timedelta(hours=1))
    with killed_before(line) as seen:
        for _ in range(SLICES):
            rows.update(wake_at=None)
            advance(run)
            if rows.get().state not in (RunState.WAITING, RunState.QUEUED):
                break
            urlopen(step_url).close()
    return list(seen)


@contextmanager
def killed_before(line):
    """Lines of code about batches that were about to run; SIGKILL before this one."""
    import agents.providers.batches
    import runs.engine.batches
    import runs.engine.writing

    folders = (f"{Path(package.__file__).parent}{os.sep}" for package in (runs.engine.batches, runs.engine.writing))
    watched = (agents.providers.batches.__file__, *folders)
    seen = {}

    def trace(frame, event, argument):
        if not frame.f_code.co_filename.startswith(watched):
            return None
        if event == "line":
            name = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            if name == line:
                os.kill(os.getpid(), signal.SIGKILL)
            seen[name] = True
        return trace

    sys.settrace(trace)
    try:
        yield seen
    finally:
        sys.settrace(None)
