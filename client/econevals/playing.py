"""Play a whole episode with a policy. This module also holds episodes that the client has just opened."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Unpack

from econevals.connection import Options
from econevals.errors import Refused
from econevals.seat import Period, Seat

logger = logging.getLogger("econevals")

Policy = Callable[[Period], Any]
"""Function that gets a period and returns the action: a dict such as {"Product_1": 20.0}. In a survey the action is the
answers by question key."""

MOST_REFUSALS = 3
ENDED = ("finished", "resigned", "expired", "withdrawn")
LONGEST_WAIT = 10.0


def play(token: str, policy: Policy, *, url: str, **options: Unpack[Options]) -> dict[str, Any]:
    """Play one seat of an episode from its current period to its end. Returns the final status.

    After a crash, call it again: the site knows the period. A policy with a memory must then read it back from the history
    or from its notes. After an invalid action the policy gets the same period again, with the reason as `problem`.

    token: the episode token of the seat, `ep_...`
    options: see `Options`
    Raises NoAnswer, and Refused for errors of the site and for the third invalid action in a row.
    """
    with Seat(url, token, **options) as seat:
        while (status := _when_open(seat))["state"] not in ENDED:
            _play_periods(seat, policy, status["period"])
        return status


def _when_open(seat: Seat) -> dict[str, Any]:
    """Wait until this seat may act or the episode is over, and return the status."""
    wait = 0.25
    while (status := seat.status())["state"] not in ("open", *ENDED):
        # The instance is being prepared, or the other seat has not acted.
        time.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)
    return status


def _play_periods(seat: Seat, policy: Policy, number: int | None) -> None:
    """Play until this seat must wait, the episode ends, or the site's state differs from that of this program."""
    problem, refusals = "", 0
    while number is not None:
        try:
            receipt = seat.act(number, policy(seat.period(number, problem)))
        except Refused as refusal:
            if refusal.code != "invalid_action":
                if refusal.code in ("already_played", "not_yet", "ended"):
                    logger.warning("Period %d: %s", number, refusal)
                    return
                raise
            problem, refusals = str(refusal), refusals + 1
            if refusals == MOST_REFUSALS:
                raise
        else:
            problem, refusals = "", 0
            number = receipt["next_period"] if receipt["state"] == "open" else None


@dataclass(frozen=True)
class OpenEpisode:
    """An episode that was just opened.

    tokens: episode tokens by seat, for the seats that programs play; the site returns them only once
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
        """Play one seat, by default the first, as `econevals.play` does."""
        return play(self.tokens[seat] if seat else self.token, policy, url=self.url, **self.options)


@dataclass(frozen=True)
class Entry:
    """A whole entry of a season. It is the organization's entry number `entry` of at most `of`."""

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
