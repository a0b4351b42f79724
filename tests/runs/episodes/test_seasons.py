"""Seasons: full entries on sealed instances, secret until the end, and verifiable afterwards."""

import hashlib
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from environments.generation import commitment
from environments.registry import generate
from runs.episodes.models import Episode, Season
from runs.episodes.secrets import commitment_nonce, instance_key
from runs.episodes.services.ending import episodes_expire, season_close, season_reveal
from runs.episodes.services.seasons import season_create
from runs.models import Experiment, Instance, Period, Run
from runs.selectors.experiments import run_title
from runs.services.deletions import experiment_delete, experiment_undelete
from tests.runs.episodes.conftest import SHORT, RestSeat, play_ranked
from tests.unproven import limit_attempts, prove_all, solve_here


def test_an_entry_opens_its_full_set_at_once(entered, season):
    answer = entered().json()
    assert (answer["season"], answer["entry"], answer["of"]) == (season.slug, 1, 2)
    assert [one["environment"] for one in answer["episodes"]] == ["pricing", "procurement", "scheduling"]
    assert all(len(one["commitment"]) == 64 and one["seed"] is None for one in answer["episodes"])
    assert {*Run.objects.values_list("periods", flat=True)} == {100}, "as long as the papers play"
    again = entered()
    assert (again.status_code, again.json()["error"]["code"]) == (409, "closed")


@pytest.mark.long
def test_tables_of_pages_hold_no_sealed_values_until_the_end(entered, season):
    pricing = entered(SHORT).json()["episodes"][0]
    play_ranked(pricing)
    run = Run.objects.get(pk=pricing["run"])
    assert (run.state, run.score, run.metrics, run.periods_played) == ("open", None, None, SHORT)
    assert not Period.objects.filter(run=run).exists()
    row = Instance.objects.get(pk=run.instance_id)
    assert (row.parameters, row.hidden, row.reference, row.key, row.is_sealed) == ({}, {}, None, "", True)
    assert run_title(run).endswith("on pricing BASIC, game 1")


@pytest.mark.long
def test_the_board_scores_a_complete_entry_and_counts_unfinished_games_as_0(opener, entered, season):
    episodes = {one["environment"]: one for one in entered(SHORT).json()["episodes"]}
    play_ranked(episodes["pricing"])
    play_ranked(episodes["scheduling"])
    board = opener.get(f"/seasons/{season.slug}").json()["board"]
    assert [(row["finished"], row["in_play"], row["score"]) for row in board] == [(2, 1, None)]
    RestSeat(episodes["procurement"]["token"]).resign()
    (row,) = opener.get(f"/seasons/{season.slug}").json()["board"]
    scores = [one.result["score"] for one in Episode.objects.filter(ending="finished")]
    assert (row["finished"], row["entry"], row["of"]) == (2, 1, 2)
    assert row["score"] == round(sum(scores) / 3, 2)
    season_close(season=season)
    (row,) = opener.get(f"/seasons/{season.slug}").json()["board"]
    assert row["score"] == pytest.approx(sum(scores) / 3)


@pytest.mark.long
def test_a_deleted_experiment_does_not_withdraw_an_attempt(opener, entered, season, organization):
    entered()
    Experiment.objects.get(organization=organization).delete()
    (row,) = opener.get(f"/seasons/{season.slug}").json()["board"]
    assert (row["episodes"], row["finished"], row["in_play"], row["score"]) == (3, 0, 0, 0)
    assert entered().json()["entry"] == 2
    Experiment.objects.get(organization=organization).delete()
    assert entered().json()["error"]["message"] == "An organization may enter this season 2 times."


