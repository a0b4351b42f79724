"""Experiments in stages, played by baselines."""

import pytest

UNEQUAL = ("random", "pricing-constant")
"""The second agent is clearly better."""


@pytest.fixture
def staged(launch):
    """Launch a comparison in stages; keyword arguments as of LaunchPlan."""

    def staged(*slugs, stages=(4, 8, 12), **options):
        return launch(*slugs, stages=stages, seeds=tuple(range(stages[-1])), **options)

    return staged


@pytest.fixture
def play_stage():
    """Play the queued runs of an experiment to their ends, then take the looks as the sweep does."""

    def play(experiment, look=True):
        from runs.stages.services import looks_take
        from tests.cast import play_to_the_end

        for run_id in experiment.runs.filter(state="queued").values_list("id", flat=True):
            play_to_the_end(run_id)
        if look:
            looks_take()

    return play
