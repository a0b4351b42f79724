"""Runs functions at the same moment, each in its own thread."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def at_once(*acts):
    """Call all of them at the same moment; none may fail. Returns what they return."""
    start = Barrier(len(acts))

    def call(act):
        start.wait()
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(call, acts))
