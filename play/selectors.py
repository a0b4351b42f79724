"""Reads of play: the studies of an organization with their participants, a participant by their link, a member's games."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization, User
from accounts.secrets import token_hash
from environments.base import SINGLE_SEAT
from environments.registry import ENVIRONMENTS
from episodes.models import Ending, Episode, Seat
from episodes.refusals import ending_of
from episodes.selectors import RELATED
from episodes.services.playing import BULK
from infrastructure.text.tables import Column, Table
from play.models import Participant, Study
from play.payoff import payoff_of
from play.services.games import HUMAN

LONGEST_SECRET = 100
OF_RUNS = ("seat__episode__run__experiment", "seat__episode__run__agent", "seat__episode__run__instance")


def studies(*, organization: Organization) -> QuerySet[Study]:
    """The newest first, with `joined` and `finished`, the counts of their participants."""
    ended = Q(participants__seat__episode__ending=Ending.FINISHED)
    return Study.objects.filter(organization=organization).annotate(
        joined=Count("participants", filter=Q(participants__consented_at__isnull=False)),
        finished=Count("participants", filter=ended),
    )


def study_or_404(*, organization: Organization, study_id: int) -> Study:
    return get_object_or_404(Study, organization=organization, pk=study_id)


def participant_or_404(*, organization: Organization, participant_id: int) -> Participant:
    rows = Participant.objects.select_related("study", "seat__episode__run")
    return get_object_or_404(rows, study__organization=organization, pk=participant_id)


def participant_with(secret: str) -> Participant | None:
    """The participant of a link; None for any other text and for a revoked link."""
    if len(secret) > LONGEST_SECRET:
        return None
    rows = Participant.objects.select_related("study__organization", *(f"seat__{name}" for name in RELATED))
    rows = rows.defer(*(f"seat__{name}" for name in BULK))
    return rows.filter(secret_hash=token_hash(secret), revoked_at=None).first()


def study_with(secret: str) -> Study | None:
    """The study of an open link."""
    if len(secret) > LONGEST_SECRET:
        return None
    return Study.objects.select_related("organization").filter(open_hash=token_hash(secret)).first()


def seat_of_member(*, organization: Organization, user: User, episode_id: int) -> Seat:
    """The seat of a game that the member opened to play it in the browser. Http404 for any other episode."""
    rows = (
        Seat.objects.select_related(*RELATED)
        .defer(*BULK)
        .filter(episode__run__isnull=False, episode__run__deleted_at=None)
    )
    mine = {"episode__organization": organization, "episode__opened_by": user, "episode__harness__kind": HUMAN}
    return get_object_or_404(rows, episode=episode_id, name=SINGLE_SEAT, **mine)


@dataclass(frozen=True)
class GameRow:
    """A game that a member may play on. place: its number in the entry of a season; empty for practice"""

    episode: Episode
    title: str
    periods: int
    place: str


def open_games(*, organization: Organization, user: User) -> list[GameRow]:
    """The member's games in play, those whose time ends first at the top."""
    rows = Episode.objects.filter(
        organization=organization,
        opened_by=user,
        harness__kind=HUMAN,
        ending=Ending.NONE,
        run__isnull=False,
        run__deleted_at=None,
    )
    found = rows.select_related("run__instance", "entry__season").defer(*_bulk()).order_by("period_due_at")
    return [_game_row(episode) for episode in found if not ending_of(episode)]


def _bulk() -> Iterable[str]:
    return (name.removeprefix("episode__") for name in BULK)


def _game_row(episode: Episode) -> GameRow:
    assert episode.run is not None
    entry = episode.entry
    place = f"{entry.season.name}, game {episode.place + 1} of {entry.episode_count}" if entry else ""
    title = f"{ENVIRONMENTS[episode.environment].title} {episode.difficulty}"
    if entry is None:
        title += f", seed {episode.run.instance.seed}"
    return GameRow(episode, title, episode.run.periods, place)


@dataclass(frozen=True)
class ParticipantRow:
    """state: a word of STATES; css: the class of its colour; score: of a finished game; payoff: None if it is not known"""

    participant: Participant
    state: str
    css: str
    score: float | None
    payoff: Decimal | None
    ended_at: datetime | None

    @property
    def episode(self) -> Episode | None:
        return self.participant.seat.episode if self.participant.seat else None


def participant_rows(study: Study) -> list[ParticipantRow]:
    """All participants in order. One query."""
    rows = study.participants.select_related(*OF_RUNS).defer(*(f"seat__{name}" for name in BULK))
    return [participant_row(study, participant) for participant in rows]


def participant_row(study: Study, participant: Participant) -> ParticipantRow:
    state, css = _state(participant)
    if participant.seat is None or participant.seat.episode.kept_run is None:
        return ParticipantRow(participant, state, css, None, None, None)
    episode = participant.seat.episode
    score = episode.run.score if episode.run else None
    payoff = payoff_of(study, score) if episode.ending == Ending.FINISHED else None
    return ParticipantRow(participant, state, css, score, payoff, episode.ended_at)


def _state(participant: Participant) -> tuple[str, str]:
    if participant.seat is None:
        if participant.revoked_at is not None:
            return "Link revoked", "cancelled"
        return ("Consented", "waiting") if participant.consented_at else ("Invited", "queued")
    if participant.seat.episode.kept_run is None:
        return "Run deleted", "cancelled"
    ending = ending_of(participant.seat.episode)
    if ending == Ending.NONE:
        return "Playing", "open"
    return str(ending.label), "finished" if ending == Ending.FINISHED else "cancelled"


def participants_table(study: Study) -> Table:
    """The participants as a file: one row each, with payoff and run."""
    names = (
        "participant",
        "label",
        "state",
        "consented_at",
        "ended_at",
        "periods_played",
        "score",
        "payoff",
        "currency",
    )
    digits = {"score": 4}
    rows = [
        [
            row.participant.number,
            row.participant.label or None,
            row.state,
            row.participant.consented_at and row.participant.consented_at.isoformat(timespec="seconds"),
            row.ended_at and row.ended_at.isoformat(timespec="seconds"),
            row.episode.periods_played if row.episode else None,
            row.score,
            None if row.payoff is None else float(row.payoff),
            study.currency,
            row.episode.run_id if row.episode and row.episode.kept_run else None,
        ]
        for row in participant_rows(study)
    ]
    columns = [Column(name, digits=digits.get(name, 2)) for name in (*names, "run")]
    return Table(f"Participants of {study.name}", columns, rows)
