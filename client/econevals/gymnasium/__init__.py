"""Gymnasium environments, one for each game: `import econevals.gymnasium; gymnasium.make("EconEvals/Pricing-v0")`.

They are practice on public seeds and never ranked. The reward of each period tells how good the action was, which agents on
a site are never told.
"""

import gymnasium

from econevals.gymnasium.environment import PracticeEnv as PracticeEnv
from econevals.gymnasium.spaces import SPACES
from environments.registry import ENVIRONMENTS


def environment_id(name: str) -> str:
    """Return the Gymnasium id of a game, such as 'EconEvals/EfficiencyVersusEquality-v0'."""
    return f"EconEvals/{''.join(word.capitalize() for word in ENVIRONMENTS[name].title.split())}-v0"


for _name in SPACES:
    gymnasium.register(
        id=environment_id(_name),
        entry_point="econevals.gymnasium.environment:PracticeEnv",
        kwargs={"environment": _name},
    )
