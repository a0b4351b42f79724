"""Participants of studies: consent, links, labels, the cap, and attacks."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from pages.play.models import Draft, Participant, Study
from runs.episodes.models import Episode, JournalEntry
from runs.models import Run
from tests.pages.play.conftest import CONSENT, Person

HTML = "<script>alert(1)</script>"


@pytest.fixture
def open_link(owner):
    """The address of a study's open link."""
    from pages.play.services.studies import open_link_create

    return lambda study: f"/p/{open_link_create(actor=owner, study=study)}/"


class Visitor(Person):
    """A person who arrives by an open link and continues by a personal link."""

    def agree(self, **more):
        self.open()
        answer = self.send("consent/", **{"ticket": self.hidden("ticket"), "label": self.hidden("label")} | more)
        if answer.status_code == 200:
            self.address = answer.redirect_chain[-1][0]
        return answer

    def hidden(self, name):
        return self.html.partition(f'name="{name}" value="')[2].partition('"')[0]


def rows():
    return (Participant.objects.filter(consented_at__isnull=False).count(), Run.objects.count(), Draft.objects.count())


@pytest.mark.long
def test_a_participant_cannot_play_before_giving_consent(study, link, open_link):
    first = study(practice=1)
    address = link(first, label="")
    for where in (address, open_link(first)):
        person = Person(where)
        person.open("?participant_label=curious")
        assert CONSENT in person.text() and "Nothing is recorded before you agree" in person.text()
        for part in ("practice/0/", "begin/", "periods/0/", "draft/", "resign/"):
            person.send(part, a0="3", notes="typed", period=0)
        assert rows() == (0, 0, 0) and not JournalEntry.objects.exists()
        assert not Participant.objects.filter(label="curious").exists()
    assert Participant.objects.get().practice == []


def test_a_participant_keeps_the_accepted_consent_text(study, link):
    asked = study()
    person = Person(link(asked))
    person.agree()
    Study.objects.update(consent="Another text")
    assert Participant.objects.get().consent == CONSENT
    moment = Participant.objects.get().consented_at
    person.agree()
    assert Participant.objects.get().consented_at == moment


@pytest.mark.long
def test_the_open_link_gives_each_browser_a_personal_link(study, open_link):
    address = open_link(study(practice=0))
    first, second = Visitor(address), Visitor(address)
    for person in (first, second):
        person.agree()
    assert first.address != second.address != address
    first.send("begin/")
    back = Visitor(address, first.client)
    assert back.open().redirect_chain[-1][0] == first.address and "Period 0" in back.text()
    # A form sent again by this browser creates no participant; another browser creates a new one.
    back.send("consent/", ticket="forged")
    back.send("consent/", ticket=second.hidden("ticket"))
    assert Participant.objects.count() == 2
    assert CONSENT in Visitor(address, Client()).open().content.decode()
    cookie = first.client.cookies[next(name for name in first.client.cookies if name.startswith("participant-"))]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/p/"


def test_a_consent_sent_twice_creates_a_single_participant(study, open_link):
    person = Visitor(open_link(study()))
    person.open()
    data = {"ticket": person.hidden("ticket"), "label": ""}
    # Two presses leave before the first answer, so the second has no cookie.
    answers = [Client().post(f"{person.address}consent/", data) for _ in range(2)]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert Participant.objects.count() == 1
    for ticket in ("", "forged", data["ticket"][:-1] + "x"):
        Client().post(f"{person.address}consent/", {"ticket": ticket})
    assert Participant.objects.count() == 1


def test_a_ticket_of_a_study_creates_no_participant_in_another_study(study, open_link):
    first, second = Visitor(open_link(study())), Visitor(open_link(study("scheduling")))
    first.open()
    second.send("consent/", ticket=first.hidden("ticket"))
    assert not Participant.objects.exists()


@pytest.mark.long
def test_the_cap_counts_all_participants_and_closes_only_the_open_link(study, open_link, link):
    small = study(most_participants=2)
    link(small)
    address = open_link(small)
    assert Visitor(address).agree().status_code == 200
    late = Visitor(address)
    assert late.agree().status_code == 422 and "This study is full." in late.text()
    invited = Person(link(small))
    assert "Practice: Period 0" in invited.agree().content.decode()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["participant_label", "PROLIFIC_PID", "label"])
def test_the_platform_label_is_read_from_the_address_and_is_unique(study, open_link, name):
    address = open_link(study())
    person = Visitor(address)
    person.address += f"?{name}=5f3c9a1b2d"
    person.open()
    hidden = {"ticket": person.hidden("ticket"), "label": person.hidden("label")}
    person.address = address
    assert hidden["label"] == "5f3c9a1b2d"
    person.send("consent/", **hidden)
    assert Participant.objects.get().label == "5f3c9a1b2d"
    again = Visitor(address)
    again.open(f"?{name}=5f3c9a1b2d")
    answer = again.send("consent/", ticket=again.hidden("ticket"), label=" 5f3c9a1b2d ")
    assert answer.status_code == 422 and Participant.objects.count() == 1
    assert "open the study in the browser in which you began" in again.text()


