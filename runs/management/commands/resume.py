from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Resume a paused run or experiment. A worker must be running to play it."
    action, done = "resume", "resumed"
