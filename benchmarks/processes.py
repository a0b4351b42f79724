"""Reads the process tree, processor time and memory of processes from /proc (Linux only)."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """Return the ids of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree = [pid]
    for member in tree:
        tree += children.get(member, [])
    return tree


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; an empty list if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of a process with its threads, in seconds; 0 if it has ended."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def kilobytes(pid: int, file: str, name: str) -> int:
    """Return the number after `name` in a file such as /proc/PID/status; 0 if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/{file}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.partition(f"{name}:")[2].split()[0])
