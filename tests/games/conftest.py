"""Whole runs of baselines."""

from tests.figures import baseline_run  # noqa: F401
