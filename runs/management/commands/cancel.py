from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Cancel a run or an experiment for good. What was played so far stays."
    action, done = "cancel", "cancelled"
