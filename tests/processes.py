"""What /proc says about processes that tests start."""

from pathlib import Path


def is_alive(pid):
    """Whether a process runs; one that ended and was not reaped by its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def children(pid):
    """The processes that a process and its threads have started."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]
