"""Scripts in comments, tags and names are escaped."""

import re
from html.parser import HTMLParser

import pytest

from tests.layout import check_markup
from tests.pages.dashboard.hostile_markdown import DANGEROUS
from workspace.discussion.services.tags import tag_update

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</option></datalist><svg onload=alert(1)>",
    "{{ 7|add:7 }}{% now 'Y' %}",
]


class InertPage(HTMLParser):
    """Checks every element and its attributes, as a browser would read them."""

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert tag != "script" or "src" in attributes
        assert tag not in {"img", "iframe", "style", "base", "object", "embed"}
        assert not [name for name in attributes if name.startswith(("on", "hx-on")) or name == "style"], attributes
        for name in ("href", "src", "action", "formaction"):
            assert re.match(r"^(/|#|\?|$)", attributes.get(name) or ""), attributes


def assert_inert(text):
    InertPage().feed(text)


@pytest.mark.long
def test_scripts_in_tags_are_escaped_on_every_page(cast, run, tag, text):
    for name in NAMES:
        tag(name[:40], on=run.experiment), tag(name[:40], period=1)
        bad = tag(name[:40])
        for address in (
            f"/tags/{bad.pk}/",
            *(f"/{page}/?tag={bad.pk}" for page in ("experiments", "leaderboard", "litmus")),
        ):
            assert_inert(text("edda", address))
    tag("another")
    addresses = ["/experiments/", f"/experiments/{run.experiment_id}/", "/tags/", "/tags/names/"]
    for address in (*addresses, f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/"):
        assert_inert(text("edda", address))
    for bad in run.organization.tags.exclude(name="another"):
        tag_update(tag=bad, name=f"x{bad.name}"[:40], colour=2, user=cast.edda)
        assert_inert(cast.browsers["edda"].post(f"/tags/{bad.pk}/delete/", follow=True).text)


@pytest.mark.long
def test_scripts_in_comments_and_names_are_escaped_on_every_page(cast, run, say, text):
    cast.edda.first_name = NAMES[1]
    cast.edda.save()
    for hostile in (*DANGEROUS, *NAMES, "@vera<script>alert(1)</script>", '@vera" onclick="x'):
        comment = say(cast.edda, f"@vera {hostile}")
        for address in (f"/comments/{comment.pk}/edit/", f"/comments/{comment.pk}/"):
            assert_inert(text("edda", address, headers={"HX-Request": "true"}))
    assert_inert(text("edda", f"/comments/{comment.pk}/edit/"))
    for address in (f"/runs/{run.pk}/?comments=all", "/mentions/", f"/experiments/{run.experiment_id}/"):
        assert_inert(text("alice", address))
        assert_inert(text("vera", address))


@pytest.mark.long
def test_discussion_pages_have_no_inline_scripts_or_styles_or_repeated_ids(cast, run, say, tag):
    for period in (None, 1):
        say(cast.edda, "@vera", period), say(cast.vera, "Two.", period), tag(period=period)
    cast.browsers["vera"].post(f"/runs/{run.pk}/star/", {"starred": "1"})
    pages = ("/starred/", "/mentions/", "/tags/", f"/tags/{tag().pk}/", f"/experiments/{run.experiment_id}/")
    for address in (*pages, f"/runs/{run.pk}/periods/1/?tab=comments"):
        response = cast.browsers["vera"].get(address)
        assert_inert(response.text)
        check_markup(response.text)
        assert "default-src 'self'" in response["Content-Security-Policy"]
