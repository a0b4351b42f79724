"""One colour for each agent, the same on every page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from infrastructure.figures.theme import PALETTE, Trace, dots

SYMBOLS = ("circle", "square", "diamond")
HOLLOW = "-open"


@dataclass(frozen=True)
class AgentStyle:
    """How an agent is drawn: LLMs filled, baselines hollow. After six agents the colours repeat with another symbol."""

    colour: str
    symbol: str

    def dots(self, x: Sequence[float], y: Sequence[float], name: str, opacity: float, **options: Any) -> Trace:
        edge = {"width": 1.5 if self.symbol.endswith(HOLLOW) else 0, "color": self.colour}
        marker = {"color": self.colour, "symbol": self.symbol, "size": 8, "opacity": opacity, "line": edge}
        return dots(x, y, name, self.colour, marker=marker, **options)


def agent_styles(agents: Iterable[tuple[int, bool]]) -> dict[int, AgentStyle]:
    """Agent id -> style, from (id, is a baseline) of an organization's agents in the order of their first run.

    A new agent changes no other agent's colour. LLMs and baselines are counted separately.
    """
    counts = {False: 0, True: 0}
    styles = {}
    for agent, is_baseline in agents:
        rank = counts[is_baseline]
        counts[is_baseline] += 1
        symbol = SYMBOLS[rank // len(PALETTE) % len(SYMBOLS)] + (HOLLOW if is_baseline else "")
        styles[agent] = AgentStyle(PALETTE[rank % len(PALETTE)], symbol)
    return styles
