"""What a fork of the zygote does: the real commands and services, on the site that the environment names."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from django.core.management import call_command

from agents.options import LLMOptions
from tests.faults.games import agents_made, plans

USUAL_TIMEOUT = 600.0


def work(*, threads: int = 4, timeout: float | None = None, first_delay: float | None = None) -> None:
    """The worker of `manage.py work`. Waits that a test cannot afford may be shortened, nothing else is changed."""
    hurry(timeout, first_delay)
    call_command("work", "--threads", str(threads))


def hurry(timeout: float | None, first_delay: float | None) -> None:
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


def migrate() -> None:
    call_command("migrate", verbosity=0, interactive=False)


def broker() -> None:
    """The embedded broker, started as a worker would and left alone in this fork's process group."""
    from infrastructure.broker import start_if_down

    process = start_if_down()
    if process is not None:
        process.wait()


def web(*, port: int) -> None:
    import uvicorn

    uvicorn.run("econevals_site.asgi:application", host="127.0.0.1", port=port, log_level="warning", lifespan="off")


def launch(*, urls: dict[str, str], size: dict[str, Any], budget_nano: int | None = None, times: int = 1) -> list[int]:
    """One experiment for each plan of the games, as a person would launch them; their numbers."""
    from runs.bootstrap import ensure_organization
    from runs.services import experiment_launch

    organization, _ = ensure_organization(allow_environment_keys=False)
    agents = agents_made(organization, urls)
    return [
        experiment_launch(organization=organization, user=None, plan=plan, budget_nano=budget_nano).pk
        for _ in range(times)
        for plan in plans(agents, **size)
    ]


def play(*, experiments: list[int]) -> None:
    """Play experiments in this process, without worker and broker."""
    from runs.models import Experiment
    from runs.watching import play_here

    for experiment in Experiment.objects.filter(pk__in=experiments).order_by("pk"):
        play_here(experiment)


def export(*, experiments: list[int]) -> list[dict[str, Any]]:
    from runs.models import Run
    from transfer.writing import jsonl_lines

    return [json.loads(line) for line in jsonl_lines(Run.objects.filter(experiment__in=experiments))]


def command(*, words: list[str]) -> tuple[object, str, str]:
    """A command as somebody types it: its exit code and what it says on standard output and on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            call_command(*words)
            code: object = 0
        except SystemExit as exit:
            code = exit.code
    return code, out.getvalue(), err.getvalue()


def python(*, text: str) -> None:
    """What somebody does in a shell."""
    exec(text, {})


def resume(*, runs: list[int]) -> int:
    """What a person does about paused runs once the cause is gone."""
    from runs.models import Run
    from runs.services import runs_control

    return runs_control(runs=Run.objects.filter(pk__in=runs), action="resume", user=None)


def raise_budget(*, experiment: int, by_nano: int) -> None:
    """What a person does about an experiment that has spent its budget."""
    from runs.models import Experiment
    from runs.services import experiment_set_budget, runs_control

    row = Experiment.objects.get(pk=experiment)
    experiment_set_budget(experiment=row, budget_nano=(row.budget_nano or 0) + by_nano)
    runs_control(runs=row.runs.all(), action="resume", user=None)


def advance_lines(*, run: int, line: int) -> int:
    """Advance a run; SIGKILL this process before the `line`-th line of the engine, or count the lines where it is 0."""
    from tests.faults.lines import advance_until_line

    return advance_until_line(run, line)


ROLES: dict[str, Callable[..., Any]] = {
    "advance_lines": advance_lines,
    "broker": broker,
    "command": command,
    "export": export,
    "launch": launch,
    "migrate": migrate,
    "play": play,
    "python": python,
    "raise_budget": raise_budget,
    "resume": resume,
    "web": web,
    "work": work,
}
