from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Pause a run or an experiment. A call in progress is completed first."
    action, done = "pause", "paused"