def test_a_stranger_cannot_take_the_label_or_slot_of_a_recruited_participant(study, open_link, link):
    small = study(most_participants=1)
    address = open_link(small)
    assert Visitor(address).agree(label="ann").status_code == 200
    recruited = Person(link(small, label="ann"))
    assert "Practice: Period 0" in recruited.agree().content.decode()
    assert [*Participant.objects.values_list("label", "label_is_typed")] == [("ann", True), ("ann", False)]
    with pytest.raises(ValidationError, match="Somebody takes part with the label ann already."):
        link(small, label="ann")


def test_a_participant_cannot_type_the_label_of_another(study, open_link, link):
    made = study()
    link(made, label="ann")
    for person in (Visitor(open_link(made)), Person(link(made))):
        answer = person.agree(label="ann")
        assert answer.status_code == 422 and "Somebody takes part with the label ann already." in person.text()


def test_a_participant_cannot_change_the_label_of_their_link(study, link):
    person = Person(link(study(), label="invited"))
    person.open("?participant_label=somebody-else")
    person.agree(label="somebody-else")
    assert Participant.objects.get().label == "invited"


@pytest.mark.parametrize("label", ["x" * 101, "two\nlines", "bell\x07", "‮evil"])
def test_an_invalid_label_is_refused_in_a_sentence(study, open_link, label):
    person = Visitor(open_link(study()))
    person.open()
    answer = person.send("consent/", ticket=person.hidden("ticket"), label=label)
    assert answer.status_code == 422 and "A label has at most 100 characters on one line." in person.text()
    assert not Participant.objects.exists()


@pytest.mark.long
def test_html_in_labels_titles_and_consents_is_escaped(study, open_link, page):
    odd = study(title=HTML, consent=HTML, name=HTML, completion_code=HTML)
    person = Visitor(open_link(odd))
    person.open(f"?label={HTML}")
    assert HTML not in person.html and "&lt;script&gt;alert(1)" in person.html
    person.send("consent/", ticket=person.hidden("ticket"), label=HTML)
    assert Participant.objects.get().label == HTML
    for address in (f"/studies/{odd.pk}/", f"/studies/{odd.pk}/?find={HTML}", "/play/"):
        assert HTML not in page.get(address).content.decode()


@pytest.mark.long
def test_a_link_revoked_during_play_ends_the_game_and_shows_nothing(study, link, owner):
    from pages.play.services.participants import participant_renew, participant_revoke

    person = Person(link(study()))
    person.start()
    person.play(0, a0="3")
    participant_revoke(actor=owner, participant=Participant.objects.get())
    for answer in (
        person.open(),
        person.send("draft/", period=1, a0="4"),
        person.play(1, a0="4"),
        person.open("history/"),
    ):
        assert answer.status_code == 404 and "This link is not available" in answer.content.decode()
    run = Run.objects.get()
    assert (run.state, run.periods_played, run.score) == ("cancelled", 1, None)
    renewed = Person(f"/p/{participant_renew(actor=owner, participant=Participant.objects.get())}/")
    renewed.open()
    assert "The organizers of the study ended it." in renewed.text() and "Payoff" not in renewed.text()


@pytest.mark.long
def test_a_new_link_replaces_a_lost_link_in_the_middle_of_a_game(study, link, owner):
    from pages.play.services.participants import participant_renew

    person = Person(link(study()))
    person.start()
    person.play(0, a0="3")
    person.send("draft/", period=1, a0="4.25", notes="half a thought")
    other = Person(f"/p/{participant_renew(actor=owner, participant=Participant.objects.get())}/")
    assert person.open().status_code == 404
    other.open()
    assert "Period 1" in other.text() and 'value="4.25"' in other.html and "half a thought" in other.html


@pytest.mark.long
def test_a_closed_study_lets_participants_finish_but_not_begin(study, link, open_link):
    closing = study(practice=0)
    address = open_link(closing)
    playing, invited = Person(link(closing)), Person(link(closing))
    playing.start()
    Study.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    assert invited.open().status_code == 410 and Visitor(address).open().status_code == 410
    assert invited.agree().status_code == 410
    assert playing.play(0, a0="3").status_code == 200 and Run.objects.get().periods_played == 1


@pytest.mark.long
def test_a_finished_game_cannot_be_replayed(study, link):
    person = Person(link(study(periods=1, completion_code="DONE42")))
    person.start()
    person.play(0, a0="3")
    assert "DONE42" in person.text()
    score = Run.objects.get().score
    for period in (0, 1, 2, 99):
        assert person.play(period, notes="again", a0="9").status_code in (200, 422)
    person.send("begin/")
    person.send("practice/0/", a0="9")
    person.send("resign/")
    person.send("consent/")
    assert person.send("draft/", period=1, a0="9").headers.get("HX-Refresh") == "true"
    assert (Run.objects.count(), Run.objects.get().score, Episode.objects.get().ending) == (1, score, "finished")
    assert "DONE42" in person.open().content.decode()


