from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Pause a run or an experiment. Calls to models that are in progress are completed first."
    action, done = "pause", "paused"
