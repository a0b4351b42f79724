"""The colour and symbol of each agent, which are the same on every page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from infrastructure.figures.theme import PALETTE, Trace, dots

SYMBOLS = (
    "circle", "square", "diamond", "triangle-up", "x", "triangle-down", "cross", "star", "bowtie", "hourglass",
)  # fmt: skip
HOLLOW, DOTTED = "-open", "-open-dot"
"""What follows the symbol of a published model, and that of a baseline."""
DASHED = "5px,3px"
"""Dashes of the lines of baselines and of published models. Those of the organization's models are solid."""


@dataclass(frozen=True)
class AgentStyle:
    """Colour and symbol of an agent: filled for an LLM, hollow for a published model, hollow with a dot for a baseline."""

    colour: str
    symbol: str

    @property
    def is_baseline(self) -> bool:
        return self.symbol.endswith(DOTTED)

    @property
    def dash(self) -> str:
        """Of a line: solid for an LLM, dashed for a baseline or a published model."""
        return DASHED if HOLLOW in self.symbol else "solid"

    @property
    def number(self) -> int:
        """The number of the colour among the tokens, from 1; 0 for a colour that belongs to no agent."""
        return PALETTE.index(self.colour) + 1 if self.colour in PALETTE else 0

    def dots(self, x: Sequence[float], y: Sequence[float], name: str, opacity: float, **options: Any) -> Trace:
        marker = {
            "color": self.colour,
            "symbol": self.symbol,
            "size": 8,
            "opacity": opacity,
            "line": {"width": 1.5 if HOLLOW in self.symbol else 0, "color": self.colour},
        }
        return dots(x, y, name, self.colour, marker=marker, **options)


def style_of_rank(rank: int, ending: str = "") -> AgentStyle:
    """The style of the agent with this rank, from 0. Hundred ranks have different pairs of colour and symbol.

    The first ten differ in both. Each further ten pairs the colours with the next symbols.
    """
    symbol = SYMBOLS[(rank + rank // len(PALETTE)) % len(SYMBOLS)]
    return AgentStyle(PALETTE[rank % len(PALETTE)], symbol + ending)


def agent_styles(agents: Iterable[tuple[int, bool]]) -> dict[int, AgentStyle]:
    """Return the style of each agent by its id. A new agent does not change the styles of others.

    agents: (id, whether it is a baseline) of an organization's agents, in the order of their first run. LLMs and
        baselines are counted separately.
    """
    ranks = {False: count(), True: count()}
    return {
        agent: style_of_rank(next(ranks[is_baseline]), DOTTED if is_baseline else "") for agent, is_baseline in agents
    }
