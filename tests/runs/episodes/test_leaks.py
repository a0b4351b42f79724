"""An open episode sends its players no hidden number, no part of the optimum and no score."""

import base64
import json
import re
import struct
import zlib
from html import escape

import pytest

from agents.baselines.registry import BASELINES
from environments.registry import BENCHMARKS, ENVIRONMENTS, generate
from runs.episodes.models import Episode
from runs.episodes.services.preparing import episode_prepare
from tests.pages.play.conftest import Person
from tests.runs.episodes.conftest import PLAYERS, prepare_episodes
from tests.runs.episodes.leaking import NO_NUMBERS, assert_keeps_its_secrets, leaked, leaked_orders, plain
from tests.runs.episodes.players import FORMS, McpPlayer, RestPlayer

PERIODS = 4

NO_OWNERS_KEYS = re.compile(r'"(seed|score|metrics|quality|hidden|reference)": (null|\{\}|\d{1,2})(?=[,}])')
"""Keys that owners get without a value; the seed of a sealed instance is its place in the set."""


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


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("environment", PLAYERS)
def test_practice_sends_no_secret(opened, sent, environment, form):
    rival = "collusion-best-response" if len(ENVIRONMENTS[environment].seats_of("main")) > 1 else None
    answer = opened(environment, seed=11, periods=PERIODS + 1, rival=rival)
    episode = Episode.objects.get(pk=answer["id"])
    if episode.prepared_at is None:
        episode_prepare(episode=episode)
    sent.clear()
    play(answer, form)
    exact = assert_keeps_its_secrets(Episode.objects.get(pk=answer["id"]), sent)
    assert exact or environment not in BENCHMARKS


@pytest.mark.long
def test_a_season_sends_no_secret(opener, entered, sent):
    """By the token of the player, and by that of its owner."""
    for opened, form in zip(entered().json()["episodes"], FORMS, strict=True):
        episode = Episode.objects.get(pk=opened["id"])
        sent.clear()
        play(opened, form)
        run = f"/runs/{episode.run_id}"
        for path in (f"/episodes/{episode.pk}", f"/instances/{episode.run.instance_id}", run, f"{run}/periods"):
            opener.get(path)
        episode.refresh_from_db()
        assert assert_keeps_its_secrets(episode, [NO_OWNERS_KEYS.sub("", text) for text in sent])


@pytest.mark.long
def test_pages_of_a_person_who_plays_in_a_season_show_no_secret(page, season, sent):
    page.post(f"/seasons/{season.slug}/enter/")
    prepare_episodes()
    for episode in Episode.objects.all():
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
        assert assert_keeps_its_secrets(episode, sent)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_a_seat_learns_only_earlier_prices_of_the_other_seat(opened, sent, form):
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
    assert assert_keeps_its_secrets(Episode.objects.get(pk=answer["id"]), told, seat="seat_1")


def test_the_check_detects_a_secret_in_every_notation():
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
