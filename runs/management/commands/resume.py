from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Resume what is paused. A worker must be running to play it."
    action, done = "resume", "resumed"
