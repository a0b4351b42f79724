"""The player in the browser: a member at /play/, or a participant with the secret of a link at /p/."""

from dataclasses import dataclass

from django.urls import reverse

from environments.registry import ENVIRONMENTS
from pages.play.models import Participant
from runs.episodes.models import Seat

BARE = "pages/play/bare.html"
"""The frame of pages for people without an account."""


@dataclass(frozen=True)
class BrowserPlayer:
    """A seat with the addresses of its pages.

    key: identifies the seat in an address: the number of the episode, or the secret of the participant's link
    participant: None for a member
    """

    seat: Seat
    key: str | int
    participant: Participant | None = None

    @property
    def frame(self) -> str:
        return BARE if self.participant else "base.html"

    @property
    def title(self) -> str:
        """The title of the page. A participant does not see the game's name, which would reveal what it measures."""
        if self.participant is not None:
            return self.participant.study.title
        return f"{ENVIRONMENTS[self.seat.episode.environment].title} {self.seat.episode.difficulty}"

    @property
    def page(self) -> str:
        return self._address("game")

    @property
    def draft(self) -> str:
        return self._address("draft")

    @property
    def resign(self) -> str:
        return self._address("resign")

    @property
    def history(self) -> str:
        return self._address("history")

    @property
    def figure(self) -> str:
        return self._address("figure")

    @property
    def action(self) -> str:
        """The address to which the action of the current period is sent."""
        return self._address("act", self.seat.period)

    def _address(self, name: str, *more: int) -> str:
        return reverse(f"play:{'participant' if self.participant else 'own'}-{name}", args=[self.key, *more])
