from __future__ import annotations

from runs.management.control import ControlCommand
from runs.services.control import experiment_pause, run_pause


class Command(ControlCommand):
    help = "Pause a run or an experiment. A call in progress is completed first."
    done = "paused"
    experiment_service = staticmethod(experiment_pause)
    run_service = staticmethod(run_pause)
