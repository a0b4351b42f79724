from __future__ import annotations

from runs.management.control import ControlCommand
from runs.services.control import experiment_cancel, run_cancel


class Command(ControlCommand):
    help = "Cancel a run or an experiment for good. What was played so far stays."
    done = "cancelled"
    experiment_service = staticmethod(experiment_cancel)
    run_service = staticmethod(run_cancel)
