"""Limits on what a person may write in a game, and on the notes that a page reads."""

import pytest

from infrastructure.fields import CompressedJSONField
from pages.play.services.games import MOST_NOTES
from runs.episodes.budget import GAME_BYTES
from runs.episodes.models import Episode, Seat
from tests.pages.play.conftest import Person


def begun(study, link, **values):
    person = Person(link(study(**values)))
    person.start()
    person.open()
    return person


@pytest.mark.long
def test_notes_over_the_budget_are_refused_together_with_the_action(study, link):
    person = begun(study, link)
    assert "20,000 characters a period" in person.text() and "2.0 MB in the whole game" in person.text()
    Seat.objects.update(size=GAME_BYTES - 150)
    refused = person.play(0, notes="x" * 200)
    assert refused.status_code == 422 and f"{GAME_BYTES:,} in the whole game" in refused.text
    assert Episode.objects.get().periods_played == 0
    assert person.play(0, notes="x" * 80).status_code == 200
    assert Episode.objects.get().periods_played == 1


@pytest.mark.long
def test_the_page_of_a_period_shows_the_latest_notes_and_links_to_the_others(study, link, monkeypatch):
    person = begun(study, link, periods=8)
    for period in range(6):
        person.open()
        person.play(period, notes=f"Note {period}. {'y' * (MOST_NOTES - 20)}")
    person.open()
    shown = [f"Note {period}." in person.text() for period in range(6)]
    assert shown == [False, False, False, True, True, True]
    assert f"{person.address}history/?before=3" in person.html
    earlier = person.client.get(f"{person.address}history/?before=3").text
    assert [f"Note {period}." in earlier for period in range(6)] == [True, True, True, False, False, False]
    for before in ("x", "-1", "9" * 40, "99"):
        assert "Note 5." in person.client.get(f"{person.address}history/?before={before}").text
    read, whole = [], CompressedJSONField.from_db_value
    monkeypatch.setattr(
        CompressedJSONField, "from_db_value", lambda *about: read.append(value := whole(*about)) or value
    )
    person.open()
    assert sum("notes" in value for value in read if isinstance(value, dict)) <= 4
