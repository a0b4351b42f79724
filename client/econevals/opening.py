"""Episodes that an owner opened."""

from dataclasses import dataclass, field
from typing import Any

from econevals.connection import Options
from econevals.playing import Policy, play


@dataclass(frozen=True)
class OpenEpisode:
    """An episode that was just opened.

    tokens: the episode token of each seat that is played from outside; the site shows them only this once
    run: number of its run on the site
    mcp: address of the MCP server for the same tokens
    commitment: SHA-256 of the sealed instance of a ranked episode, None for practice
    """

    url: str
    id: int
    run: int
    environment: str
    difficulty: str
    seed: int | None
    tokens: dict[str, str] = field(repr=False)
    mcp: str
    commitment: str | None
    deadlines: dict[str, Any]
    options: Options = field(repr=False, compare=False)

    @property
    def token(self) -> str:
        """The token of the first seat."""
        return next(iter(self.tokens.values()))

    def play(self, policy: Policy, seat: str = "") -> dict[str, Any]:
        """As `econevals.play`, for one seat, by default the first."""
        return play(self.tokens[seat] if seat else self.token, policy, url=self.url, **self.options)


@dataclass(frozen=True)
class Entry:
    """A whole entry of a season: number `entry` of at most `of`."""

    season: str
    entry: int
    of: int
    episodes: list[OpenEpisode]


def open_episode_of(episode: dict[str, Any], url: str, options: Options) -> OpenEpisode:
    return OpenEpisode(
        url=url,
        id=episode["id"],
        run=episode["run"],
        environment=episode["environment"],
        difficulty=episode["difficulty"],
        seed=episode["seed"],
        tokens=episode["seats"],
        mcp=episode["mcp"],
        commitment=episode["commitment"],
        deadlines=episode["deadlines"],
        options=options,
    )
