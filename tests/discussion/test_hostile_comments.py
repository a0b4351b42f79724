"""Scripts in comments, tags and names are shown as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from discussion.services import tag_add, tag_update
from discussion.subjects import Subject
from tests.pages.test_rendering import HOSTILE

pytestmark = pytest.mark.django_db
NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</option></datalist><svg onload=alert(1)>",
    "{{ 7|add:7 }}{% now 'Y' %}",
]


class Reader(HTMLParser):
    """Every element with its attributes, as a browser would read them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_inert(text: str) -> None:
    for tag, attributes in Reader(text).found:
        assert tag != "script" or "src" in attributes
        assert tag not in {"img", "iframe", "style", "base", "object", "embed"}
        assert not [name for name in attributes if name.startswith(("on", "hx-on")) or name == "style"], attributes
        for name in ("href", "src", "action", "formaction"):
            assert re.match(r"^(/|#|\?|$)", attributes.get(name) or ""), attributes


@pytest.mark.parametrize("text", [*HOSTILE, *NAMES, "@vera<script>alert(1)</script>", '@vera" onclick="x'])
def test_scripts_in_comments_are_inert_wherever_they_are_shown(cast, run, say, text):
    comment = say(cast.edda, f"@vera {text}")
    for address in (f"/runs/{run.pk}/", "/mentions/", f"/experiments/{run.experiment_id}/"):
        assert_inert(cast.browsers["vera"].get(address).content.decode())
    for address in (f"/comments/{comment.pk}/edit/", f"/comments/{comment.pk}/"):
        htmx = {"HX-Request": "true"}
        assert_inert(cast.browsers["edda"].get(address, headers=htmx).content.decode())
    assert_inert(cast.browsers["edda"].get(f"/comments/{comment.pk}/edit/").content.decode())


@pytest.mark.parametrize("name", NAMES)
def test_scripts_in_tags_are_inert_wherever_they_are_shown(cast, run, name):
    for subject in (Subject(run.experiment), Subject(run), Subject(run, 1)):
        tag = tag_add(subject=subject, name=name[:40], user=cast.edda)
    tag_add(subject=Subject(run), name="another", user=cast.edda)
    addresses = ["/experiments/", f"/experiments/?tag={tag.pk}", f"/experiments/{run.experiment_id}/"]
    addresses += [f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/", "/tags/", f"/tags/{tag.pk}/", "/tags/names/"]
    addresses += [f"/leaderboard/?tag={tag.pk}", f"/litmus/?tag={tag.pk}"]
    for address in addresses:
        text = cast.browsers["edda"].get(address).content.decode()
        assert_inert(text)
    tag_update(tag=tag, name=f"x{name}"[:40], colour=2, user=cast.edda)
    told = cast.browsers["edda"].post(f"/tags/{tag.pk}/delete/", follow=True).content.decode()
    assert_inert(told)


def test_scripts_in_the_names_of_people_are_inert(cast, run, say):
    cast.edda.first_name = NAMES[1]
    cast.edda.save()
    say(cast.edda, "@vera")
    for address in (f"/runs/{run.pk}/", "/mentions/"):
        assert_inert(cast.browsers["alice"].get(address).content.decode())
        assert_inert(cast.browsers["vera"].get(address).content.decode())


def test_the_new_pages_have_no_inline_script_style_or_handler(cast, run, say):
    say(cast.edda, "@vera", period=1)
    tag = tag_add(subject=Subject(run), name="odd", user=cast.edda)
    cast.browsers["vera"].post(f"/runs/{run.pk}/star/", {"starred": "1"})
    for address in ("/starred/", "/mentions/", "/tags/", f"/tags/{tag.pk}/", f"/runs/{run.pk}/periods/1/?tab=comments"):
        response = cast.browsers["vera"].get(address)
        assert_inert(response.content.decode())
        assert "default-src 'self'" in response["Content-Security-Policy"]
        assert len(re.findall(r"<h1[ >]", response.content.decode())) == 1


def test_every_id_on_a_page_is_its_own(cast, run, say):
    for period in (None, 1):
        say(cast.vera, "One.", period)
        say(cast.vera, "Two.", period)
        tag_add(subject=Subject(run, period), name="odd", user=cast.edda)
    for address in (f"/runs/{run.pk}/periods/1/?tab=comments", f"/experiments/{run.experiment_id}/"):
        ids = re.findall(r'\sid="([^"]+)"', cast.browsers["alice"].get(address).content.decode())
        assert len(ids) == len(set(ids)), [name for name in ids if ids.count(name) > 1]
