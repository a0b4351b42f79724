"""An experiment with runs in several states, and names that try to leave their place."""

import pytest

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }} & =A1"


@pytest.fixture
def scored(launch):
    """Two agents on pricing; of each agent's runs the last is cancelled and the others have scores."""

    def create(seeds=6, name="Scored"):
        from runs.models import Experiment, Run

        experiment = launch("random", "optimum", seeds=tuple(range(seeds)), periods=100)
        Experiment.objects.filter(pk=experiment.pk).update(name=name)
        runs = list(experiment.runs.select_related("instance", "agent"))
        for run in runs:
            last = run.instance.seed == seeds - 1
            run.state, run.score = ("cancelled", None) if last else ("finished", 0.3 + 0.01 * run.instance.seed)
            run.reason = HOSTILE if last else ""
            if run.agent.slug == "optimum" and not last:
                run.score = 1 - 0.002 * run.instance.seed
        Run.objects.bulk_update(runs, ["state", "score", "reason"])
        return experiment

    return create
