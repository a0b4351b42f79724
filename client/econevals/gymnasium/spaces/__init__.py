"""Action and observation spaces of each game, by its name. Games without an entry have no Gymnasium environment."""

from typing import Any

from econevals.gymnasium.spaces.assignments import Matching, TaskAssignment
from econevals.gymnasium.spaces.base import GameSpaces
from econevals.gymnasium.spaces.choices import Choices
from econevals.gymnasium.spaces.prices import MarketPrice, Prices
from econevals.gymnasium.spaces.purchases import Purchases

SPACES: dict[str, type[GameSpaces[Any]]] = {
    "procurement": Purchases,
    "scheduling": Matching,
    "pricing": Prices,
    "efficiency_vs_equality": TaskAssignment,
    "collusiveness_vs_competitiveness": MarketPrice,
    "patience_vs_impatience": Choices,
}
