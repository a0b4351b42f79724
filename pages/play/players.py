"""The player in the browser: a member at /play/, or a participant with the secret of a link at /p/."""

from dataclasses import dataclass

from django.urls import reverse

from pages.play.models import Participant
from runs.episodes.models import Seat
from runs.selectors.cells import game_title


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
        """The frame of the page. That of participants suits people without an account."""
        return "pages/play/bare.html" if self.participant else "base.html"

    @property
    def title(self) -> str:
        """The title of the page. A participant does not see the game's name, which would reveal what it measures."""
        if self.participant is not None:
            return self.participant.study.title
        return game_title(self.seat.episode.environment, self.seat.episode.difficulty)

    @property
    def page(self) -> str:
        """The address of the page of the current period."""
        return self.addresses["game"]

    @property
    def addresses(self) -> dict[str, str]:
        """The addresses of the game by name; `act` takes the action of the current period."""
        prefix = "participant" if self.participant else "own"
        more = {"game": [], "draft": [], "resign": [], "history": [], "figure": [], "act": [self.seat.period]}
        return {name: reverse(f"play:{prefix}-{name}", args=[self.key, *end]) for name, end in more.items()}
