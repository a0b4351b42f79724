"""What readers see of states: a few groups that do not overlap, whose numbers add up."""

from runs.models import Experiment, Run, RunState, StateGroup
from runs.models.states import SHOWN, STATES_OF
from runs.selectors.progress import Progress


def test_each_stored_state_is_in_exactly_one_group():
    assert set(SHOWN) == set(RunState)
    assert sorted(state for states in STATES_OF.values() for state in states) == sorted(RunState)
    assert set(STATES_OF) == set(StateGroup)


def test_states_of_one_group_differ_in_their_reason():
    labels = [shown.label for shown in SHOWN.values()]
    assert len(set(labels)) == len(labels)


def test_the_numbers_of_the_groups_add_up_to_all_runs():
    progress = Progress()
    for number, state in enumerate(RunState, start=1):
        progress.add(state, number)
    progress.not_played = 2
    groups = dict(progress.by_group)
    assert sum(groups.values()) == progress.total == sum(range(1, len(RunState) + 1))
    assert sum(number for _, _, number in progress.by_state) == progress.total
    assert set(groups) == set(StateGroup)


def test_the_filters_of_runs_and_experiments_split_each_list(page, launch):
    mixtures = [
        ("finished", "finished"), ("finished", "cancelled"), ("finished", "errored"), ("paused", "finished"),
        ("paused", "running"), ("queued", "finished"), ("waiting", "stalled"), ("stalled", "stalled"),
    ]  # fmt: skip
    for states in mixtures:
        experiment = launch("random", seeds=(0, 1))
        for run, state in zip(experiment.runs.order_by("id"), states, strict=True):
            Run.objects.filter(pk=run.pk).update(state=state)
    runs = {group: page.get("/runs/", {"state": group}).context["page"].paginator.count for group in StateGroup}
    assert sum(runs.values()) == Run.objects.count() and runs["stopped"] == 5
    found = {group: page.get("/experiments/", {"state": group}).context["page"].object_list for group in StateGroup}
    assert sum(map(len, found.values())) == Experiment.objects.count()
    for group, rows in found.items():
        assert all(SHOWN[row.progress.state].group == group for row in rows), group
    assert [len(found[group]) for group in ("running", "queued", "paused", "stopped", "finished")] == [1, 2, 1, 3, 1]


def test_links_and_views_with_older_filters_still_work(page, launch):
    launch("random", seeds=(0, 1)).runs.filter(instance__seed=1).update(state="errored")
    for state, number in (("pending", 1), ("attention", 1), ("errored", 1), ("waiting", 0)):
        text = page.get("/runs/", {"state": state})
        assert text.context["page"].paginator.count == number
        assert f'<option value="{state}" selected>' in text.text
