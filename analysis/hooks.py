"""What layers above want to be told or asked. They add a callable in their AppConfig.ready, as with accounts.hooks."""

from __future__ import annotations

from collections.abc import Callable

from analysis.models import Leaderboard

leaderboard_shared: list[Callable[[Leaderboard], int]] = []
"""How many people outside can be looking: live links to the leaderboard, which change or end with it."""


def links_to(leaderboard: Leaderboard) -> int:
    return sum(count(leaderboard) for count in leaderboard_shared)
