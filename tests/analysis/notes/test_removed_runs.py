"""Deleted text is quoted nowhere: not by analyses that read it, nor by their files, API or share links."""

import pytest
from django.test import Client

from accounts.deletions import kinds
from accounts.services.deletions import row_erase
from analysis.notes.models import NotesAnalysis, SearchEntry
from analysis.notes.study.selectors import StudyFilter
from analysis.notes.study.services import analysis_start
from runs.models import Run
from runs.services.deletions import experiment_delete, experiment_undelete
from sharing.services import share_link_create
from tests.api.conftest import owning, program  # noqa: F401

SECRET = "Zanzibar price rises; the Zanzibar trend is linear.\n\nThe drift of Zanzibar prices is a linear trend."  # noqa: S105
OTHER = "The cycle has a peak; its amplitude and phase matter.\n\nAmplitude of the cycle, phase of the peak."


@pytest.fixture
def analysed(run_with, organization, alice, owner, computed):
    """Two experiments whose notes an analysis read, and everything that shows its result: name -> text."""
    removed = run_with([SECRET] * 12, agent="drifter")
    removed.experiment.name = "Zanzibar"
    removed.experiment.save()
    run_with([OTHER] * 12, agent="cycler")
    analysis_start(organization=organization, user=alice, study_filter=StudyFilter(environment="pricing"))
    analysis = computed()
    links = {
        with_notes: share_link_create(actor=owner, target=analysis, lasts="30", label="x", with_notes=with_notes)[1]
        for with_notes in (True, False)
    }
    return removed.experiment, analysis, links


@pytest.fixture
def texts(analysed, page, owning):  # noqa: F811
    _, analysis, links = analysed

    def read():
        parts = ("", "figure.json", "result.csv", "result.json")
        pages = {part: page.get(f"/notes/{analysis.pk}/{part}").text for part in parts}
        shared = {f"shared {key}": Client().get(f"/s/{link}/").text for key, link in links.items()}
        figure = {"shared map": Client().get(f"/s/{links[True]}/map.json").text}
        return pages | shared | figure | {"api": owning.get(f"/notes-analyses/{analysis.pk}").content.decode()}

    return read


def naming(texts):
    return {name for name, text in texts.items() if "zanzibar" in text.lower()}


@pytest.mark.long
def test_a_deleted_run_is_quoted_nowhere_until_the_undo(analysed, texts, alice):
    experiment, analysis, _ = analysed
    run = Run.objects.get(experiment=experiment)
    before = texts()
    assert naming(before) == {"", "result.csv", "result.json", "shared True", "api"}
    experiment_delete(experiment=experiment, actor=alice)
    after = texts()
    assert naming(after) == set()
    assert "Words that stand out" in before[""] and "Words that stand out" not in after[""]
    assert "24 of" in after[""] and "Cluster 1" in after[""] and "Runs that it read were deleted since." in after[""]
    assert f"/runs/{run.pk}/" in before["figure.json"] and f"/runs/{run.pk}/" not in after["figure.json"]
    assert "amplitude" in after["result.json"].lower(), "what others wrote stays"
    experiment_undelete(experiment=experiment, actor=alice)
    restored = texts()
    assert naming(restored) == naming(before) and restored["result.json"] == before["result.json"]


def test_permanently_deleted_text_is_in_no_table(analysed, texts, alice, indexed):
    experiment, analysis, _ = analysed
    indexed()
    assert SearchEntry.objects.filter(words__contains="zanzibar").exists()
    experiment_delete(experiment=experiment, actor=alice)
    experiment.refresh_from_db()
    assert row_erase(kind=kinds["experiment"], row=experiment, actor=alice)
    assert naming(texts()) == set()
    stored = NotesAnalysis.objects.get(pk=analysis.pk)
    assert "zanzibar" not in str(stored.result).lower() and stored.result["paragraphs"] == 48
    assert not SearchEntry.objects.filter(words__contains="zanzibar").exists()
