"""Programs play episodes with the client, also over an unreliable connection and after crashes."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from functools import cache

import pytest

import econevals
from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from benchmarks.processes import cpu_seconds, tree
from econevals.practice import practice_game
from environments.registry import ENVIRONMENTS
from tests.client.conftest import bad_way
from tests.client.policies import SLUGS, baseline_of, baseline_policy, play_by_mcp
from tests.data_folders import CLIENT, ROOT
from tests.waiting import patience, wait_until


def open_one(owner, environment="pricing", difficulty="BASIC", seed=0, **options):
    return owner.open_episode(environment, difficulty, seed, name="tester", version="1", **options)


def actions(owner, episode, seat="seat_0"):
    """Periods in which the seat acted, as its journal has them."""
    return [entry["period"] for entry in owner.journal(episode.id, seat) if entry["is_action"]]


@cache
def score_of(environment, difficulty, seed, **options):
    """What the baseline of the policy scores in the loop of the site."""
    instance = practice_game(environment, difficulty, seed).instance
    game = play_baseline(BASELINES[SLUGS[environment]], instance, ENVIRONMENTS[environment], **options)
    return game.score(instance, game.outcomes, game.periods, game.variant).value


@pytest.mark.parametrize("environment", [name for name in ENVIRONMENTS if not name.startswith("collusiveness")])
def test_a_policy_plays_every_environment_and_scores_as_on_the_site(environment, owner):
    difficulty = "STANDARD" if "_vs_" in environment else "BASIC"
    episode = open_one(owner, environment, difficulty, seed=2, periods=6)
    status = episode.play(baseline_policy(environment, difficulty, 2))
    assert status["state"] == "finished" and "score" not in status
    run = owner.run(episode.run)
    assert run["state"] == "finished" and run["periods_played"] == len(owner.periods(episode.run))
    assert run["score"] == pytest.approx(score_of(environment, difficulty, 2, periods=6))
    assert actions(owner, episode) == list(range(run["periods_played"]))


def test_two_programs_play_the_two_seats_of_a_market(owner):
    environment = "collusiveness_vs_competitiveness"
    episode = open_one(owner, environment, "STANDARD", periods=5)
    ended = {}

    def play(seat):
        ended[seat] = episode.play(baseline_policy(environment, "STANDARD", seat=seat), seat)["state"]

    threads = [threading.Thread(target=play, args=(seat,)) for seat in episode.tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=patience())
    assert ended == {"seat_0": "finished", "seat_1": "finished"}
    assert actions(owner, episode, "seat_0") == actions(owner, episode, "seat_1") == [0, 1, 2, 3, 4]


def test_a_baseline_may_hold_the_second_seat(owner):
    environment = "collusiveness_vs_competitiveness"
    episode = open_one(owner, environment, "STANDARD", periods=3, rival="collusion-best-response")
    assert list(episode.tokens) == ["seat_0"]
    assert episode.play(baseline_policy(environment, "STANDARD"))["state"] == "finished"


@pytest.mark.parametrize("environment", ["pricing", "scheduling"])
def test_every_period_is_played_once_over_an_unreliable_connection(environment, site, owner):
    rng = random.Random(1)
    fates = [rng.choice(["lost", "unanswered", "twice", "away", *["fine"] * 6]) for _ in range(10_000)]
    episode = open_one(owner, environment, seed=3, periods=12)
    with bad_way(site.address, fates.__getitem__) as address:
        status = econevals.play(episode.token, baseline_policy(environment, "BASIC", 3), url=address)
    assert status["state"] == "finished"
    played = owner.run(episode.run)
    assert actions(owner, episode) == list(range(played["periods_played"]))
    assert played["score"] == pytest.approx(score_of(environment, "BASIC", 3, periods=12))


PLAYER = """
import sys, time
import econevals
from tests.client.policies import baseline_policy
policy = baseline_policy("pricing", "BASIC", 5)
def slow(period):
    print(period.number, flush=True)
    return policy(period)
