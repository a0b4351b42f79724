"""What every figure must be, and runs of every environment to draw."""

import json
import re

import plotly.graph_objects as go
import pytest

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.registry import ENVIRONMENTS, generate

TOKEN = re.compile(r"token:[a-z0-9-]+")
LITERAL_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(|\b(?:red|blue|green|white|black|grey|gray)\b")
PLAYED = [
    ("procurement", "BASIC", "random", 100),
    ("scheduling", "BASIC", "random", 100),
    ("scheduling", "MEDIUM", "random", 100),
    ("pricing", "BASIC", "random", 100),
    ("pricing", "MEDIUM", "random", 100),
    ("pricing", "HARD", "random", 100),
    ("efficiency_vs_equality", "STANDARD", "equality-greedy-equality", 30),
    ("collusiveness_vs_competitiveness", "STANDARD", "collusion-best-response", 300),
    ("patience_vs_impatience", "STANDARD", "patience-rate", 240),
]
"""Environment, difficulty, baseline and number of periods."""


def texts(value):
    if isinstance(value, dict):
        yield from (text for item in value.values() for text in texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in texts(item))
    elif isinstance(value, str):
        yield value


def check_figure(figure):
    """Valid for Plotly with the tokens replaced; colours only as tokens; no pseudo-HTML but our line ends; plain JSON."""
    found = json.dumps(figure, allow_nan=False)
    go.Figure(json.loads(TOKEN.sub("#123456", found)))
    assert not LITERAL_COLOUR.search(found)
    assert not any("<" in text.replace("<br>", "") or "&" in text for text in texts(figure))
    assert figure["layout"]["meta"]["description"]


def traces(figure, name):
    """The traces of this name."""
    return [trace for trace in figure["data"] if trace.get("name") == name]


@pytest.fixture(scope="session")
def baseline_run():
    """A whole run of a baseline, played once for all tests."""
    kept = {}

    def play(environment, difficulty="BASIC", baseline="random", seed=0):
        key = (environment, difficulty, baseline, seed)
        if key not in kept:
            instance = generate(environment, difficulty, seed)
            kept[key] = play_baseline(BASELINES[baseline], instance, ENVIRONMENTS[environment])
        return kept[key]

    return play
