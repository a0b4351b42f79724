"""A text is rendered once and cached, and a poll without changes renders nothing."""

import re

import pytest
from django.test import Client

from infrastructure.text.rendering import render_note
from runs.models import Note, Run
from tests.security.long_texts import table
from tests.sharing.conftest import link  # noqa: F401
from tests.workspace.discussion.conftest import cast, run, say  # noqa: F401

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _nothing_kept():
    render_note.cache.clear()


@pytest.mark.long
def test_many_small_texts_are_rendered_once(run, link):  # noqa: F811
    Run.objects.filter(pk=run.pk).update(periods=20, periods_played=20)
    Note.objects.filter(run=run).delete()
    text = "1) a\n2. b\n" * 2_500
    Note.objects.bulk_create(
        Note(run=run, period_index=period, seat="seat_0", order=0, text=f"{period}\n\n{text}") for period in range(20)
    )
    path = link(run, with_notes=True)

    def see():
        assert Client().get(f"{path}runs/1/notes/").status_code == 200
        return {key: id(html) for key, html in render_note.cache.items()}

    kept = see()
    assert len(kept) == 20 and see() == kept


def test_a_poll_of_unchanged_comments_renders_nothing(cast, run, say):  # noqa: F811
    comment = say(cast.edda, table(9_000))
    browser, address = cast.browsers["vera"], f"/runs/{run.pk}/comments/"
    first = browser.get(address, headers=HTMX).text
    version = re.search(r"\?version=([\d.]+)", first)[1]
    render_note.cache.clear()
    assert browser.get(f"{address}?version={version}", headers=HTMX).status_code == 204
    assert not len(render_note.cache)
    cast.browsers["edda"].post(f"/comments/{comment.pk}/edit/", {"text": "Other words."})
    assert "Other words." in browser.get(f"{address}?version={version}", headers=HTMX).text


def test_a_poll_of_a_waiting_period_is_answered_when_the_run_moves(cast, run):  # noqa: F811
    Run.objects.filter(pk=run.pk).update(state="running", periods=9)
    browser = cast.browsers["vera"]
    panel = browser.get(f"/runs/{run.pk}/periods/5/", headers=HTMX).text
    poll = re.search(r'data-poll hx-get="([^"]+)"', panel)[1].replace("&amp;", "&")
    assert browser.get(poll, headers=HTMX).status_code == 204
    Run.objects.filter(pk=run.pk).update(queries=99)
    moved = browser.get(poll, headers=HTMX | {"HX-Current-URL": f"http://testserver/runs/{run.pk}/"})
    assert moved.status_code == 200 and "HX-Push-Url" not in moved
    assert poll not in moved.text.replace("&amp;", "&")
