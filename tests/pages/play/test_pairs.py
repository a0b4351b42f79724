"""Two participants of a study in one market."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from pages.play.models import Participant
from pages.play.services.participants import participant_revoke
from runs.episodes.models import Episode
from runs.episodes.services.ending import episodes_expire
from runs.models import Run
from tests.pages.play.conftest import Person

MARKET = "collusiveness_vs_competitiveness"


@pytest.fixture
def pair(study, link):
    """A study of a market of two, and two people with a link who have not begun."""
    found = study(
        MARKET,
        rival="",
        practice=0,
        fee=Decimal("2.50"),
        shows_payoff=True,
        completion_code="DONE42",
        completion_url="https://example.org/?cc=DONE42",
    )
    return found, Person(link(found)), Person(link(found))


@pytest.mark.long
def test_two_participants_share_a_market_and_play_it_to_the_end(pair, study):
    _, first, second = pair
    first.start()
    first.play(0, a0="2")
    assert "The second player has not begun yet" in first.text()
    assert first.client.get(first.address, headers={"HX-Request": "true"}).status_code == 204
    assert first.play(0, a0="2").status_code == 200  # the form again
    second.start()
    assert Episode.objects.count() == 1 and "Period 0" in second.text()
    second.play(0, a0="1.5")
    assert first.client.get(first.address, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    first.open()
    assert "asked 1.50" in first.text() and "Period 1" in first.text()
    for period in (1, 2):
        first.play(period, a0="2")
        assert "The other player has not yet" in first.text()
        second.play(period, a0="2")
    for person in (first, second):
        assert "DONE42" in person.open().content.decode() and "2.50 USD" in person.text()
    assert Run.objects.get().state == "finished"


@pytest.mark.long
def test_a_third_participant_waits_in_a_new_market(pair, link):
    found, first, second = pair
    third = Person(link(found))
    for person in (first, second, third):
        person.start()
    assert list(Episode.objects.order_by("pk", "seats__pk").values_list("seats__participant__number", flat=True)) == [
        1,
        2,
        3,
        None,
    ]
    third.play(0, a0="2")
    assert "The second player has not begun yet" in third.text()


@pytest.mark.long
def test_the_time_limit_restarts_when_the_second_participant_begins(pair):
    _, first, second = pair
    first.start()
    late = timezone.now() + timedelta(minutes=5)
    Episode.objects.update(period_due_at=late)
    second.start()
    assert Episode.objects.get().period_due_at > late + timedelta(hours=23)


@pytest.mark.long
def test_an_expired_market_gets_no_second_participant(pair):
    _, first, second = pair
    first.start()
    Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
    second.start()
    assert Episode.objects.count() == 2


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("leaves", "state"), [("time", "Time ran out"), ("resigns", "Resigned"), ("revoked", "Withdrawn")]
)
def test_a_player_whose_partner_leaves_reaches_the_end_of_the_study(pair, page, owner, leaves, state):
    found, first, second = pair
    for person in (first, second):
        person.start()
    first.play(0, a0="2")
    if leaves == "resigns":
        second.send("resign/")
        second.send("resign/")
    elif leaves == "revoked":
        participant_revoke(actor=owner, participant=Participant.objects.get(number=2))
    else:
        Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
        first.open()
        assert "You did everything that was asked." in first.text()  # before the sweep and after it
        episodes_expire()
    first.open()
    assert "The other player left the game or did not act in time" in first.text()
    assert "2.50 USD" in first.text() and "DONE42" in first.html
    second.open()
    assert "DONE42" not in second.html and "2.50" not in second.text()
    first.send("resign/")
    participant_revoke(actor=owner, participant=Participant.objects.get(number=1))
    table = page.get(f"/studies/{found.pk}/participants.json").json()["rows"]
    assert [(row["state"], row["payoff"]) for row in table] == [
        ("Left alone", 2.5),
        (state, None),
    ]
    assert "Left alone" in page.get(f"/studies/{found.pk}/").content.decode()


@pytest.mark.long
def test_a_waiting_player_who_runs_out_of_time_gets_no_completion_code(study, link):
    person = Person(link(study(completion_code="DONE42", shows_payoff=True)))
    person.start()
    Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
    person.open()
    assert "Its time ran out." in person.text() and "DONE42" not in person.html
