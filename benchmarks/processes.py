"""What /proc says about processes (Linux only)."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """A process and all that it and its children started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree = [pid]
    for member in tree:
        tree += children.get(member, [])
    return tree


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, from the state on; none for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def cpu_seconds(pid: int) -> float:
    """User and system time of a process with its threads."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def kilobytes(pid: int, file: str, name: str) -> int:
    """The number after a name in a file such as /proc/PID/status."""
    try:
        text = Path(f"/proc/{pid}/{file}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.partition(f"{name}:")[2].split()[0])
