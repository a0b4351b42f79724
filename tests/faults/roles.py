"""What a fork of the zygote does, each role a function: real commands and services, on the site of the environment."""

import importlib
import io
import json
import os
import signal
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from django.core.management import call_command

from agents.options import LLMOptions
from tests.faults.batch_life import launch_by_batch, live_by_batch  # noqa: F401  Roles, too.
from tests.faults.games import agents_made, plans

USUAL_TIMEOUT = 600.0


def work(*, threads=4, timeout=None, first_delay=None):
    """The worker of `manage.py work`. Only waits that are too long for a test may be shortened."""
    hurry(timeout, first_delay)
    call_command("work", "--threads", str(threads))


def work_and_die(*, at, threads=4):
    """The worker of `manage.py work`. It gets SIGKILL when it first calls a function, named as 'module:name'."""
    module, name = at.split(":")
    found = importlib.import_module(module)
    assert callable(getattr(found, name)), f"{at} is elsewhere now"
    setattr(found, name, lambda *words, **more: os.kill(os.getpid(), signal.SIGKILL))
    call_command("work", "--threads", str(threads))


def hurry(timeout, first_delay):
    if timeout is not None:
        values = LLMOptions.__init__.__defaults__ or ()
        assert USUAL_TIMEOUT in values, "the time-out of a query has another default now"
        LLMOptions.__init__.__defaults__ = tuple(timeout if value == USUAL_TIMEOUT else value for value in values)
    if first_delay is not None:
        engine = [module for name, module in sys.modules.items() if name.startswith("runs.engine")]
        found = [module for module in engine if hasattr(module, "FIRST_DELAY_SECONDS")]
        assert found, "the first delay of a retry is elsewhere now"
        for module in found:
            module.FIRST_DELAY_SECONDS = first_delay  # type: ignore[attr-defined]


def migrate():
    call_command("migrate", verbosity=0, interactive=False)


def broker():
    """The embedded broker, started as a worker would and left alone in this fork's process group."""
    from infrastructure.broker import start_if_down

    process = start_if_down()
    if process is not None:
        process.wait()


def web(*, port):
    import uvicorn

    uvicorn.run("econevals_site.asgi:application", host="127.0.0.1", port=port, log_level="warning", lifespan="off")


def launch(*, urls, size, budget_nano=None, times=1):
    """One experiment for each plan of the games, as a person would launch them; their numbers."""
    from runs.bootstrap import ensure_organization
    from runs.services.experiments import experiment_launch

    organization, _ = ensure_organization(allow_environment_keys=False)
    agents = agents_made(organization, urls)
    return [
        experiment_launch(organization=organization, user=None, plan=plan, budget_nano=budget_nano).pk
        for _ in range(times)
        for plan in plans(agents, **size)
    ]


def play(*, experiments):
    """Play experiments in this process, without worker and broker."""
    from runs.models import Experiment
    from runs.watching import play_here

    for experiment in Experiment.objects.filter(pk__in=experiments).order_by("pk"):
        play_here(experiment)


def export(*, experiments):
    from runs.models import Run
    from workspace.transfer.writing.records import jsonl_lines

    return [json.loads(line) for line in jsonl_lines(Run.objects.filter(experiment__in=experiments))]


def command(*, words):
    """A command as typed: its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            call_command(*words)
            code = 0
        except SystemExit as exit:
            code = exit.code
    return code, out.getvalue(), err.getvalue()


def python(*, text):
    """Code that runs in a shell of the site."""
    exec(text, {})


def resume(*, runs):
    """What a person does about paused runs once the cause is gone."""
    from runs.models import Run
    from runs.services.control import runs_control

    return runs_control(runs=Run.objects.filter(pk__in=runs), action="resume", user=None)


def raise_budget(*, experiment, by_nano):
    """What a person does about an experiment that has spent its budget."""
    from runs.models import Experiment
    from runs.services.budgets import experiment_set_budget
    from runs.services.control import runs_control

    row = Experiment.objects.get(pk=experiment)
    experiment_set_budget(experiment=row, budget_nano=(row.budget_nano or 0) + by_nano)
    runs_control(runs=row.runs.all(), action="resume", user=None)


def advance_lines(*, run, line):
    """Advance a run; SIGKILL this process before the `line`-th line of the engine, or count the lines where it is 0.

    Lines are counted as they are about to run, in all threads.
    """
    import agents.loop
    import agents.survey
    import runs.engine
    from runs.engine.advance import advance

    watched = (str(Path(runs.engine.__file__).parent) + os.sep, agents.loop.__file__, agents.survey.__file__)
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(watched):
            return None
        if event == "line":
            lines += 1
            if lines == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    try:
        advance(run)
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return lines
