"""Faults of the machine under a site: its database's lock, its disk, its clock, its web process."""

import errno
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tests.faults.zygote import kill_group
from tests.running_site import free_port
from tests.waiting import patience

DISK_MEGABYTES = 48
FAKETIME = "libfaketimeMT.so.1"


class Tools:
    """What some faults need. web: the pid of a web process and its port."""

    def __init__(self, clock=None):
        self.clock = clock
        self.web = None

    def change_clock(self, offset):
        assert self.clock is not None
        part = self.clock.with_suffix(".part")
        part.write_text(f"{offset}\n")
        part.replace(self.clock)

    def fill_disk(self, folder, seconds):
        """Write until there is no room, leave it so for a while, and make room again."""
        filler = folder / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                for size in (65536, 512):
                    try:
                        while True:
                            file.write(b"x" * size)
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
                time.sleep(seconds)
        finally:
            filler.unlink()

    def kill_web(self, site):
        """SIGKILL to the web process, and another one in its place."""
        if self.web is not None:
            kill_group(self.web[0])
        port = free_port()
        self.web = site.zygote.fork("web", port=port), port

    def close(self):
        if self.web is not None:
            kill_group(self.web[0])


def hold_the_lock(database, seconds):
    """Keep SQLite's write lock for a while, as a backup or a person's shell may."""
    with closing(sqlite3.connect(database, timeout=patience(), isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)


@contextmanager
def small_disk():
    """A folder on a disk of a few megabytes; None where this user may not mount one."""
    folder = Path(tempfile.mkdtemp(prefix="econevals-disk-"))
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "none", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(words, capture_output=True).returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        with suppress(OSError):
            shutil.rmtree(folder)


def clock_variables(folder):
    """Variables under which a process takes its clock's offset from a file; None without libfaketime."""
    found = sorted(Path("/usr/lib").glob(f"**/faketime/{FAKETIME}"))
    if not found:
        return None
    offset = folder / "clock"
    offset.write_text("+0\n")
    return {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
