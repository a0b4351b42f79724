from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError
from typing import Any

from celery.beat import EmbeddedService
from celery.signals import worker_ready
from django.conf import settings
from django.core.management.base import BaseCommand

from econevals_site.celery import app
from infrastructure import broker
from infrastructure.processes.memory import settle_memory
from infrastructure.processes.supervisor import Supervisor

LOOK_SECONDS = 1.0

STOP_SECONDS = 110.0
"""How long calls in flight may take to end on SIGTERM; less than the two minutes that docker-compose.yml gives."""


class Command(BaseCommand):
    help = "A worker: plays the runs that are due. Starts the embedded broker and the scheduler where nobody else does."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=at_least_one, default=settings.WORKER_THREADS, help="runs played at once")
        parser.add_argument(
            "--processes",
            type=at_least_one,
            default=1,
            help="processes that share the threads; one uses one core, and SQLite has no use for more",
        )
        parser.add_argument(
            "--no-scheduler", action="store_true", help="where another process runs the scheduler (celery beat)"
        )
        parser.add_argument("--of", type=int, help=SUPPRESS)

    def handle(self, **options: Any) -> None:
        keeper = broker.Keeper()
        try:
            sys.exit(several(**options) if options["processes"] > 1 else one(**options))
        finally:
            keeper.stop()


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be at least 1")
    return number


def several(*, threads: int, processes: int, no_scheduler: bool, **options: Any) -> int:
    """Workers of one process each until told to stop; the first has the scheduler, and who dies is started again."""
    share = math.ceil(threads / processes)
    command = [sys.executable, "manage.py", "work", "--threads", str(share), "--of", str(os.getpid())]
    commands = {
        f"worker {number + 1}": [*command, *(["--no-scheduler"] if no_scheduler or number else [])]
        for number in range(processes)
    }
    supervisor = Supervisor(commands, STOP_SECONDS)
    supervisor.start()
    return supervisor.watch()


def one(*, threads: int, no_scheduler: bool, of: int | None, **options: Any) -> int:
    words = ["--quiet", "worker", "--pool", "threads", "--concurrency", str(threads), "--loglevel", "WARNING"]
    words += ["--without-gossip", "--without-mingle", "--hostname", f"econevals-{os.getpid()}@%h"]
    if not no_scheduler:
        worker_ready.connect(_start_scheduler)
    settle_memory()
    if of is not None:
        leave_with(of)
    app.worker_main(words)
    return 0


def _start_scheduler(**options: Any) -> None:
    """Run the scheduler in a thread, which ends with this process.

    Celery's own option forks it. This process has threads by then, and a fork may inherit a lock that one of them holds.
    """
    # The schedule needs no memory: a sweep too many or too few is harmless.
    EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler").start()


def leave_with(parent: int) -> None:
    """Stop as on SIGTERM once the process that started this one is gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
