"""Database reads of play: studies with their participants, a participant by their link, and a member's games."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.paginator import Page
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import Organization, User
from accounts.secrets import token_hash
from environments.base import SINGLE_SEAT
from environments.registry import ENVIRONMENTS
from infrastructure.paging import TABLE_PAGE, PageNumber, paged
from infrastructure.text.tables import Column, Table, typed
from pages.play.models import Participant, Study
from pages.play.payoff import earned
from pages.play.services.games import HUMAN
from runs.episodes.models import Ending, Episode, Seat
from runs.episodes.refusals import ending_of
from runs.episodes.services.playing import DEFERRED_COLUMNS, RELATED
from runs.models import Experiment

LONGEST_SECRET = 100
RUN_RELATIONS = ("seat__episode__run__experiment", "seat__episode__run__agent", "seat__episode__run__instance")


def studies(*, organization: Organization) -> QuerySet[Study]:
    """Studies, newest first, with `joined` and `finished`, the numbers of their participants."""
    ended = Q(participants__seat__episode__ending=Ending.FINISHED)
    return Study.objects.filter(organization=organization).annotate(
        joined=Count("participants", filter=Q(participants__consented_at__isnull=False)),
        finished=Count("participants", filter=ended),
    )


def open_links_by_maker(organization: Organization) -> dict[int, list[str]]:
    """Studies that anybody may enter, by the id of their creator. A listener of accounts.hooks.made_by_members."""
    names: dict[int, list[str]] = {}
    for study in Study.objects.filter(organization=organization, created_by__isnull=False).exclude(open_hash=""):
        names.setdefault(study.created_by_id or 0, []).append(f"the open link of the study “{study.name}” (revoked)")
    return names


def study_or_404(*, organization: Organization, study_id: int) -> Study:
    return get_object_or_404(Study, organization=organization, pk=study_id)


def participant_or_404(*, organization: Organization, participant_id: int) -> Participant:
    rows = Participant.objects.select_related("study", "seat__episode__run")
    return get_object_or_404(rows, study__organization=organization, pk=participant_id)


def participant_with(secret: str) -> Participant | None:
    """The participant of a link; None for a revoked link and any other text."""
    if len(secret) > LONGEST_SECRET:
        return None
    rows = Participant.objects.select_related("study__organization", *(f"seat__{name}" for name in RELATED))
    rows = rows.defer(*(f"seat__{name}" for name in DEFERRED_COLUMNS))
    return rows.filter(secret_hash=token_hash(secret), revoked_at=None).first()


def study_with(secret: str) -> Study | None:
    """The study of an open link; None for any other text."""
    if len(secret) > LONGEST_SECRET:
        return None
    return Study.objects.select_related("organization").filter(open_hash=token_hash(secret)).first()


def seat_of_member(*, organization: Organization, user: User, episode_id: int) -> Seat:
    """The seat of a game that the member opened to play in the browser. Raises Http404 for any other episode."""
    rows = (
        Seat.objects.select_related(*RELATED)
        .defer(*DEFERRED_COLUMNS)
        .filter(episode__run__isnull=False, episode__run__deleted_at=None)
    )
    mine = {"episode__organization": organization, "episode__opened_by": user, "episode__harness__kind": HUMAN}
    return get_object_or_404(rows, episode=episode_id, name=SINGLE_SEAT, **mine)


@dataclass(frozen=True)
class GameRow:
    """A game that a member can continue. entry_label: its season and number in the entry; empty for practice"""

    episode: Episode
    title: str
    periods: int
    entry_label: str


def open_games(*, organization: Organization, user: User) -> list[GameRow]:
    """The member's games in play, ordered by deadline, the earliest first."""
    rows = Episode.objects.filter(
        organization=organization,
        opened_by=user,
        harness__kind=HUMAN,
        ending=Ending.NONE,
        run__isnull=False,
        run__deleted_at=None,
    )
    episodes = rows.select_related("run__instance", "entry__season").defer(*_bulk()).order_by("period_due_at")
    return [_game_row(episode) for episode in episodes if not ending_of(episode)]


def _bulk() -> Iterable[str]:
    return (name.removeprefix("episode__") for name in DEFERRED_COLUMNS)


