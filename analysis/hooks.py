"""Callables that higher layers register in their AppConfig.ready, as with accounts.hooks."""

from collections.abc import Callable

from analysis.models import Leaderboard

leaderboard_shared: list[Callable[[Leaderboard], int]] = []
"""Each returns the number of live links to the leaderboard."""


def links_to(leaderboard: Leaderboard) -> int:
    return sum(count(leaderboard) for count in leaderboard_shared)