@pytest.mark.long
def test_participants_see_no_data_of_each_other_or_of_the_organization(study, link, owner):
    shared = study(name="Secret study name", periods=2)
    first, second = Person(link(shared, "first-label")), Person(link(shared, "second-label"))
    for person in (first, second):
        person.start()
    first.play(0, notes="first-notes", a0="3217.5")
    assert "3217.5" in first.html
    second.open()
    pages = [second.html] + [
        second.client.get(second.address + part).content.decode() for part in ("history/", "figure.json")
    ]
    for text in pages:
        for hidden in ("first-label", "first-notes", "3217.5", "Secret study name", "Pricing", owner.organization.name):
            assert hidden not in text
    secret = first.address.split("/")[2]
    for guessed in (
        secret[:-1],
        secret + "A",
        secret.swapcase(),
        "x" * 500,
        "..",
        "%00",
        str(Participant.objects.first().pk),
    ):
        assert Client().get(f"/p/{guessed}/").status_code == 404


@pytest.mark.long
def test_oversized_and_malformed_forms_are_refused_or_ignored(study, link):
    person = Person(link(study()))
    person.start()
    many = {f"a{place}": "1" for place in range(900)} | {"b0": "x", "a1x": "y"}
    assert person.send("draft/", period=0, notes="n" * 50_000, **many).status_code == 200
    draft = Draft.objects.get()
    assert len(draft.notes) == 20_000 and "b0" not in draft.values and "a1x" not in draft.values
    assert person.play(0, notes="n" * 20_001, a0="3").status_code == 422
    assert person.send("periods/0/", notes="n" * 3_000_000, a0="3").status_code == 400
    for value in ("nan", "inf", "1e400", "\x00", "=1+1", "9" * 2000):
        assert person.send("periods/0/", a0=value).status_code == 422, value
    assert (
        person.send("periods/0/", a0="3", notes="zero \x00 byte \ud800".encode("utf-8", "replace").decode()).status_code
        == 200
    )
    assert Run.objects.get().periods_played == 1


def test_a_link_with_too_many_requests_gets_429(study, link, noon, monkeypatch):
    monkeypatch.setattr("pages.play.views.doors.REQUESTS_A_MINUTE", 3)
    person = Person(link(study()))
    answers = [person.open() for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60 and "Wait a minute" in person.text()


def test_pages_of_links_send_no_referrer_and_ask_not_to_be_indexed(study, link):
    answer = Person(link(study())).open()
    assert answer.headers["Referrer-Policy"] == "same-origin" and "noindex" in answer.headers["X-Robots-Tag"]
    assert "no-store" in answer.headers.get("Cache-Control", "")


def test_invalid_labels_of_new_links_are_explained_and_create_no_link(study, link, page):
    made = study()
    link(made, "known")
    for labels, told in (
        ("known", "with the label known already."),
        ("a\na", "with the label a already."),
        ("a\nb\nc", "more labels"),
    ):
        answer = page.post(f"/studies/{made.pk}/links/", {"count": 2, "labels": labels})
        assert answer.status_code == 422 and told in answer.content.decode()
        assert "If that is you" not in answer.content.decode()
    assert Participant.objects.count() == 1


def test_the_audit_log_records_who_created_replaced_and_revoked_links(study, link, page):
    made = study(name="Pilot")
    link(made)
    (participant,) = Participant.objects.all()
    for what in ("renew", "revoke"):
        page.post(f"/studies/participants/{participant.pk}/{what}/")
    html = page.get("/organization/audit/").content.decode()
    assert html.count("Pilot, participant 1") == 2 and "Pilot, 1 link" in html


@pytest.mark.long
def test_hundreds_of_participants_are_paged_and_searched(study, page):
    made = study()
    Participant.objects.bulk_create(
        Participant(study=made, number=number, secret_hash=str(number), label=f"person {number:03}")
        for number in range(1, 121)
    )
    first = page.get(f"/studies/{made.pk}/").content.decode()
    assert "0 of 120 agreed" in first and "1–50 of 120" in first and "person 051" not in first
    assert "person 120" in page.get(f"/studies/{made.pk}/?page=3").content.decode()
    for asked in ("person 119", "119"):
        found = page.get(f"/studies/{made.pk}/", {"find": asked}).content.decode()
        assert "person 119" in found and "person 118" not in found and "Show all" in found
    nobody = page.get(f"/studies/{made.pk}/", {"find": "9" * 30}).content.decode()
    assert "No participant has this number or label." in nobody
    assert len(page.get(f"/studies/{made.pk}/participants.json").json()["rows"]) == 120
