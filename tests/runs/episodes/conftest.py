"""Episodes of all environments, and players that reach them by REST."""

import pytest
from django.test import Client as Browser

from agents.baselines.registry import BASELINES
from environments.registry import ENVIRONMENTS, generate
from runs.episodes.models import Episode
from runs.episodes.services.preparing import episode_prepare
from runs.models import Run
from tests.api.conftest import Program, program  # noqa: F401
from tests.cast import open_season

HARNESS = {"kind": "rest", "name": "tester", "version": "1", "model": "scripted", "url": ""}
PLAYERS = {
    "procurement": ("BASIC", "procurement-hill-climber"),
    "scheduling": ("BASIC", "scheduling-knuth"),
    "pricing": ("BASIC", "pricing-local-search"),
    "efficiency_vs_equality": ("STANDARD", "equality-greedy-equality"),
    "patience_vs_impatience": ("STANDARD", "patience-rate"),
    "collusiveness_vs_competitiveness": ("STANDARD", "collusion-best-response"),
}
"""Difficulty and baseline of each environment, by which tests play it."""

SHORT = 6
"""Periods of a game that is played to its end."""


class RestSeat:
    """A seat that is played by REST."""

    def __init__(self, token):
        self.program = Program(token)

    def status(self):
        return self.program.get("/episode").json()

    def begin(self, period):
        return self.program.get(f"/episode/periods/{period}")

    def call(self, period, tool, **arguments):
        return self.program.post(f"/episode/periods/{period}/calls", {"tool": tool, "arguments": arguments})

    def act(self, period, action):
        return self.program.send("PUT", f"/episode/periods/{period}/action", {"action": action})

    def resign(self):
        return self.program.post("/episode/resign")


@pytest.fixture
def sent(monkeypatch):
    """Every answer to a request of this process, with its headers."""
    found, request = [], Browser.request

    def recorded(browser, **options):
        response = request(browser, **options)
        headers = {name: value for name, value in response.items() if name != "Content-Length"}
        found.append(f"{headers}\n{response.content.decode()}")
        return response

    monkeypatch.setattr(Browser, "request", recorded)
    return found


@pytest.fixture
def opener(program):  # noqa: F811
    """A program that may open episodes."""
    return program(scopes=("read", "play"))


@pytest.fixture
def opened(opener):
    """Open a practice episode; return the answer."""

    def open_one(environment="pricing", **more):
        body = {"environment": environment, "difficulty": PLAYERS[environment][0], "seed": 0, "periods": 3}
        answer = opener.post("/episodes", body | {"harness": HARNESS} | more)
        assert answer.status_code == 201, answer.content
        return answer.json()

    return open_one


@pytest.fixture
def season(organization):
    """A season of all benchmarks, which an organization may enter twice."""
    return open_season("Winter 2026", environments=["pricing", "procurement", "scheduling"], instances=1, entries=2)


@pytest.fixture
def entered(opener, season):
    """Enter the season; return the answer with every episode prepared. periods: shorter games than those of the papers"""

    def enter(periods=None):
        answer = opener.post("/episodes", {"season": season.slug, "harness": HARNESS})
        if periods:
            Run.objects.filter(episode__entry__isnull=False).update(periods=periods)
        prepare_episodes()
        return answer

    return enter


def prepare_episodes():
    """Compute the references that workers compute."""
    for episode in Episode.objects.filter(prepared_at=None):
        episode_prepare(episode=episode)


def play_ranked(opened, periods=None):
    """Play a ranked episode to its end, or so many periods, with the baseline of its environment; the last receipt."""
    episode = Episode.objects.get(pk=opened["id"])
    environment = opened["environment"]
    # The baselines look at nothing but the seed of the instance, for their own random numbers.
    blind = generate(environment, PLAYERS[environment][0], 0, with_reference=False)
    for period in range(episode.run.periods if periods is None else periods):
        receipt = play_period(RestSeat(opened["token"]), environment, blind, period).json()
        if receipt["done"]:
            break
    return receipt


def play_period(seat, environment, instance, period, seat_name="seat_0", variant="main"):
    """One period by the baseline of the environment, call by call; returns the receipt."""
    view = seat.begin(period).json()
    baseline = BASELINES[PLAYERS[environment][1]](instance, ENVIRONMENTS[environment], seat_name, variant)
    if view["questions"]:
        answers = {}
        for question in view["questions"]:
            text = baseline.answer(question["prompt"], baseline.rng(period, f"{question['key']}.0"))
            answers[question["key"]] = "A" if ">A<" in text.replace(" ", "") else "B"
        return seat.act(period, answers)
    moves = baseline.play(period)
    tool, arguments = next(moves)
    while tool != view["action"]["tool"]:
        answer = seat.call(period, tool, **arguments).json()
        assert not answer["is_error"], answer
        tool, arguments = moves.send(answer["text"])
    return seat.act(period, arguments[view["action"]["argument"]])


def problem(answer):
    return Episode.objects.get(pk=answer["id"]).run.instance.as_problem()
