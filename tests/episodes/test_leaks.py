"""What an open episode sends to its players holds no hidden number, no part of the optimum and no score."""

import base64
import json
import re
import struct
import zlib
from datetime import timedelta
from html import escape

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
from tests.episodes.leaking import NO_NUMBERS, keys, leaked, leaked_orders, leaves, long_ones, plain, words_of
from tests.episodes.players import FORMS, McpPlayer, RestPlayer
from tests.play.conftest import Person

PERIODS = 4

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


def check(episode, sent, seat="seat_0"):
    """No secret of the episode is in what was sent to a seat; and one that is put there is found."""
    problem, game = problem_of(episode), game_of(episode)
    text = plain("\n".join(sent))
    observed = [game.observed(outcome, seat) for outcome in game.outcomes]
    allowed = json.dumps([problem.parameters, observed, [outcome.action for outcome in game.outcomes]])
    results = [outcome.result for outcome in game.outcomes]
    qualities = [outcome.quality for outcome in game.outcomes if outcome.quality is not None]
    secrets = {*leaves([problem.hidden, problem.reference, results, qualities])}
    orders = [problem.hidden, problem.reference]
    assert leaked(text, secrets, allowed) == []
    assert leaked_orders(text, orders, allowed) == []
    assert not [word for word in words_of(episode) if word in text]
    names = NEVER | (
        {*keys([problem.hidden, problem.reference, results])} - {*keys(observed), *keys(problem.parameters)}
    )
    names -= {*game.seats, *map(str, keys([outcome.action for outcome in game.outcomes]))}
    assert not [name for name in names if re.search(rf"""["']{re.escape(name)}\\*["']\s*:""", text)]
    exact = long_ones(secrets)
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


@pytest.fixture
def entered(organization):
    """Enter a season of all benchmarks; return its episodes, which are prepared."""
    now = timezone.now()
    span = {"opens_at": now - timedelta(hours=1), "closes_at": now + timedelta(days=30)}
    kinds = {"environments": [*BENCHMARKS], "difficulties": ["BASIC"], "instances": 1, "entries": 1}
    season = season_create(name="Winter", **kinds, **span)

    def prepared(enter):
        enter(season)
        for episode in Episode.objects.filter(prepared_at=None):
            episode_prepare(episode=episode)
        return list(Episode.objects.order_by("place"))

    return prepared


def test_no_secret_is_sent_in_a_season(opener, entered, sent):
    """By the token of the player, and by that of its owner."""
    answers = []

    def enter(season):
        body = {"season": season.slug, "harness": HARNESS}
        answers.extend(opener.post("/episodes", body).json()["episodes"])

    for episode, opened, form in zip(entered(enter), answers, FORMS, strict=True):
        sent.clear()
        play(opened, form)
        run = f"/runs/{episode.run_id}"
        for path in (f"/episodes/{episode.pk}", f"/instances/{episode.run.instance_id}", run, f"{run}/periods"):
            opener.get(path)
        episode.refresh_from_db()
        assert check(episode, [NO_OWNERS_KEYS.sub("", text) for text in sent])


def test_no_secret_is_on_the_pages_of_a_person_who_plays_in_a_season(page, entered, sent):
    for episode in entered(lambda season: page.post(f"/seasons/{season.slug}/enter/")):
        sent.clear()
        person = Person(f"/play/{episode.pk}/", page)
        for period in range(PERIODS):
            person.open()
            person.open("history/")
            person.open("figure.json")
            person.send("draft/", period=period, notes="Perhaps lower.")
            person.play(period, a0="nonsense")
            person.open()
            assert person.play(period, notes="Lower.", **person.filled("0" if "rocure" in person.html else "7"))
        episode.refresh_from_db()
        assert episode.periods_played == PERIODS
        assert check(episode, sent)


@pytest.mark.parametrize("form", FORMS)
def test_a_seat_learns_nothing_of_the_other_but_its_earlier_prices(opened, sent, form):
    answer = opened("collusiveness_vs_competitiveness", periods=PERIODS + 1)
    first, second = (FORMS[form](token) for token in answer["seats"].values())
    told = []
    for period, price in enumerate((1.57, 1.68, 1.79, 1.91)):
        assert first.call("write_notes", notes=f"The first seat thinks {period}.").ok
        assert first.act(period, {"Product_1": price}).ok
        sent.clear()
        if isinstance(second, McpPlayer):
            assert second.call("start_period").ok
        assert second.call("get_previous_pricing_data").ok
        second.call("read_notes", attempt_number=max(0, period - 1))
        second.status()
        assert str(price) not in NO_NUMBERS.sub(" ", plain("\n".join(sent)))
        assert second.call("write_notes", notes="The second seat waits.").ok
        assert second.act(period, {"Product_1": 1.6}).ok
        told += sent
    assert "The second seat" in (text := plain("\n".join(told))) and "The first seat" not in text
    assert check(Episode.objects.get(pk=answer["id"]), told, seat="seat_1")


def test_a_secret_is_found_however_it_is_written():
    order, table = [f"T{number}" for number in (3, 7, 8, 4, 5, 10, 2, 9, 6, 1)], {"A1": 2, "A2": 1, "A3": 3, "B1": 2}
    hidden = {"preferences": {"W1": order}, "effectiveness": table, "optimum": {"Offer_3": 8, "Offer_4": 4}}
    short = json.dumps(hidden).encode()
    forms = [
        json.dumps(json.dumps(order)),
        str(order),
        ",".join(order),
        " > ".join(order[3:7]),
        "".join(f"<td>{one}</td>" for one in order),
        escape(json.dumps(table)),
        ",".join(one[1:] for one in order),
        str([int(one[1:]) - 1 for one in order]),
        "Offer_3: 8\nOffer_4: 4",
        base64.b64encode(short).decode(),
        base64.urlsafe_b64encode(short).decode().rstrip("="),
        base64.b64encode(zlib.compress(short)).decode(),
    ]
    assert [form for form in forms if not leaked_orders(plain(f"Told: {form}."), hidden, "")] == []
    assert not leaked_orders(plain("T3, T7 and T8; Offer_3: 4; W1: T3, W2: T7, W3: T8, W4: T4"), hidden, "")
    figure = json.dumps({"bdata": base64.b64encode(struct.pack("<3d", 2.622427199890922, 1.5, 3.0)).decode()})
    assert leaked(plain(figure), {2.622427199890922}, "") and not leaked(figure, {2.622427199890922}, "")
