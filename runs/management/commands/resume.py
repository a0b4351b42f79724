from __future__ import annotations

from runs.management.control import ControlCommand
from runs.services.control import experiment_resume, run_resume


class Command(ControlCommand):
    help = "Resume what is paused. A worker must be running to play it."
    done = "resumed"
    experiment_service = staticmethod(experiment_resume)
    run_service = staticmethod(run_resume)
