"""Scripts in comments, tags and names are shown as text."""

import re
from html.parser import HTMLParser

import pytest

from discussion.services.tags import tag_update
from tests.pages.test_rendering import HOSTILE

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


@pytest.mark.parametrize("hostile", [*HOSTILE, *NAMES, "@vera<script>alert(1)</script>", '@vera" onclick="x'])
def test_scripts_in_comments_are_inert_wherever_they_are_shown(cast, run, say, text, hostile):
    comment = say(cast.edda, f"@vera {hostile}")
    for address in (f"/runs/{run.pk}/", "/mentions/", f"/experiments/{run.experiment_id}/"):
        assert_inert(text("vera", address))
    for address in (f"/comments/{comment.pk}/edit/", f"/comments/{comment.pk}/"):
        assert_inert(text("edda", address, headers={"HX-Request": "true"}))
    assert_inert(text("edda", f"/comments/{comment.pk}/edit/"))


@pytest.mark.parametrize("name", NAMES)
def test_scripts_in_tags_are_inert_wherever_they_are_shown(cast, run, tag, text, name):
    tag(name[:40], on=run.experiment), tag(name[:40], period=1), tag("another")
    bad = tag(name[:40])
    addresses = ["/experiments/", f"/experiments/?tag={bad.pk}", f"/experiments/{run.experiment_id}/"]
    addresses += [f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/", "/tags/", f"/tags/{bad.pk}/", "/tags/names/"]
    addresses += [f"/leaderboard/?tag={bad.pk}", f"/litmus/?tag={bad.pk}"]
    for address in addresses:
        assert_inert(text("edda", address))
    tag_update(tag=bad, name=f"x{name}"[:40], colour=2, user=cast.edda)
    assert_inert(cast.browsers["edda"].post(f"/tags/{bad.pk}/delete/", follow=True).text)


def test_scripts_in_the_names_of_people_are_inert(cast, run, say, text):
    cast.edda.first_name = NAMES[1]
    cast.edda.save()
    say(cast.edda, "@vera")
    for address in (f"/runs/{run.pk}/", "/mentions/"):
        assert_inert(text("alice", address))
        assert_inert(text("vera", address))


def test_pages_of_the_discussion_have_no_inline_script_style_or_handler(cast, run, say, tag):
    say(cast.edda, "@vera", period=1)
    cast.browsers["vera"].post(f"/runs/{run.pk}/star/", {"starred": "1"})
    pages = ("/starred/", "/mentions/", "/tags/", f"/tags/{tag().pk}/", f"/runs/{run.pk}/periods/1/?tab=comments")
    for address in pages:
        response = cast.browsers["vera"].get(address)
        assert_inert(response.text)
        assert "default-src 'self'" in response["Content-Security-Policy"]
        assert len(re.findall(r"<h1[ >]", response.text)) == 1


def test_every_id_on_a_page_is_its_own(cast, run, say, tag, text):
    for period in (None, 1):
        say(cast.vera, "One.", period), say(cast.vera, "Two.", period), tag(period=period)
    for address in (f"/runs/{run.pk}/periods/1/?tab=comments", f"/experiments/{run.experiment_id}/"):
        ids = re.findall(r'\sid="([^"]+)"', text("alice", address))
        assert len(ids) == len(set(ids)), [name for name in ids if ids.count(name) > 1]
