"""Actions on several selected runs or experiments of a list."""

import pytest

from runs.models import Experiment, Run
from workspace.discussion.models import Tagging

ADDRESS, LIST = "/runs/selected/", "/runs/?state=queued&page=1"


@pytest.fixture
def runs(launch):
    return list(launch("random", seeds=(0, 1, 2)).runs.order_by("pk"))


def states():
    return list(Run.objects.order_by("pk").values_list("state", flat=True))


@pytest.mark.long
def test_selected_runs_are_paused_resumed_cancelled_and_retried(page, runs):
    ticked = {"run": [run.pk for run in runs[:2]], "back": LIST}
    for action, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        answer = page.post(ADDRESS, ticked | {"action": action}, follow=True)
        assert states() == [state, state, "queued"], action
        assert answer.redirect_chain == [(LIST, 302)] and "2 runs" in answer.text
    Run.objects.filter(pk=runs[0].pk).update(state="errored")
    assert "1 run again" in page.post(ADDRESS, ticked | {"action": "retry"}, follow=True).text
    assert states() == ["queued", "cancelled", "queued"]
    assert page.post(ADDRESS, ticked | {"action": "pause", "back": "https://elsewhere.example/"}).url == "/runs/"


def test_enter_in_the_tag_field_tags_runs_and_elsewhere_compares_them(page, runs):
    ticked = {"run": [run.pk for run in runs[1:]], "back": LIST}
    assert "Tagged 2 runs with odd." in page.post(ADDRESS, ticked | {"tag": "odd"}, follow=True).text
    assert set(Tagging.objects.values_list("run", flat=True)) == set(ticked["run"])
    assert page.post(ADDRESS, ticked).url.startswith("/compare/runs/?run=")
    refused = page.post(ADDRESS, ticked | {"tag": " ", "action": "tag"}, follow=True).text
    assert "Tagged" not in refused and 'class="notice error"' in refused


def test_selected_runs_are_exported_as_a_file(page, runs):
    text = b"".join(page.post(ADDRESS, {"run": [runs[0].pk], "action": "export"}).streaming_content).decode()
    assert text.splitlines()[0].startswith("experiment,run,")


def test_empty_selections_are_explained_and_viewers_refused(page, viewer, runs):
    assert "Tick the runs first." in page.post(ADDRESS, {"action": "cancel", "run": ["²", ""]}, follow=True).text
    ticked = {"run": [runs[0].pk]}
    assert viewer.post(ADDRESS, ticked | {"action": "cancel"}).status_code == 403
    assert viewer.post(ADDRESS, ticked | {"action": "compare"}).status_code == 302
    assert states() == ["queued"] * 3


@pytest.mark.long
def test_runs_of_another_organization_stay_unchanged(stranger, runs):
    ticked = {"run": [run.pk for run in runs]}
    for action in ("cancel", "pause"):
        assert "Nothing changed" in stranger.post(ADDRESS, ticked | {"action": action}, follow=True).text
    stranger.post(ADDRESS, ticked | {"action": "tag", "tag": "mine"})
    assert states() == ["queued"] * 3 and not Tagging.objects.exists()
    text = b"".join(stranger.post(ADDRESS, ticked | {"action": "export"}).streaming_content).decode()
    assert len(text.splitlines()) == 1


@pytest.mark.long
def test_selected_experiments_are_deleted_together_and_restored_by_a_button(page, launch):
    kept, *gone = (launch("random") for _ in range(3))
    address, where = "/experiments/selected/", "/experiments/?sort=name"
    ticked = {"experiment": [one.pk for one in gone], "back": where}
    for action, state in (("pause", "paused"), ("resume", "queued")):
        assert "2 runs" in page.post(address, ticked | {"action": action}, follow=True).text
        assert states() == ["queued", state, state]
    assert "Tagged 2 experiments with odd." in page.post(address, ticked | {"tag": "odd"}, follow=True).text
    answer = page.post(address, ticked | {"action": "delete"}, follow=True)
    assert answer.redirect_chain == [(where, 302)] and "Deleted 2 experiments with all their runs." in answer.text
    assert list(Experiment.objects.all()) == [kept]
    undo = f"/deleted/experiment/{','.join(str(one.pk) for one in reversed(gone))}/undo/"
    assert f'action="{undo}"' in answer.text and f'name="back" value="{where}"' in answer.text
    answer = page.post(undo, {"back": where}, follow=True)
    assert answer.redirect_chain == [(where, 302)]
    names = f"{gone[0].name}, {gone[1].name}"
    assert f"The experiments {names} are back. 2 runs are paused" in answer.text
    assert Experiment.objects.count() == 3 and states() == ["queued", "paused", "paused"]
    assert "back." not in page.post(undo, follow=True).text


@pytest.mark.long
def test_selections_of_strangers_and_viewers_change_no_experiment(page, viewer, stranger, launch):
    experiment = launch("random")
    address, ticked = "/experiments/selected/", {"experiment": [experiment.pk]}
    assert "Tick the experiments first." in page.post(address, {"action": "delete"}, follow=True).text
    assert 'name="experiment"' in page.get("/experiments/").text
    assert 'name="experiment"' not in viewer.get("/experiments/").text
    for action in ("delete", "cancel", "tag"):
        assert viewer.post(address, ticked | {"action": action, "tag": "mine"}).status_code == 403
        stranger.post(address, ticked | {"action": action, "tag": "mine"})
    assert states() == ["queued"] and Experiment.objects.exists() and not Tagging.objects.exists()
    assert stranger.post(f"/deleted/experiment/{experiment.pk}/undo/").status_code == 404
