"""The colour and symbol of each agent, which are the same on every page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from infrastructure.figures.theme import PALETTE, Trace, dots

SYMBOLS = ("circle", "square", "diamond")
HOLLOW = "-open"
DASHED = "5px,3px"
"""Dashes of the lines of baselines and of published models. Those of the organization's models are solid."""


@dataclass(frozen=True)
class AgentStyle:
    """Colour and symbol of an agent: filled for an LLM, hollow for a baseline.

    There are six colours. After six agents they repeat with another symbol.
    """

    colour: str
    symbol: str

    def dots(self, x: Sequence[float], y: Sequence[float], name: str, opacity: float, **options: Any) -> Trace:
        marker = {
            "color": self.colour,
            "symbol": self.symbol,
            "size": 8,
            "opacity": opacity,
            "line": {"width": 1.5 if self.symbol.endswith(HOLLOW) else 0, "color": self.colour},
        }
        return dots(x, y, name, self.colour, marker=marker, **options)


def agent_styles(agents: Iterable[tuple[int, bool]]) -> dict[int, AgentStyle]:
    """Return the style of each agent by its id. A new agent does not change the styles of others.

    agents: (id, whether it is a baseline) of an organization's agents, in the order of their first run. LLMs and
        baselines are counted separately.
    """
    ranks = {False: count(), True: count()}
    styles = {}
    for agent, is_baseline in agents:
        rank = next(ranks[is_baseline])
        symbol = SYMBOLS[rank // len(PALETTE) % len(SYMBOLS)] + (HOLLOW if is_baseline else "")
        styles[agent] = AgentStyle(PALETTE[rank % len(PALETTE)], symbol)
    return styles
