"""Seasons in the browser: a site operator opens, closes and reveals them, and nobody sees the secret before."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Membership
from runs.episodes.models import Entry, Episode, Season
from runs.episodes.secrets import season_secret
from runs.episodes.selectors import season_board
from runs.episodes.services.ending import season_close, season_reveal, season_reveal_request, seasons_to_reveal
from runs.episodes.services.opening import Harness
from runs.episodes.services.seasons import entry_open, entry_prepare
from runs.episodes.tasks import reveal
from tests.api.conftest import owning, program  # noqa: F401
from tests.cast import open_season
from tests.runs.episodes.conftest import HARNESS, sent  # noqa: F401
from tests.visitors import signed_in

SEASON_FORM = {
    "name": "Summer 2027", "environments": ["pricing"], "difficulties": ["BASIC"], "instances": "1", "entries": "2",
    "opens_at": "", "closes_at": "2099-12-31T18:00",
}  # fmt: skip


@pytest.fixture
def operator(join):
    """A client of an editor who is a site operator."""
    membership = join("olga", "editor")
    call_command("operator", membership.user.username)
    return signed_in(membership.user)


@pytest.fixture
def season():
    return open_season()


def enter(organization, season, user=None):
    prepared = entry_prepare(organization=organization, user=user, season=season, harness=Harness(**HARNESS))
    return entry_open(organization=organization, user=user, prepared=prepared)[0]


def actions():
    return list(AuditEntry.objects.filter(action__startswith="season.").order_by("id").values_list("action", flat=True))


def test_an_operator_opens_closes_and_reveals_a_season_in_the_browser(operator, organization):
    answer = operator.post("/seasons/new/", SEASON_FORM, follow=True)
    season = Season.objects.get()
    assert (season.state, season.entries, season.reveals_at) == ("open", 2, season.closes_at)
    assert "Nobody sees its secret" in answer.content.decode()
    enter(organization, season)
    announced = season.reveals_at
    operator.post(f"/seasons/{season.slug}/close/", {"confirm": season.name})
    season.refresh_from_db()
    assert (season.state, season.reveals_at) == ("closed", announced)
    assert set(Episode.objects.values_list("ending", flat=True)) == {"expired"}
    secret = season_secret(season).hex()
    assert secret not in operator.get(f"/seasons/{season.slug}/").content.decode()
    reveal()
    operator.post(f"/seasons/{season.slug}/reveal/", {"confirm": season.name})
    season.refresh_from_db()
    assert season.state == "revealing"
    assert secret not in operator.get(f"/seasons/{season.slug}/").content.decode()
    reveal()
    season.refresh_from_db()
    assert season.state == "over"
    assert secret in operator.get(f"/seasons/{season.slug}/").content.decode()
    assert actions() == ["season.created", "season.closed", "season.revealed"]
    assert not any(secret in str(row) for row in AuditEntry.objects.values_list())


@pytest.mark.parametrize("step", ["close", "reveal"])
def test_closing_and_revealing_ask_for_the_name_of_the_season(operator, season, step):
    if step == "reveal":
        season_close(season=season)
    page = operator.get(f"/seasons/{season.slug}/").content.decode()
    assert ("This cannot be undone." in page) is (step == "reveal")
    for confirm in ({}, {"confirm": ""}, {"confirm": season.slug}):
        answer = operator.post(f"/seasons/{season.slug}/{step}/", confirm, follow=True)
        assert "Nothing was done." in answer.content.decode()
    season.refresh_from_db()
    assert season.state == ("open" if step == "close" else "closed")


def test_an_open_season_is_not_revealed(operator, season):
    answer = operator.post(f"/seasons/{season.slug}/reveal/", {"confirm": season.name}, follow=True)
    assert "Close the season before you reveal it." in answer.content.decode()
    with pytest.raises(ValidationError):
        season_reveal_request(season=season)
    season.refresh_from_db()
    assert (season.state, season.revealed_at) == ("open", None)


def test_only_operators_run_seasons(page, season, owner, alice):
    for part in ("new", f"{season.slug}/close", f"{season.slug}/reveal"):
        answer = page.post(f"/seasons/{part}/", SEASON_FORM | {"confirm": season.name, "is_operator": "1"})
        assert (answer.status_code, "Only a site operator may do this." in answer.content.decode()) == (403, True)
    season.refresh_from_db()
    assert season.state == "open" and Season.objects.count() == 1


def test_a_season_is_closed_by_no_foreign_form_and_by_no_link(operator, season, join):
    for part in ("close", "reveal"):
        assert operator.get(f"/seasons/{season.slug}/{part}/", {"confirm": season.name}).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(Membership.objects.get(user__username="olga").user)
    assert strict.post(f"/seasons/{season.slug}/close/", {"confirm": season.name}).status_code == 403
    season.refresh_from_db()
    assert season.state == "open"


def test_two_closes_and_two_reveals_are_recorded_once(season, operator):
    member = Membership.objects.get(user__username="olga")
    first, second = Season.objects.get(), Season.objects.get()
    assert season_close(season=first, actor=member)
    assert not season_close(season=second, actor=member)
    assert second.closes_at == first.closes_at
    assert season_reveal_request(season=first, actor=member)
    assert not season_reveal_request(season=second, actor=member)
    assert actions() == ["season.closed", "season.revealed"]


def test_a_reveal_that_was_killed_goes_on_with_the_next_sweep(season, organization, monkeypatch):
    """The worker dies after the first of two games: the season stays unrevealed, and the next one does the rest."""
    from runs.episodes.services import ending

    enter(organization, season)
    season_close(season=season)
    season_reveal_request(season=season)
    real, calls = ending._reveal, []

    def dies_at_the_second(episode):
        calls.append(episode)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(episode)

    monkeypatch.setattr(ending, "_reveal", dies_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        season_reveal(season=season)
    monkeypatch.undo()
    season.refresh_from_db()
    assert season.revealed_at is None and list(seasons_to_reveal()) == [season]
    assert season_reveal(season=season) == 1
    season.refresh_from_db()
    assert season.state == "over" and not seasons_to_reveal()


def test_a_closed_season_is_revealed_at_its_announced_end_at_the_latest(season):
    season_close(season=season)
    assert not seasons_to_reveal()
    Season.objects.update(reveals_at=timezone.now() - timedelta(seconds=1))
    assert list(seasons_to_reveal()) == [season]


def test_entries_of_an_operators_organization_are_last_and_out_of_competition(organization, other, season, operator):
    ours, theirs = enter(organization, season), enter(other.organization, season)
    assert (ours.is_out_of_competition, theirs.is_out_of_competition) == (True, False)
    Episode.objects.filter(entry=ours).update(ending="finished", result={"score": 1.0})
    season_close(season=season)
    board = season_board(season, reader=organization)
    assert [(row.entry, row.group) for row in board] == [(theirs, "Outside agent"), (ours, "Out of competition")]
    assert "out of competition" in operator.get(f"/seasons/{season.slug}/").content.decode()


def test_an_organization_that_gets_an_operator_leaves_the_competition_until_the_close(organization, season, join):
    entry = enter(organization, season)
    assert not entry.is_out_of_competition
    call_command("operator", join("olga", "editor").user.username)
    season_close(season=season)
    assert Entry.objects.get().is_out_of_competition


def test_a_season_to_come_is_seen_by_operators_only(operator, page):
    now = timezone.now()
    season = open_season(opens_at=now + timedelta(days=1), closes_at=now + timedelta(days=2))
    assert season.name in operator.get("/seasons/").content.decode()
    assert operator.get(f"/seasons/{season.slug}/").status_code == 200
    assert season.name not in page.get("/seasons/").content.decode()
    assert page.get(f"/seasons/{season.slug}/").status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "new", "Choose a name"),
        ("name", "Winter season", "Choose a name"),
        ("closes_at", "2001-01-01T00:00", "A season closes after it opens."),
        ("closes_at", "soon", "A moment such as"),
        ("environments", ["patience_vs_impatience"], "is not one of the available choices"),
        ("difficulties", ["STANDARD"], "The difficulties of these environments are"),
    ],
)
def test_a_bad_season_gets_a_sentence_beside_its_field(operator, season, field, value, sentence):
    answer = operator.post("/seasons/new/", SEASON_FORM | {field: value})
    assert answer.status_code == 422
    error = answer.content.decode().partition(f'id="id_{field}_error">')[2].partition("</p>")[0]
    assert sentence in error
    assert Season.objects.count() == 1


def test_the_command_closes_and_reveals_by_the_same_services(season, capsys):
    call_command("season", "close", season.slug)
    assert "(closed)" in capsys.readouterr().out
    call_command("season", "reveal", season.slug)
    assert "(revealing)" in capsys.readouterr().out
    assert list(seasons_to_reveal()) == [season]
