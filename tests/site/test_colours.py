"""The ten colours of agents, seen by people with and without colour blindness, on light and dark ground."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from infrastructure.figures.colours import DOTTED, HOLLOW, SYMBOLS, agent_styles, style_of_rank
from infrastructure.figures.theme import PALETTE

TOKENS = (Path(__file__).parents[2] / "static/css/tokens.css").read_text(encoding="utf-8")
THEMES = ("light", "dark")
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
"""How linear RGB appears at severity 1.0 (Machado, Oliveira and Fernandes 2009)."""
LEAST_DISTANCE = {"usual": 14.0, "protanopia": 9.0, "deuteranopia": 9.0, "tritanopia": 9.0}
"""CIE76 distances. About 2.3 are just noticeable; marks, which differ as well, are small, so far more is required."""
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])


def linear(name, theme):
    """The token as linear RGB."""
    light, dark = re.search(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", TOKENS).groups()
    text = light if theme == "light" else dark
    values = np.array([int(text[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(colour):
    """CIELAB of a linear RGB colour under D65."""
    ratios = XYZ @ np.clip(colour, 0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(first, second):
    """The contrast ratio of WCAG 2.2."""
    low, high = sorted(float(XYZ[1] @ colour) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


def agent_colours(theme):
    return [linear(token.removeprefix("token:"), theme) for token in PALETTE]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHT)
def test_ten_colours_differ_for_every_kind_of_sight(theme, sight):
    seen = [lab(np.array(SIGHT[sight]) @ colour) for colour in agent_colours(theme)]
    assert len(seen) == 10
    distances = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in combinations(range(10), 2)}
    assert min(distances.values()) >= LEAST_DISTANCE[sight], min(distances, key=distances.get)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "panel"])
def test_every_colour_stands_out_from_the_ground(theme, ground):
    ratios = [contrast(colour, linear(ground, theme)) for colour in agent_colours(theme)]
    assert min(ratios) >= 3.0


def test_the_first_ten_agents_share_neither_colour_nor_mark():
    styles = list(agent_styles([(number, False) for number in range(10)]).values())
    assert len({style.colour for style in styles}) == len({style.symbol for style in styles}) == 10


def test_a_hundred_agents_have_different_pairs_of_colour_and_mark():
    endings = ("", HOLLOW, DOTTED)
    assert len({style_of_rank(rank, ending) for rank in range(100) for ending in endings}) == 300
    assert len(set(SYMBOLS)) == len(SYMBOLS) == 10
