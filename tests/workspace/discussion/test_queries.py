"""The number of queries does not grow with the number of comments, tags and stars."""

import pytest

from tests.queries import PARTIAL, SIGNED_IN, queries_of
from workspace.discussion.models import Tag
from workspace.discussion.services.comments import star_set
from workspace.discussion.subjects import Subject


@pytest.mark.long
def test_query_counts_of_pages_do_not_grow_with_the_discussion(cast, run, say, tag):
    def much():
        """Much of everything, on the run, its periods and its experiment; more each time."""
        names = [f"tag {Tag.objects.count() + number}" for number in range(3)]
        for name in names:
            tag(name, on=run.experiment)
        for period in (None, 0, 1, 2):
            for author in (cast.alice, cast.edda, cast.vera):
                say(author, "@alice @edda @vera what do you think?", period)
            for name in names:
                tag(name, period)
            star_set(subject=Subject(run, period), user=cast.alice, starred=True)

    much()
    browser = cast.browsers["alice"]
    browser.get(f"/runs/{run.pk}/")  # The first visit is stored once.
    first = run.organization.tags.first().pk
    pages = {
        f"/runs/{run.pk}/": SIGNED_IN + 11,
        f"/runs/{run.pk}/periods/1/?tab=comments": SIGNED_IN + 11,
        f"/experiments/{run.experiment_id}/": SIGNED_IN + 10,
        "/experiments/": SIGNED_IN + 5,
        f"/experiments/?tag={first}": SIGNED_IN + 6,
        "/starred/": SIGNED_IN + 2,
        "/mentions/": SIGNED_IN + 3,
        "/tags/": SIGNED_IN + 2,
        f"/tags/{first}/": SIGNED_IN + 5,
    }
    parts = {
        f"/runs/{run.pk}/periods/1/?tab=comments": PARTIAL + 10,
        f"/runs/{run.pk}/comments/": PARTIAL + 2,
        "/tags/names/": PARTIAL + 1,
    }
    for _ in range(2):
        assert {address: queries_of(browser, address) for address in pages} == pages
        htmx = {"HX-Request": "true"}
        assert {address: queries_of(browser, address, **htmx) for address in parts} == parts
        much()
