from __future__ import annotations

from runs.management.control import ControlCommand
from runs.services.control import experiment_retry, run_retry


class Command(ControlCommand):
    help = "Retry stalled and errored runs. They go on after the last complete period."
    done = "queued again"
    experiment_service = staticmethod(experiment_retry)
    run_service = staticmethod(run_retry)
