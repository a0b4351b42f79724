from runs.management.control import ControlCommand


class Command(ControlCommand):
    help = "Retry stalled and errored runs. They go on after the last complete period."
    action, done = "retry", "queued again"
