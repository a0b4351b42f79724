"""Limits on the comments of a person."""

import pytest

from workspace.discussion.models import Comment
from workspace.discussion.services import comments

pytestmark = pytest.mark.usefixtures("noon")


def test_the_comments_and_edits_of_a_person_in_ten_minutes_are_limited(cast, run, monkeypatch):
    monkeypatch.setattr(comments, "MOST_IN_WINDOW", 3)
    address, vera = f"/runs/{run.pk}/comments/", cast.browsers["vera"]
    assert [vera.post(address, {"text": f"Comment {number}."}).status_code for number in range(2)] == [302, 302]
    edit = f"/comments/{Comment.objects.latest('pk').pk}/edit/"
    assert vera.post(edit, {"text": "Changed."}).status_code == 302
    for refused in (vera.post(address, {"text": "Kept in the form."}), vera.post(edit, {"text": "Kept in the form."})):
        assert refused.status_code == 422
        assert "Wait a few minutes" in refused.text and "Kept in the form." in refused.text
    assert cast.browsers["edda"].post(address, {"text": "Of somebody else."}).status_code == 302
    assert Comment.objects.filter(author=cast.vera).count() == 2


def test_the_comments_of_a_person_on_a_run_and_its_periods_are_limited(cast, run, monkeypatch):
    monkeypatch.setattr(comments, "MOST_ON_A_RUN", 2)
    vera = cast.browsers["vera"]
    places = (f"/runs/{run.pk}/comments/", f"/runs/{run.pk}/periods/1/comments/", f"/runs/{run.pk}/periods/2/comments/")
    assert [vera.post(place, {"text": "One more."}).status_code for place in places] == [302, 302, 422]
    vera.post(f"/comments/{Comment.objects.latest('pk').pk}/delete/")
    assert vera.post(places[0], {"text": "One more."}).status_code == 302
    assert Comment.objects.count() == 2
