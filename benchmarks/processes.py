"""Reads the process tree, processor time and memory of processes from /proc (Linux only)."""

import os
from contextlib import suppress
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


def _read(pid: int, file: str) -> str:
    """Return the text of a file such as /proc/PID/stat; an empty text if the process has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/{file}").read_text()
    return ""


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; an empty list if the process has ended."""
    return _read(pid, "stat").rpartition(")")[2].split()


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of a process with its threads, in seconds; 0 if it has ended."""
    return sum(map(int, _stat(pid)[11:13])) / TICKS


def kilobytes(pid: int, file: str, name: str) -> int:
    """Return the number after `name` in a file such as /proc/PID/status; 0 if the process has ended."""
    fields = _read(pid, file).partition(f"{name}:")[2].split()
    return int(fields[0]) if fields else 0
