"""Entries of a season whose experiments are cancelled, or deleted and restored."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.services.organizations import organization_create, organization_delete
from runs.episodes.models import Episode, JournalEntry, Season, Seat
from runs.episodes.refusals import SeatRefused
from runs.episodes.selectors import season_board
from runs.episodes.services.ending import season_close, season_reveal
from runs.episodes.services.opening import Harness
from runs.episodes.services.seasons import entry_open, entry_prepare
from runs.episodes.tasks import reveal
from runs.episodes.verifying import season_check
from runs.models import Experiment, Run
from runs.services.deletions import experiment_delete, experiment_undelete
from tests.api.conftest import owning, program  # noqa: F401
from tests.cast import open_season
from tests.runs.episodes.conftest import HARNESS, RestSeat

PRACTICE = {"environment": "pricing", "difficulty": "BASIC", "seed": 0, "periods": 3, "harness": HARNESS}


@pytest.fixture
def season():
    return open_season()


@pytest.fixture
def enter(owning):  # noqa: F811
    """Enter a season; return its two games, which have one period."""

    def enter(season):
        opened = owning.post("/episodes", {"season": season.slug, "harness": HARNESS}).json()["episodes"]
        Run.objects.update(periods=1)
        return opened

    return enter


@pytest.fixture
def board(owning, season):  # noqa: F811
    return lambda: owning.get(f"/seasons/{season.slug}").json()["board"]


def play(opened):
    """Play the only period of a game; return the code of a refusal."""
    return RestSeat(opened["token"]).act(0, {"Product_1": 5}).json().get("error", {}).get("code")


@pytest.mark.long
def test_a_game_finished_before_its_experiment_was_cancelled_is_scored(owning, enter, season):  # noqa: F811
    first, second = enter(season)
    play(first)
    run = Run.objects.get(pk=first["run"])
    assert owning.post(f"/experiments/{run.experiment_id}/cancel").json() == {"changed": 1}
    assert (Run.objects.get(pk=run.pk).state, play(second)) == ("open", "ended")
    assert season_reveal(season=season) == 2 and Season.objects.get().revealed_at
    run.refresh_from_db()
    assert (run.state, run.score) == ("finished", Episode.objects.get(run=run).result["score"])


def test_a_season_that_cannot_be_revealed_does_not_block_other_seasons(enter):
    seasons = [open_season(name) for name in ("One", "Two", "Three")]
    enter(seasons[1])
    Season.objects.filter(pk=seasons[1].pk).update(secret=b"unreadable")
    past = timezone.now() - timedelta(seconds=1)
    Season.objects.update(closes_at=past, reveals_at=past)
    with suppress(Exception):
        reveal()
    assert [bool(one.revealed_at) for one in Season.objects.order_by("pk")] == [True, False, True]


@pytest.mark.parametrize("is_revealed", [False, True])
def test_a_game_of_a_deleted_entry_stays_ended_after_the_undo(enter, season, board, is_revealed):
    first, second = enter(season)
    play(first)
    experiment = Experiment.objects.get()
    experiment_delete(experiment=experiment)
    if is_revealed:
        season_reveal(season=season)
    experiment_undelete(experiment=experiment)
    assert play(second) == "ended"
    (row,) = board()
    score = Episode.objects.get(pk=first["id"]).result["score"] / 2
    assert (row["finished"], row["in_play"], row["score"]) == (1, 0, score if is_revealed else round(score, 2))


def test_the_end_of_a_season_ends_previously_hidden_games(enter, season):
    """Such as those that an earlier version of the site left in play when it deleted their experiment."""
    first, _ = enter(season)
    Run.objects.update(deleted_at=timezone.now())
    season_close(season=season)
    Run.with_deleted.update(deleted_at=None)
    assert play(first) == "ended"


@pytest.mark.long
def test_an_undone_deletion_leaves_only_the_newer_entry_in_play(enter, season, board):
    old, _ = enter(season)
    experiment = Experiment.objects.get()
    experiment_delete(experiment=experiment)
    new, _ = enter(season)
    experiment_undelete(experiment=experiment)
    assert {row["entry"]: row["in_play"] for row in board()} == {1: 0, 2: 2}
    assert (play(old), play(new)) == ("ended", None)


def finish(opened, **result):
    """Ends a game with this result."""
    Episode.objects.filter(pk=opened["id"]).update(ending="finished", result=result)


def test_an_entry_has_no_flags_until_it_and_its_season_have_ended(enter, season, board):
    first, second = enter(season)
    finish(first, score=1.0, flagged=True)
    assert not board()[0]["flagged"]
    RestSeat(second["token"]).resign()
    assert not board()[0]["flagged"]
    season_close(season=season)
    assert board()[0]["flagged"] == 1


def test_an_open_season_shows_rounded_scores_only_to_their_own_organization(alice, other, enter, season, board, client):
    """Exact scores would reveal, entry by entry, how close an action was to the optimum of a sealed instance."""
    for score in (0.123456, 0.87654):
        for game in enter(season):
            finish(game, score=score)
    assert [row["score"] for row in board()] == [0.12, 0.88], "in order of their openings"
    assert [row.score for row in season_board(season, reader=other.organization)] == [None, None]
    for user, is_told in ((alice, True), (other.user, False)):
        client.force_login(user)
        text = client.get(reverse("play:season", args=[season.slug])).content.decode()
        assert "12.3" not in text and "87.6" not in text
        assert ("about 12" in text, "about 88" in text) == (is_told, is_told)
    season_close(season=season)
    assert [row["score"] for row in board()] == [0.87654, 0.123456]
    season.refresh_from_db()
    assert [row.score for row in season_board(season, reader=other.organization)] == [0.87654, 0.123456]


@pytest.mark.long
def test_an_entry_survives_its_organization_and_counts_for_its_opener(alice, owner, enter, season, program):  # noqa: F811
    Season.objects.update(entries=2)
    first, second = enter(season)
    RestSeat(first["token"]).call(0, "write_notes", notes="Ours alone.")
    RestSeat(second["token"]).resign()
    practice = program().post("/episodes", PRACTICE)
    assert practice.status_code == 201
    next_organization = organization_create(name="Next Lab", owner=alice)
    organization_delete(actor=owner, typed_name=owner.organization.name)
    assert not JournalEntry.objects.exists() and not Seat.objects.exists()
    assert Episode.objects.count() == len([first, second])
    fresh = program(next_organization.memberships.get())
    (row,) = fresh.get(f"/seasons/{season.slug}").json()["board"]
    assert (row["organization"], row["entry"], row["of"], row["in_play"]) == ("Market Lab", 1, 2, 0)
    assert row["commitments"] == [first["commitment"], second["commitment"]]
    again = fresh.post("/episodes", {"season": season.slug, "harness": HARNESS}).json()
    assert again["entry"] == 2
    for game in again["episodes"]:
        RestSeat(game["token"]).resign()
    refused = fresh.post("/episodes", {"season": season.slug, "harness": HARNESS})
    assert refused.json()["error"]["message"].startswith("A person, in all organizations together,")
    season_reveal(season=season)
    check = season_check(Season.objects.get(pk=season.pk))
    assert (check.is_secret, check.games, check.wrong) == (True, 4, [])


@pytest.mark.long
def test_the_board_separates_classes_and_lists_commitments_of_every_entry(organization, enter, season, board):
    one, other = enter(season)
    for opened in (one, other):
        RestSeat(opened["token"]).resign()
    person = entry_prepare(organization=organization, season=season, harness=Harness("human", "Ann"))
    entry_open(organization=organization, user=None, prepared=person)
    Episode.objects.filter(entry__number=2).update(ending="finished", result={"score": 1.0})
    season_close(season=season)
    assert [(row["player_class"], row["score"]) for row in board()] == [("outside", 0), ("human", 1)]
    assert board()[0]["commitments"] == [one["commitment"], other["commitment"]]


@pytest.mark.parametrize("ends", [season_close, season_reveal])
def test_an_entry_drawn_after_the_end_of_its_season_is_refused(organization, season, ends):
    prepared = entry_prepare(organization=organization, season=Season.objects.get(), harness=Harness(**HARNESS))
    ends(season=season)
    with pytest.raises(SeatRefused, match="The season Winter season is not open."):
        entry_open(organization=organization, user=None, prepared=prepared)
