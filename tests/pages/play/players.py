"""A seat that is played by the forms of the pages, with the interface of `tests.runs.episodes.players.Player`."""

from django.contrib.messages import get_messages
from django.test import Client
from django.utils import timezone

from accounts.secrets import token_hash
from agents.tools import WRITE
from pages.play.models import Participant, Study
from runs.episodes.selectors import seat_by_token, seat_status
from tests.pages.play.conftest import Person
from tests.runs.episodes.players import Reply, ReplyLost
from tests.runs.episodes.scenarios import Move

CALLED = ("get_previous_pricing_data", "get_product_ids", "get_attempt_number")
"""What the page of a period calls in the environments of the scenarios, in this order."""


class PersonPlayer:
    """Opens the page where a getter is called, which calls all of them; notes stay in the pad until the action is sent."""

    def __init__(self, token):
        self.token, self.notes, self.loses_reply = token, "", False
        seat = seat_by_token(token)
        study, _ = Study.objects.get_or_create(
            organization=seat.episode.organization,
            name="Scenarios",
            defaults={
                "title": "A study",
                "environment": seat.episode.environment,
                "difficulty": "BASIC",
                "consent": "Yes.",
            },
        )
        # A second browser of the same person opens the same link.
        values = {"study": study, "number": seat.pk, "secret_hash": token_hash(token), "consented_at": timezone.now()}
        Participant.objects.get_or_create(seat=seat, defaults=values)
        self.person = Person(f"/p/{token}/", Client(raise_request_exception=True))

    def call(self, tool, **arguments):
        if tool == WRITE:
            self.notes = arguments.get("notes", "")
            self.person.send("draft/", period=self.status()[1], notes=self.notes)
            return self._reply(bool(self.notes))
        if arguments or tool not in CALLED:
            return self._reply(False)  # no page has a button for it
        self.person.open()
        return self._reply(f"<code>{tool}</code>" in self.person.html)

    def act(self, period, action):
        # The scenarios sell one product.
        data = {"notes": self.notes, "a0": action.get("Product_1", "")}
        # Not followed: the page of the next period would open it, in a race at any moment.
        self.person.client.cookies.pop("messages", None)
        answer = self.person.client.post(f"{self.person.address}periods/{period}/", data)
        accepted = answer.status_code == 302 and not list(get_messages(answer.wsgi_request))
        if accepted:
            self.notes = ""
        return self._reply(accepted)

    def resign(self):
        self.person.send("resign/")

    def status(self):
        status = seat_status(seat_by_token(self.token))
        return status.state, status.seat.period

    def _reply(self, ok):
        if self.loses_reply:
            self.loses_reply = False
            raise ReplyLost
        return Reply(ok, self.person.text())


def expected(moves):
    """What the journal holds of a scenario that a person plays: a page calls all getters, in order, once a period."""
    found = []
    for move in moves:
        if not move.tool or move.tool == WRITE:
            found.append(move)
        else:
            found += [Move(move.period, {}, reader, move.seat) for reader in CALLED]
    return found
