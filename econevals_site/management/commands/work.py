import math
import os
import socket
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import closing
from typing import Any

from celery.beat import EmbeddedService
from celery.exceptions import SecurityWarning
from celery.signals import worker_ready
from django.conf import settings

from econevals_site.celery import app
from infrastructure import broker
from infrastructure.commands import QuickCommand
from infrastructure.processes.forked import Supervisor
from infrastructure.processes.memory import settle_memory

STOP_SECONDS = 110.0
"""Seconds that open calls have to finish after SIGTERM. docker-compose.yml allows two minutes."""


class Command(QuickCommand):
    help = "Run a worker, which plays due runs. If needed, it also starts the embedded broker and the scheduler."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--threads",
            type=at_least_one,
            default=settings.WORKER_THREADS,
            help="maximum number of runs played at once",
        )
        parser.add_argument(
            "--processes",
            type=at_least_one,
            default=1,
            help="number of processes that share the threads; each uses one core; with SQLite one is enough",
        )
        parser.add_argument(
            "--no-scheduler", action="store_true", help="use this if another process runs the scheduler (celery beat)"
        )

    def handle(self, **options: Any) -> None:
        with closing(broker.Keeper()):
            sys.exit(work_in_processes(**options) if options["processes"] > 1 else work_in_one_process(**options))


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be at least 1")
    return number


def work_in_processes(*, threads: int, processes: int, no_scheduler: bool, **options: Any) -> int:
    """Run several workers of one process each until a signal, and restart dead ones. The first runs the scheduler."""
    arguments = ["work", "--threads", str(math.ceil(threads / processes))]
    with Supervisor(STOP_SECONDS) as supervisor:
        for number in range(processes):
            supervisor.start(
                f"worker {number + 1}", *arguments, *(["--no-scheduler"] if no_scheduler or number else [])
            )
        return supervisor.watch()


def work_in_one_process(*, threads: int, no_scheduler: bool, **options: Any) -> int:
    if not no_scheduler:
        worker_ready.connect(start_scheduler)
    settle_memory()
    # Celery warns about root, which is the usual user in a container.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # Celery's command line would do the same, but its imports take 9 MB more.
    worker = app.Worker(
        hostname=f"econevals-{os.getpid()}@{socket.gethostname()}",
        pool_cls="threads",
        concurrency=threads,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return worker.exitcode or 0


def start_scheduler(**options: Any) -> None:
    """Run the scheduler in a thread of this process.

    Celery's own option forks the process, which has threads by then. The fork could inherit a lock that a thread holds.
    """
    # The schedule is not stored, because an extra or a missed sweep does no harm.
    EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler").start()
