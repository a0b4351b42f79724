"""Database reads of play: studies with their participants, a participant by their link, and the seat of a member."""

from datetime import datetime
from typing import Any

from django.core.paginator import Page
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import Organization, User
from accounts.secrets import token_hash
from environments.base import SINGLE_SEAT
from infrastructure.paging import TABLE_PAGE, PageNumber, paged
from infrastructure.text.tables import Column, Table, typed
from pages.play.models import Participant, Study
from pages.play.payoff import earned
from pages.play.services.games import HUMAN
from runs.episodes.models import Ending, Seat
from runs.episodes.refusals import ending_of
from runs.episodes.services.playing import DEFERRED_COLUMNS, RELATED
from runs.models import Experiment

LONGEST_SECRET = 100
RUN_RELATIONS = ("seat__episode__run__experiment", "seat__episode__run__agent", "seat__episode__run__instance")


def studies(*, organization: Organization) -> QuerySet[Study]:
    """Studies, newest first, with `joined` and `finished`, the numbers of their participants."""
    return Study.objects.filter(organization=organization).annotate(
        joined=Count("participants", filter=Q(participants__consented_at__isnull=False)),
        finished=Count("participants", filter=Q(participants__seat__episode__ending=Ending.FINISHED)),
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
    return get_object_or_404(
        Participant.objects.select_related("study", "seat__episode__run"),
        study__organization=organization,
        pk=participant_id,
    )


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
    return get_object_or_404(
        Seat.objects.select_related(*RELATED).defer(*DEFERRED_COLUMNS),
        episode__run__isnull=False,
        episode__run__deleted_at=None,
        episode=episode_id,
        name=SINGLE_SEAT,
        episode__organization=organization,
        episode__opened_by=user,
        episode__harness__kind=HUMAN,
    )


def _rows(study: Study) -> QuerySet[Participant]:
    return study.participants.select_related(*RUN_RELATIONS).defer(*(f"seat__{name}" for name in DEFERRED_COLUMNS))


def participants_page(study: Study, number: PageNumber, text: str = "") -> Page[dict[str, Any]]:
    """A page of the participants in order. text: number or part of a label to search for"""
    rows = _rows(study)
    if text:
        has_label = Q(label__icontains=text)
        rows = rows.filter(has_label | Q(number=int(text)) if text.isdecimal() and len(text) < 10 else has_label)
    return paged(rows, TABLE_PAGE, number, lambda participant: participant_row(study, participant))


def participant_row(study: Study, participant: Participant) -> dict[str, Any]:
    """A row of the table of participants.

    css: class of the colour of `state`; score: None until the game has one; payoff: None if unknown
    """
    participant.study = study
    state, css = _state(participant)
    episode = participant.seat.episode if participant.seat else None
    run = episode.kept_run if episode else None
    row = {"participant": participant, "state": state, "css": css, "episode": episode}
    if episode is None or run is None:
        return row | {"score": None, "payoff": None, "ended_at": None}
    return row | {"score": run.score, "payoff": earned(participant), "ended_at": episode.ended_at}


def study_counts(study: Study) -> dict[str, int]:
    """Numbers of participants: all, those who agreed, those who play, and those who finished."""
    return study.participants.aggregate(
        total=Count("pk"),
        agreed=Count("pk", filter=Q(consented_at__isnull=False)),
        playing=Count(
            "pk", filter=Q(seat__episode__ending=Ending.NONE, seat__episode__period_due_at__gt=timezone.now())
        ),
        finished=Count("pk", filter=Q(seat__episode__ending=Ending.FINISHED)),
    )


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
            participant.number,
            participant.label or None,
            row["state"],
            *map(_moment, (participant.consented_at, episode.opened_at if episode else None, row["ended_at"])),
            episode.periods_played if episode else None,
            row["score"],
            None if row["payoff"] is None else float(row["payoff"]),
            study.currency,
            episode.run_id if episode and episode.kept_run else None,
            participant.label_is_typed,
        ]
        for participant in _rows(study)
        for row in [participant_row(study, participant)]
        for episode in [row["episode"]]
    ]
    return Table(f"Participants of {study.name}", columns, rows)


def _moment(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