@pytest.mark.long
def test_the_end_of_a_season_reveals_everything_that_a_check_needs(opener, entered, season):
    episodes = {one["environment"]: one for one in entered(SHORT).json()["episodes"]}
    play_ranked(episodes["pricing"])
    play_ranked(episodes["scheduling"], periods=2)
    private = Episode.objects.get(pk=episodes["pricing"]["id"]).result
    refused = opener.get(f"/episodes/{episodes['pricing']['id']}/journal")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "closed"), refused.content
    assert season_reveal(season=season) == 3
    assert season_reveal(season=season) == 0
    shown = opener.get(f"/seasons/{season.slug}").json()
    secret = bytes.fromhex(shown["secret"])
    assert hashlib.sha256(secret).hexdigest() == shown["secret_hash"]
    run = Run.objects.get(pk=episodes["pricing"]["run"])
    assert (run.state, run.score, run.periods_played) == ("finished", private["score"], SHORT)
    assert json.loads(json.dumps(run.all_metrics)) == private["metrics"]
    place = f"{run.organization_id}/1/0"
    drawn = generate("pricing", "BASIC", instance_key(secret, place), "ranked")
    assert run.instance.as_problem() == drawn
    assert commitment(commitment_nonce(secret, place), drawn) == episodes["pricing"]["commitment"]
    expired = Run.objects.get(pk=episodes["scheduling"]["run"])
    assert (expired.state, expired.score, expired.period_rows.count()) == ("cancelled", None, 2)
    journal = opener.get(f"/episodes/{episodes['pricing']['id']}/journal", limit=200).json()["items"]
    chain = hashlib.sha256(b"econevals journal 1").hexdigest()
    for entry in journal:
        content = json.dumps(
            [entry["period"], entry["tool"], entry["arguments"]], sort_keys=True, separators=(",", ":")
        )
        digest = hashlib.sha256(content.encode()).hexdigest()
        chain = hashlib.sha256(f"{chain} {digest}".encode()).hexdigest()
        assert entry["chain"] == chain


@pytest.mark.long
def test_a_season_also_ends_for_a_deleted_entry_so_that_an_undo_has_scores(entered, season):
    (first, *_) = [one for one in entered(SHORT).json()["episodes"] if one["environment"] == "pricing"]
    play_ranked(first)
    experiment = Run.objects.get(pk=first["run"]).experiment
    experiment_delete(experiment=experiment)
    assert season_reveal(season=season) == 3
    experiment_undelete(experiment=experiment)
    run = Run.objects.get(pk=first["run"])
    assert (run.state, run.score) == ("finished", Episode.objects.get(pk=first["id"]).result["score"])


@pytest.mark.long
def test_a_game_rebuilt_from_the_journal_equals_the_game_in_memory(entered, season):
    from runs.episodes import game

    pricing = entered().json()["episodes"][0]
    play_ranked(pricing, periods=4)
    episode = Episode.objects.get(pk=pricing["id"])
    kept = game.game_of(episode).outcomes
    game._cache.clear()
    assert game.game_of(episode).outcomes == kept


def test_time_limits_use_the_clock_of_the_server(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    Episode.objects.update(period_due_at=timezone.now())
    assert seat.act(0, {"Product_1": 4}).json()["error"]["code"] == "ended"
    episodes_expire()
    assert seat.status()["state"] == "expired"
    assert Run.objects.get(pk=answer["run"]).reason == "The time ran out in period 0."


def test_an_environment_without_hidden_values_cannot_be_ranked(season):
    with pytest.raises(Exception, match="Only environments with hidden values are ranked"):
        season_create(
            name="Collusion",
            environments=["collusiveness_vs_competitiveness"],
            difficulties=["STANDARD"],
            instances=1,
            entries=1,
            opens_at=timezone.now(),
            closes_at=timezone.now() + timedelta(days=1),
        )
    assert Season.objects.count() == 1


def test_a_game_without_a_proven_optimum_is_scored_after_the_proof(opener, entered, season, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    episodes = {one["environment"]: one for one in entered(SHORT).json()["episodes"]}
    play_ranked(episodes["procurement"])
    season_reveal(season=season)
    run, episode = Run.objects.get(pk=episodes["procurement"]["run"]), Episode.objects.get(ending="finished")
    assert (run.state, run.score, episode.result["score"]) == ("finished", None, None)
    prove_all()
    run.refresh_from_db()
    episode.refresh_from_db()
    assert run.score > 0 and {**episode.result, "flagged": None} == {
        **{name: getattr(run, name) for name in ("reason", "score", "solved")},
        "metrics": run.all_metrics,
        "flagged": None,
    }
    (row,) = opener.get(f"/seasons/{season.slug}").json()["board"]
    assert row["score"] == pytest.approx(run.score / 3)
