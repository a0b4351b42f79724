"""Concurrent and repeated requests: stars, tags and comments."""

import pytest
from django.http import Http404

from tests.at_once import at_once
from workspace.discussion.models import Star, Tag, Tagging
from workspace.discussion.services.comments import comment_create, star_set
from workspace.discussion.services.tags import tag_add, tag_merge
from workspace.discussion.subjects import Subject
from workspace.discussion.views.subjects import deleted_is_404

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 8


@pytest.fixture
def run(launch):
    return launch("random").runs.get()


@pytest.mark.parametrize("period", [None, 2])
def test_concurrent_stars_of_a_person_are_stored_once(run, alice, period):
    at_once(*[lambda: star_set(subject=Subject(run, period), user=alice, starred=True)] * THREADS)
    assert Star.objects.count() == 1


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["experiment", "run", "period"])
def test_concurrent_additions_of_a_tag_store_it_once(run, alice, kind):
    subject = {"experiment": Subject(run.experiment), "run": Subject(run), "period": Subject(run, 2)}[kind]
    names = ["Odd", "odd"] * (THREADS // 2)
    at_once(*[lambda name=name: tag_add(subject=subject, name=name, user=alice) for name in names])
    assert Tag.objects.count() == Tagging.objects.count() == 1


@pytest.mark.long
def test_a_tag_added_during_a_merge_points_to_no_deleted_tag(run, alice):
    old = tag_add(subject=Subject(run), name="old", user=alice)
    new = tag_add(subject=Subject(run.experiment), name="new", user=alice)
    at_once(
        lambda: tag_merge(tag=old, into=new, user=alice),
        *[lambda p=p: tag_add(subject=Subject(run, p), name="old", user=alice) for p in range(4)],
    )
    assert set(Tagging.objects.filter(run=run, period_index=None).values_list("tag__name", flat=True)) == {"new"}
    assert Tagging.objects.filter(run=run, period_index__isnull=False).count() == 4


def test_writing_about_a_deleted_run_gives_404(run, alice):
    subject = Subject(type(run).objects.select_related("organization").get(pk=run.pk))
    run.experiment.delete()
    for late in (
        lambda request: comment_create(subject=subject, author=alice, text="Too late."),
        lambda request: star_set(subject=subject, user=alice, starred=True),
        lambda request: tag_add(subject=subject, name="late", user=alice),
    ):
        with pytest.raises(Http404):
            deleted_is_404(late)(None)
