from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Cancel a run or an experiment for good. The periods that were played are kept."
    action, done = "cancel", "cancelled"
