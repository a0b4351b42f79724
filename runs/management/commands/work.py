from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from econevals_site import valkey
from econevals_site.celery import app

COLLECT_AFTER = 20_000
"""New objects between two looks at the youngest ones."""


class Command(BaseCommand):
    help = "A worker: plays the runs that are due. Starts the embedded broker and the scheduler where nobody else does."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS, help="runs played at once")
        parser.add_argument(
            "--no-scheduler", action="store_true", help="where another process runs the scheduler (celery beat)"
        )

    def handle(self, **options: Any) -> None:
        broker = valkey.Keeper()
        words = [
            "--quiet",
            "worker",
            "--pool",
            "threads",
            "--concurrency",
            str(options["threads"]),
            "--loglevel",
            "WARNING",
        ]
        words += ["--without-gossip", "--without-mingle", "--hostname", "econevals@%h"]
        if not options["no_scheduler"]:
            # The schedule needs no memory: a sweep too many or too few is harmless.
            words += ["--beat", "--scheduler", "celery.beat:Scheduler"]
        settle_memory()
        try:
            app.worker_main(words)
        finally:
            broker.stop()
        sys.exit(0)


def settle_memory() -> None:
    """What was imported stays, so the collector need not look at it each time; a tenth of a worker's time went there."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
