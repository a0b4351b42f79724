"""The requests that docs/outside-agents.md shows are answered as it says."""

import json
import re

from tests.api.conftest import Program
from tests.data_folders import ROOT

GUIDE = (ROOT / "docs" / "outside-agents.md").read_text()
REQUEST = re.compile(r"curl (?:-X (\w+) )?\$SITE/api/v1(\S+)((?:[^`]|\\\n)*?)(?=\n *(?:curl|```))")


def test_the_first_requests_open_an_episode_and_play_a_period(opener):
    shown = [(method, path, re.search(r"-d '(\{.*?\})'", more, re.DOTALL)) for method, path, more in REQUEST.findall(GUIDE)]
    assert [path for _, path, _ in shown] == ["/episodes", "/episode/periods/0", "/episode/periods/0/action"]
    opened = opener.post("/episodes", json.loads(shown[0][2][1]))
    assert opened.status_code == 201, opened.content
    seat = Program(opened.json()["token"])
    assert "set_prices" in seat.get(shown[1][1]).json()["prompt"] + str(seat.get(shown[1][1]).json()["tools"])
    receipt = seat.send(shown[2][0], shown[2][1], json.loads(shown[2][2][1]))
    assert receipt.json()["next_period"] == 1
