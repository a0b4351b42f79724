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
    """Agent id -> style, from (id, is a baseline) of all agents of an organization.

    Colours go by age, so that a new agent changes nobody's colour; LLMs and baselines are counted apart, so that the
    baselines every organization starts with do not use up the first colours.
    """
    counts = {False: 0, True: 0}
    styles = {}
    for agent, is_baseline in sorted(agents):
        rank = counts[is_baseline]
        counts[is_baseline] += 1
        symbol = SYMBOLS[rank // len(PALETTE) % len(SYMBOLS)] + (HOLLOW if is_baseline else "")
        styles[agent] = AgentStyle(PALETTE[rank % len(PALETTE)], symbol)
    return styles
