"""Libraries of statistics, which take longer to import than a page may take.

They are imported where they are used, so that other processes start without them. The web process imports them beside its
first requests; otherwise the first person to open a comparison would wait for a second.
"""

from importlib import import_module
from threading import Thread

LIBRARIES = (
    "scipy.stats",
    "statsmodels.regression.linear_model",
    "statsmodels.stats.power",
    # The models import these when they are fitted.
    "statsmodels.base.covtype",
    "statsmodels.stats.sandwich_covariance",
)


def load_libraries() -> Thread:
    """Import them in a thread, and return it."""
    # Not a daemon: the interpreter must not end in the middle of the import of an extension.
    thread = Thread(target=lambda: [import_module(name) for name in LIBRARIES], name="libraries")
    thread.start()
    return thread
