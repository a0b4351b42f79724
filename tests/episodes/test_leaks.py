"""What an open episode sends to its players holds no hidden number, no part of the optimum and no score."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client as Browser
from django.utils import timezone

from agents.baselines.registry import BASELINES
from environments.registry import BENCHMARKS, ENVIRONMENTS, generate
from episodes.game import game_of, problem_of
from episodes.models import Episode
from episodes.services import season_create
from episodes.services.preparing import episode_prepare
from tests.episodes.conftest import HARNESS, PLAYERS
from tests.episodes.players import FORMS, McpPlayer, RestPlayer

PERIODS, LEAST_DIGITS = 4, 4
NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?")
NO_NUMBERS = re.compile(r"\b[0-9a-f]{64}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?|\bep_[0-9a-f]{40}\b")
"""Hashes, times and tokens, whose digits are of no number."""

NO_OWNERS_KEYS = re.compile(r'"(seed|score|metrics|quality|hidden|reference)": (null|\{\}|\d{1,2})(?=[,}])')
"""Keys that owners get without a value; the seed of a sealed instance is its place in the set."""

NEVER = {
    "quality",
    "score",
    "metrics",
    "hidden",
    "reference",
    "optimum",
    "seed",
    "content_hash",
    "share_of_optimum",
}
"""Keys that no answer to a seat has."""


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


def leaves(value):
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield abs(value)


def keys(value):
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from keys(inner)


def digits(text):
    """Significant digits of a printed number."""
    return len(re.sub(r"[eE].*|\.", "", text).lstrip("0"))


def numbers(text):
    """The printed numbers of at least LEAST_DIGITS significant digits: their value by their digits."""
    printed = set(NUMBER.findall(NO_NUMBERS.sub(" ", text)))
    return {(digits(one), float(one)) for one in printed if digits(one) >= LEAST_DIGITS}


def leaked(text, secrets, allowed):
    """The secret numbers that a text has with at least LEAST_DIGITS digits, unless an allowed text has the same number."""
    may_be_told = {float(one) for one in NUMBER.findall(allowed)}
    found = {(count, value) for count, value in numbers(text) if value not in may_be_told}
    exact = [secret for secret in secrets if digits(f"{secret!r}".rstrip("0").rstrip(".")) >= LEAST_DIGITS]
    return [(one, count) for one in exact for count, value in found if float(f"{one:.{count - 1}e}") == value]


def play(opened, form):
    """All tools of the first seat in each period, wrong calls, and the actions of a baseline."""
    player, rest, environment = FORMS[form](opened["token"]), RestPlayer(opened["token"]), opened["environment"]
    # Baselines look at nothing but the seed of the instance, for their own random numbers.
    blind = generate(environment, PLAYERS[environment][0], 0, with_reference=False)
    baseline = BASELINES[PLAYERS[environment][1]](blind, ENVIRONMENTS[environment], "seat_0", "main")
    for period in range(PERIODS):
        view = rest.seat.begin(period).json()
        player.status()
        if isinstance(player, McpPlayer):
            assert player.ask(lambda client: client.list_tools()).tools and player.call("start_period").ok
        if view["questions"]:
            assert player.act(period, {question["key"]: "AB"[period % 2] for question in view["questions"]}).ok
            continue
        for tool in view["tools"]:
            if tool["name"] != view["action"]["tool"]:
                player.call(tool["name"], **dict.fromkeys(tool["input_schema"]["properties"], 0))
        player.call("get_nothing")
        player.act(period, "nonsense")
        player.act(period + 1, {})
        moves = baseline.play(period)
        tool, arguments = next(moves)
        while tool != view["action"]["tool"]:
            tool, arguments = moves.send(player.call(tool, **arguments).text)
        assert player.act(period, arguments[view["action"]["argument"]]).ok
        assert player.act(period, arguments[view["action"]["argument"]]).ok


def check(episode, sent):
    """No secret of the episode is in what was sent; and one that is put there is found."""
    problem, game = problem_of(episode), game_of(episode)
    text = "\n".join(sent)
    observed = [game.observed(outcome, seat) for seat in game.seats for outcome in game.outcomes]
    allowed = json.dumps([problem.parameters, observed, [outcome.action for outcome in game.outcomes]])
    results = [outcome.result for outcome in game.outcomes]
    qualities = [outcome.quality for outcome in game.outcomes if outcome.quality is not None]
    secrets = {*leaves([problem.hidden, problem.reference, results, qualities])}
    assert leaked(text, secrets, allowed) == []
    names = NEVER | (
        {*keys([problem.hidden, problem.reference, results])} - {*keys(observed), *keys(problem.parameters)}
    )
    names -= {*game.seats, *map(str, keys([outcome.action for outcome in game.outcomes]))}
    assert not [name for name in names if re.search(rf"""["']{re.escape(name)}\\*["']\s*:""", text)]
    exact = [secret for secret in secrets if digits(f"{secret!r}".rstrip("0").rstrip(".")) >= LEAST_DIGITS]
    for secret in exact[:20]:
        assert leaked(f"{text} It is {secret:.3e}.", secrets, "") and leaked(f"{text} It is {secret!r}.", secrets, "")
    return exact


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("environment", PLAYERS)
def test_no_secret_is_sent_in_practice(opened, sent, environment, form):
    rival = "collusion-best-response" if len(ENVIRONMENTS[environment].seats_of("main")) > 1 else None
    answer = opened(environment, seed=11, periods=PERIODS + 1, rival=rival)
    episode = Episode.objects.get(pk=answer["id"])
    if episode.prepared_at is None:
        episode_prepare(episode=episode)
    sent.clear()
    play(answer, form)
    exact = check(Episode.objects.get(pk=answer["id"]), sent)
    assert exact or environment not in BENCHMARKS


def test_no_secret_is_sent_in_a_season(opener, sent):
    """By the token of the player, and by that of its owner."""
    now = timezone.now()
    span = {"opens_at": now - timedelta(hours=1), "closes_at": now + timedelta(days=30)}
    kinds = {"environments": [*BENCHMARKS], "difficulties": ["BASIC"], "instances": 1, "entries": 1}
    season = season_create(name="Winter", **kinds, **span)
    entry = opener.post("/episodes", {"season": season.slug, "harness": HARNESS}).json()
    for episode in Episode.objects.filter(prepared_at=None):
        episode_prepare(episode=episode)
    for opened, form in zip(entry["episodes"], FORMS, strict=True):
        sent.clear()
        play(opened, form)
        run, episode = opened["run"], Episode.objects.get(pk=opened["id"])
        owned = (
            f"/episodes/{episode.pk}",
            f"/instances/{episode.run.instance_id}",
            f"/runs/{run}",
            f"/runs/{run}/periods",
        )
        for path in owned:
            opener.get(path)
        assert check(episode, [NO_OWNERS_KEYS.sub("", text) for text in sent])
