"""One colour for each agent, the same on every page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.figures.theme import PALETTE

SYMBOLS = ("circle", "square", "diamond")
HOLLOW = "-open"


@dataclass(frozen=True)
class AgentStyle:
    """How an agent is drawn: LLMs filled, baselines hollow; agents beyond the palette's six by another symbol."""

    colour: str
    symbol: str


def agent_styles(agents: Iterable[tuple[int, bool]]) -> dict[int, AgentStyle]:
    """Agent id -> style, from (id, is a baseline) of an organization's agents in the order of their first run.

    So a new agent changes nobody's colour, and agents that never ran use none up. LLMs and baselines are counted apart.
    """
    counts = {False: 0, True: 0}
    styles = {}
    for agent, is_baseline in agents:
        rank = counts[is_baseline]
        counts[is_baseline] += 1
        symbol = SYMBOLS[rank // len(PALETTE) % len(SYMBOLS)] + (HOLLOW if is_baseline else "")
        styles[agent] = AgentStyle(PALETTE[rank % len(PALETTE)], symbol)
    return styles