print(econevals.play(sys.argv[1], slow, url=sys.argv[2])["state"], flush=True)
"""


@pytest.mark.long
def test_a_killed_program_continues_from_its_last_period(site, owner):
    episode = open_one(owner, seed=5, periods=20)
    command = [sys.executable, "-c", PLAYER, episode.token, site.address]
    variables = {"PYTHONPATH": f"{CLIENT}:{ROOT}", "PATH": ""}
    begun = []
    for stop in (3, 11, 12):
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            begun.append(int(line))
            if begun[-1] == stop:
                # At any moment of the period: while it is read, called, or its action is on its way.
                time.sleep(random.Random(stop).uniform(0, 0.03))
                process.send_signal(signal.SIGKILL)
                break
        process.wait()
        process.stdout.close()
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "finished"
    assert actions(owner, episode) == list(range(20))
    assert owner.run(episode.run)["score"] == pytest.approx(score_of("pricing", "BASIC", 5, periods=20))


def test_a_repeated_opening_with_the_same_key_returns_the_same_episode(owner):
    first, again = (open_one(owner, periods=2, key="first-try") for _ in range(2))
    assert (first.id, first.tokens) == (again.id, again.tokens)
    assert first.token not in repr(first)


def test_an_invalid_action_repeats_the_period_with_the_reason(owner):
    episode = open_one(owner, periods=2)
    problems = []

    def policy(period):
        problems.append(period.problem)
        return {"Product_1": 5.0} if period.problem else {"Product_9": 1.0}

    assert episode.play(policy)["state"] == "finished"
    assert problems[::2] == ["", ""] and all("Unknown product 'Product_9'" in text for text in problems[1::2])


def test_an_invalid_policy_raises_the_reason_and_can_be_restarted(owner):
    episode = open_one(owner, periods=1)
    with pytest.raises(econevals.Refused, match="must be a finite number") as refused:
        episode.play(lambda period: {"Product_1": -1})
    assert refused.value.code == "invalid_action"
    assert episode.play(lambda period: '{"Product_1": 5}')["state"] == "finished"


def test_an_action_of_another_program_is_not_overwritten(site, owner, caplog):
    episode = open_one(owner, periods=3)
    seat = econevals.Seat(site.address, episode.token)

    def policy(period):
        if period.number == 1:
            seat.act(1, {"Product_1": 7.0})
        return {"Product_1": 5.0}

    assert episode.play(policy)["state"] == "finished"
    assert "Period 1 was played with another action" in caplog.text
    assert [period["action"]["Product_1"] for period in owner.periods(episode.run)] == [5.0, 7.0, 5.0]


def test_a_resigned_episode_ends_the_program(site, owner):
    episode = open_one(owner, periods=3)

    def policy(period):
        econevals.Seat(site.address, episode.token).resign()
        return {"Product_1": 5.0}

    assert episode.play(policy)["state"] == "resigned"
    assert owner.episode(episode.id)["state"] == "resigned"


def test_tool_calls_return_text_and_data_and_unknown_tools_an_error(site, owner):
    episode = open_one(owner, periods=3)
    with econevals.Seat(site.address, episode.token) as seat:
        assert seat.act(0, {"Product_1": 5.0})["next_period"] == 1
        period = seat.period(1)
        history = period.call("get_previous_pricing_data", from_period=0)
        assert history.data["periods"][0]["products"]["Product_1"]["price"] == 5.0 and "Price: 5.00" in history.text
        assert period.call("write_notes", notes="Five sold well.").calls_left == 38
        assert period.call("read_notes", attempt_number=1).text == "Five sold well."
        wrong = period.call("no_such_tool")
        assert wrong.is_error and "There is no tool called 'no_such_tool'" in wrong.text
        assert [tool["name"] for tool in period.tools][-1] == period.action["tool"] == "set_prices"


def test_seat_tokens_read_no_runs_and_unknown_tokens_play_no_period(site, owner):
    episode = open_one(owner, periods=1)
    with pytest.raises(econevals.Refused) as refused:
        econevals.connect(site.address, episode.token).runs()
    assert refused.value.status == 401
    with pytest.raises(econevals.Refused) as refused:
        econevals.play("ee_" + 40 * "0", lambda period: {}, url=site.address)
    assert refused.value.status == 401


SEASON = """
from datetime import timedelta
from django.utils import timezone
from runs.episodes.services import season_create
now = timezone.now()
season = season_create(
    name="Winter", environments=["scheduling"], difficulties=["BASIC"], instances=2, entries=2,
    opens_at=now, closes_at=now + timedelta(days=1),
)
print(season.slug)
"""


@pytest.mark.long
def test_a_program_enters_a_season_with_a_full_set_of_sealed_episodes(site, owner):
    season = site.run(SEASON)
    entry = owner.open_entry(season, name="tester", key="winter-1")
    assert (entry.season, entry.entry, entry.of) == (season, 1, 2)
    assert [episode.environment for episode in entry.episodes] == ["scheduling"] * 2
    assert all(episode.seed is None and len(episode.commitment) == 64 for episode in entry.episodes)
    for episode in entry.episodes:
        assert episode.play(baseline_policy("scheduling", "BASIC"))["state"] == "finished"
        assert "score" not in owner.episode(episode.id)
        with pytest.raises(econevals.Refused, match="once its season is over"):
            owner.journal(episode.id)
    assert owner.season(season)["board"][0]["finished"] == 2
    assert [row["slug"] for row in owner.seasons()] == [season]


HARD = {"pricing": "auto", "scheduling": "legacy", "procurement": "auto"}
"""The mode of the official MCP client by game: the newer era of the protocol, or the older one."""


@pytest.mark.long
@pytest.mark.parametrize("environment", HARD)
@pytest.mark.parametrize("client", ["plain", "mcp"])
def test_an_agent_plays_100_periods_of_the_hard_games(client, environment, site, owner):
    # The optimum of procurement is proved soon for this seed.
    episode = open_one(owner, environment, "HARD", seed=2)
    wait_until(lambda: owner.episode(episode.id)["state"] == "open", lambda: "The instance is not prepared.")
    used = cpu_of_site()
    if client == "mcp":
        play_by_mcp(site.address, episode.token, baseline_of(environment, "HARD", 2), HARD[environment])
    else:
        episode.play(baseline_policy(environment, "HARD", 2))
    used = cpu_of_site() - used
    journal = owner.journal(episode.id)
    asked = len(journal) + (1 if client == "mcp" else 100)
    print(
        f"\n{environment} HARD by the {client} client: {asked} calls, each {1000 * used / asked:.1f} ms of the site's CPU"
    )
    assert [entry["period"] for entry in journal if entry["is_action"]] == list(range(100))
    assert owner.run(episode.run)["score"] == pytest.approx(score_of(environment, "HARD", 2))


def cpu_of_site():
    """Seconds of all processes that this one started: those of the site."""
    return sum(map(cpu_seconds, tree(os.getpid())[1:]))
