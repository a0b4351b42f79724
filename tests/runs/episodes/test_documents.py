"""The requests in docs/outside-agents.md get the documented answers."""

import json
import re
from datetime import timedelta

import pytest
from django.conf import settings

from api.mcp.reading import MOST_CHARACTERS
from api.mcp.seats import HISTORY_CHARACTERS
from api.protocol.describing import description
from environments.registry import ENVIRONMENTS, GENERATION, generate
from runs.episodes.models import PROTOCOL, RULES
from runs.episodes.services.opening import LIMITS
from runs.episodes.services.playing import FLAGGED_BEFORE, MAX_CALLS
from runs.models import PlayerClass
from tests.api.conftest import Program
from tests.data_folders import ROOT

GUIDE = (ROOT / "docs" / "outside-agents.md").read_text()
REQUEST = re.compile(r"curl (?:-X (\w+) )?\$SITE/api/v1(\S+)((?:[^`]|\\\n)*?)(?=\n *(?:curl|```))")


def test_the_first_requests_in_the_guide_open_an_episode_and_play_a_period(opener):
    shown = [
        (method, path, re.search(r"-d '(\{.*?\})'", more, re.DOTALL)) for method, path, more in REQUEST.findall(GUIDE)
    ]
    assert [path for _, path, _ in shown] == ["/episodes", "/episode/periods/0", "/episode/periods/0/action"]
    opened = opener.post("/episodes", json.loads(shown[0][2][1]))
    assert opened.status_code == 201, opened.content
    seat = Program(opened.json()["token"])
    assert "set_prices" in seat.get(shown[1][1]).json()["prompt"] + str(seat.get(shown[1][1]).json()["tools"])
    receipt = seat.send(shown[2][0], shown[2][1], json.loads(shown[2][2][1]))
    assert receipt.json()["next_period"] == 1


def test_the_table_of_requests_lists_every_operation_of_a_seat():
    shown = set(re.findall(r"^\| `(GET|POST|PUT) (/episode\S*)`", GUIDE, re.MULTILINE))
    paths = {(method.upper(), path) for path, found in description()["paths"].items() for method in found}
    of_seats = {(method, path) for method, path in paths if re.match(r"/api/v1/episode(/|$)", path)}
    assert {(method, f"/api/v1{path}".replace("{n}", "{index}")) for method, path in shown} == of_seats


def days_and_hours(span):
    return f"{span // timedelta(days=1)} days" if span > timedelta(days=3) else f"{span // timedelta(hours=1)} hours"


def test_the_limits_in_the_guide_match_the_site():
    (period, episode), (longest, whole) = LIMITS[PlayerClass.OUTSIDE], LIMITS[PlayerClass.HUMAN]
    limits = [
        f"A period has {MAX_CALLS} calls",
        f"lasts at most {period // timedelta(minutes=1)} minutes and an episode {days_and_hours(episode)}",
        f"for people {days_and_hours(longest)} and {days_and_hours(whole)}",
        f"`econevals journal {PROTOCOL}`",
        f"An answer of more than {MOST_CHARACTERS:,} characters",
        f"at most {settings.API_REQUESTS_A_MINUTE} requests a minute",
        f"the rules `{RULES}`",
    ]
    words = " ".join(GUIDE.split())
    assert [limit for limit in limits if limit not in words] == []
    assert FLAGGED_BEFORE == 10 and "A near-perfect period among the first ten is flagged" in words
    unsealed = [name.partition("_vs_")[0] for name, generation in GENERATION.items() if not generation.can_be_sealed]
    assert unsealed == ["collusiveness", "patience"] and "Collusion and patience cannot be ranked" in words


def test_the_longest_history_has_the_length_in_the_guide_and_fits():
    game = ENVIRONMENTS["scheduling"](generate("scheduling", "HARD", 0, with_reference=False))
    for period in range(99):
        workers, tasks = game.instance.parameters["workers"], game.instance.parameters["tasks"]
        order = tasks[period % len(tasks) :] + tasks[: period % len(tasks)]
        game.step(dict(zip(workers, order, strict=True)))
    assert 165_000 < len(game.history("seat_0")) < 185_000 < HISTORY_CHARACTERS and "178,000 characters" in GUIDE


@pytest.mark.parametrize("environment", ["collusiveness_vs_competitiveness", "patience_vs_impatience"])
def test_the_guide_is_right_about_markets_and_surveys(opened, environment):
    if environment == "patience_vs_impatience":
        seat = Program(opened(environment)["token"])
        questions = seat.get("/episode/periods/0").json()["questions"]
        answers = {question["key"]: "AB"[place % 2] for place, question in enumerate(questions)}
        assert questions and seat.send("PUT", "/episode/periods/0/action", {"action": answers}).status_code == 200
        return
    (rival,) = re.findall(r'`"rival": "(\S+)"`', GUIDE)
    assert [*opened(environment)["seats"]] == ["seat_0", "seat_1"]
    assert [*opened(environment, rival=rival)["seats"]] == ["seat_0"]
