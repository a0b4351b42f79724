"""Preloading of statistics libraries, whose import takes longer than a page may take.

The code imports them where it uses them, so that other processes start without them. The web process imports them during
its first requests. Otherwise the first person to open a comparison would wait for a second.
"""

from importlib import import_module
from threading import Thread

LIBRARIES = (
    "scipy.stats",
    "statsmodels.regression.linear_model",
    # Models of statsmodels import these when they are fitted.
    "statsmodels.base.covtype",
    "statsmodels.stats.sandwich_covariance",
)


def load_libraries() -> Thread:
    """Import LIBRARIES in a new thread, and return the thread."""
    # The thread is not a daemon, because the interpreter must not end during the import of an
    # extension module.
    thread = Thread(target=lambda: [import_module(name) for name in LIBRARIES], name="libraries")
    thread.start()
    return thread
