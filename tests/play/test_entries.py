"""Entries of a season whose experiments are cancelled, or deleted and brought back."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.utils import timezone

from episodes.models import Episode, Season
from episodes.refusals import Refused
from episodes.services import Harness, entry_open, entry_prepare, season_close, season_reveal
from episodes.tasks import reveal
from runs.models import Experiment, Run
from runs.services import experiment_delete, experiment_undelete
from tests.api.conftest import owning, program  # noqa: F401
from tests.cast import open_season
from tests.episodes.conftest import HARNESS, RestSeat


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
def test_a_game_that_was_finished_before_its_experiment_was_cancelled_gets_its_score(owning, enter, season):  # noqa: F811
    first, second = enter(season)
    play(first)
    run = Run.objects.get(pk=first["run"])
    assert owning.post(f"/experiments/{run.experiment_id}/cancel").json() == {"changed": 1}
    assert (Run.objects.get(pk=run.pk).state, play(second)) == ("open", "ended")
    assert season_reveal(season=season) == 2 and Season.objects.get().revealed_at
    run.refresh_from_db()
    assert (run.state, run.score) == ("finished", Episode.objects.get(run=run).result["score"])


def test_a_season_that_cannot_be_revealed_does_not_hold_back_the_others(enter):
    seasons = [open_season(name) for name in ("One", "Two", "Three")]
    enter(seasons[1])
    Season.objects.filter(pk=seasons[1].pk).update(secret=b"unreadable")
    Season.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    with suppress(Exception):
        reveal()
    assert [bool(one.revealed_at) for one in Season.objects.order_by("pk")] == [True, False, True]


@pytest.mark.parametrize("is_revealed", [False, True])
def test_a_game_of_a_deleted_entry_is_not_played_on_after_the_undo(enter, season, board, is_revealed):
    first, second = enter(season)
    play(first)
    experiment = Experiment.objects.get()
    experiment_delete(experiment=experiment)
    if is_revealed:
        season_reveal(season=season)
    experiment_undelete(experiment=experiment)
    assert play(second) == "ended"
    (row,) = board()
    score = Episode.objects.get(pk=first["id"]).result["score"]
    assert (row["finished"], row["in_play"], row["score"]) == (1, 0, score / 2)


def test_the_end_of_a_season_ends_games_that_were_hidden_before_it(enter, season):
    """Such as those that an earlier version of the site left in play when it deleted their experiment."""
    first, _ = enter(season)
    Run.objects.update(deleted_at=timezone.now())
    season_close(season=season)
    Run.with_deleted.update(deleted_at=None)
    assert play(first) == "ended"


@pytest.mark.long
def test_a_deletion_that_is_undone_leaves_the_newer_entry_alone_in_play(enter, season, board):
    old, _ = enter(season)
    experiment = Experiment.objects.get()
    experiment_delete(experiment=experiment)
    new, _ = enter(season)
    experiment_undelete(experiment=experiment)
    assert {row["entry"]: row["in_play"] for row in board()} == {1: 0, 2: 2}
    assert (play(old), play(new)) == ("ended", None)


def test_nothing_of_an_entry_is_flagged_while_it_is_in_play(enter, season, board):
    first, second = enter(season)
    ended = {"ending": "finished", "result": {"score": 1.0, "flagged": True}}
    Episode.objects.filter(pk=first["id"]).update(**ended)
    assert not board()[0]["flagged"]
    RestSeat(second["token"]).resign()
    assert board()[0]["flagged"] == 1


@pytest.mark.long
def test_the_board_shows_classes_apart_and_the_commitments_of_every_entry(organization, enter, season, board):
    one, other = enter(season)
    for opened in (one, other):
        RestSeat(opened["token"]).resign()
    person = entry_prepare(organization=organization, season=season, harness=Harness("human", "Ann"))
    entry_open(organization=organization, user=None, prepared=person)
    Episode.objects.filter(entry__number=2).update(ending="finished", result={"score": 1.0})
    assert [(row["player_class"], row["score"]) for row in board()] == [("outside", 0), ("human", 1)]
    assert board()[0]["commitments"] == [one["commitment"], other["commitment"]]


@pytest.mark.parametrize("ends", [season_close, season_reveal])
def test_an_entry_that_was_drawn_before_the_end_of_its_season_is_refused(organization, season, ends):
    prepared = entry_prepare(organization=organization, season=Season.objects.get(), harness=Harness(**HARNESS))
    ends(season=season)
    with pytest.raises(Refused, match="The season Winter season is not open."):
        entry_open(organization=organization, user=None, prepared=prepared)
