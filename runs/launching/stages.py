"""Stages of a launch: a comparison of two agents that may stop before all seeds are played."""

import re
from collections.abc import Sequence

from environments.registry import ENVIRONMENTS, LITMUS_TESTS
from stats.paired import WILCOXON_FROM
from stats.sequential import FEWEST_STAGES, MOST_STAGES

MOST_POINTS = 100


def parse_stages(text: str) -> tuple[int, ...]:
    """'4, 8, 12' to (4, 8, 12); empty text to (). Raises ValueError with a sentence."""
    numbers = [word for word in re.split(r"[,;\s–-]+", text.strip()) if word]
    for word in numbers:
        if not re.fullmatch(r"\d{1,4}", word):
            raise ValueError(f"{word[:30]!r} is not a number of seeds; write stages such as 4, 8, 12.")
    return tuple(map(int, numbers))


def stages_error(stages: Sequence[int], seeds: int, agents: int, environments: Sequence[str], variants: int) -> str:
    """Why these stages do not fit a launch, in one sentence; empty if they do. `seeds`, `agents`, `variants`: numbers."""
    litmus = [ENVIRONMENTS[name].title for name in environments if name in LITMUS_TESTS]
    if not FEWEST_STAGES <= len(stages) <= MOST_STAGES:
        return f"Give {FEWEST_STAGES} to {MOST_STAGES} stages, such as 4, 8, 12."
    if stages[0] < 1 or any(later <= earlier for earlier, later in zip(stages, stages[1:], strict=False)):
        return "Each stage is a number of seeds, larger than the one before it, such as 4, 8, 12."
    if stages[-1] != seeds:
        return f"The last stage has all seeds: {seeds} are chosen and the last stage has {stages[-1]}."
    if agents != 2:
        return f"Stages compare two agents; {agents} {'is' if agents == 1 else 'are'} chosen."
    if litmus:
        return f"Stages compare benchmark scores, and {litmus[0]} is a litmus test."
    if variants > 1:
        return "Stages compare two agents under one prompt variant; choose one."
    return ""


def too_few_error(instances: int) -> str:
    """Why so few instances cannot be played in stages; empty if they can."""
    if instances >= WILCOXON_FROM:
        return ""
    return f"The test of a comparison needs at least {WILCOXON_FROM} instances; these stages have {instances}."
