from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Retry runs that stalled or ended with an error. Each run continues after its last complete period."
    action, done = "retry", "queued again"