def _game_row(episode: Episode) -> GameRow:
    assert episode.run is not None
    entry = episode.entry
    entry_label = f"{entry.season.name}, game {episode.place + 1} of {entry.episode_count}" if entry else ""
    title = f"{ENVIRONMENTS[episode.environment].title} {episode.difficulty}"
    if entry is None:
        title += f", {episode.run.instance.numbered}"
    return GameRow(episode, title, episode.run.periods, entry_label)


@dataclass(frozen=True)
class ParticipantRow:
    """A row of the table of participants.

    state: a word of STATES; css: class of its colour
    score: score of the game, None until it has one; payoff: None if unknown
    """

    participant: Participant
    state: str
    css: str
    score: float | None
    payoff: Decimal | None
    ended_at: datetime | None

    @property
    def episode(self) -> Episode | None:
        return self.participant.seat.episode if self.participant.seat else None


def _rows(study: Study) -> QuerySet[Participant]:
    return study.participants.select_related(*RUN_RELATIONS).defer(*(f"seat__{name}" for name in DEFERRED_COLUMNS))


def participants_page(study: Study, number: PageNumber, text: str = "") -> Page[ParticipantRow]:
    """A page of the participants in order. text: number or part of a label to search for"""
    rows = _rows(study)
    if text:
        has_label = Q(label__icontains=text)
        rows = rows.filter(has_label | Q(number=int(text)) if text.isdecimal() and len(text) < 10 else has_label)
    return paged(rows, TABLE_PAGE, number, lambda participant: participant_row(study, participant))


def participant_row(study: Study, participant: Participant) -> ParticipantRow:
    participant.study = study
    state, css = _state(participant)
    if participant.seat is None or participant.seat.episode.kept_run is None:
        return ParticipantRow(participant, state, css, None, None, None)
    episode = participant.seat.episode
    score = episode.run.score if episode.run else None
    return ParticipantRow(participant, state, css, score, earned(participant), episode.ended_at)


@dataclass(frozen=True)
class StudyCounts:
    """Numbers of participants: all, those who agreed, those who play, and those who finished."""

    total: int
    agreed: int
    playing: int
    finished: int


def study_counts(study: Study) -> StudyCounts:
    playing = Q(seat__episode__ending=Ending.NONE, seat__episode__period_due_at__gt=timezone.now())
    counts = study.participants.aggregate(
        total=Count("pk"),
        agreed=Count("pk", filter=Q(consented_at__isnull=False)),
        playing=Count("pk", filter=playing),
        finished=Count("pk", filter=Q(seat__episode__ending=Ending.FINISHED)),
    )
    return StudyCounts(**counts)


def experiment_of(study: Study) -> Experiment | None:
    """The experiment that collects the study's runs; None before the first run."""
    return Experiment.objects.filter(runs__episode__seats__participant__study=study).order_by("-id").first()


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
    if participant.is_left_alone:
        return "Left alone", "cancelled"
    return str(ending.label), "finished" if ending == Ending.FINISHED else "cancelled"


def participants_table(study: Study) -> Table:
    """The participants as a table for files: one row each, with payoff and run."""
    columns = [
        *typed(int, "participant"),
        *typed(str, "label", "state", "consented_at", "begun_at", "ended_at"),
        *typed(int, "periods_played"),
        Column("score", digits=4, value_type=float),
        *typed(float, "payoff"),
        *typed(str, "currency"),
        *typed(int, "run"),
        *typed(bool, "label_is_typed"),
    ]
    rows = [
        [
            row.participant.number,
            row.participant.label or None,
            row.state,
            _moment(row.participant.consented_at),
            _moment(row.episode.opened_at if row.episode else None),
            _moment(row.ended_at),
            row.episode.periods_played if row.episode else None,
            row.score,
            None if row.payoff is None else float(row.payoff),
            study.currency,
            row.episode.run_id if row.episode and row.episode.kept_run else None,
            row.participant.label_is_typed,
        ]
        for row in (participant_row(study, participant) for participant in _rows(study))
    ]
    return Table(f"Participants of {study.name}", columns, rows)


def _moment(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
