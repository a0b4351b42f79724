"""Writes of participants: their links, consent, practice round, and the beginning of their game."""

import logging
from datetime import timedelta
from itertools import zip_longest

from django.core.exceptions import ValidationError
from django.db.models import Max, QuerySet
from django.utils import timezone

from accounts.models import Action, Membership
from accounts.secrets import token_hash
from environments.base import SINGLE_SEAT
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from pages.play.models import Participant, Study
from pages.play.practice import practice_game
from pages.play.services.games import game_open, seat_leave
from pages.play.services.studies import editor_check, recorded, secret_new, seed_at, study_record
from runs.episodes.game import parsed_action
from runs.episodes.models import Episode, Seat
from runs.models import Run, RunState
from runs.services.control import runs_control

MOST_AT_ONCE = 500
"""The most links to create in one step."""

logger = logging.getLogger(__name__)

MOST_LABEL = 100
UNAVAILABLE = "The game cannot begin now. Ask the person who invited you."
CLOSED = "This study is closed: nobody can begin any more."
FULL = "This study is full."
LABEL_TAKEN = " If that is you, open the study in the browser in which you began."


def participants_create(
    *, actor: Membership, study: Study, count: int, labels: list[str]
) -> list[tuple[Participant, str]]:
    """Create participants; return them with the secrets of their links, which are shown only once.

    Raises ValidationError.

    labels: labels of the first participants; the others have none
    """
    editor_check(actor)
    if not 1 <= count <= MOST_AT_ONCE:
        raise ValidationError({"count": f"Create 1 to {MOST_AT_ONCE} links at a time."})
    if len(labels) > count:
        raise ValidationError({"labels": "There are more labels than links."})
    with write_transaction():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        secrets = [secret_new() for _ in range(count)]
        try:
            participants = [
                (_create(study, label, secret), secret) for secret, label in zip_longest(secrets, labels, fillvalue="")
            ]
        except ValidationError as error:
            raise ValidationError(
                {"labels": [message.removesuffix(LABEL_TAKEN) for message in error.messages]}
            ) from None
        study_record(actor, Action.STUDY_LINKS, study, f", {counted(count, 'link,links')}")
    return participants


def participant_join(*, study: Study, secret: str, label: str) -> None:
    """Create a participant who agreed on the page of the open link.

    Repeating a secret changes nothing. Raises ValidationError.

    secret: secret of the participant's own link, which the page has created
    """
    with write_transaction():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.participants.filter(secret_hash=token_hash(secret)).exists():
            return
        if not study.is_open:
            raise ValidationError(CLOSED)
        if study.participants.count() >= study.most_participants:
            raise ValidationError(FULL)
        participant_consent(participant=_create(study, "", secret), label=label)


def _create(study: Study, label: str, secret: str) -> Participant:
    """Create a participant of a locked study.

    label: given by a member. Raises ValidationError if the label is invalid or taken.
    """
    last: int = study.participants.aggregate(last=Max("number"))["last"] or 0
    # Typed labels are not verified, so they do not count as taken when a member assigns a label.
    label = _checked(label, study.participants.filter(label_is_typed=False))
    return Participant.objects.create(study=study, number=last + 1, label=label, secret_hash=token_hash(secret))


def _checked(label: str, others: QuerySet[Participant]) -> str:
    """The label without surrounding spaces. Raises ValidationError if it is invalid or one of the others has it."""
    label = label.strip()
    if len(label) > MOST_LABEL or not label.isprintable():
        raise ValidationError(f"A label has at most {MOST_LABEL} characters on one line.")
    if label and others.filter(label=label).exists():
        raise ValidationError(f"Somebody takes part with the label {label} already.{LABEL_TAKEN}")
    return label


def participant_consent(*, participant: Participant, label: str) -> None:
    """Record the consent to the study's text, and the label if the participant has none. Raises ValidationError."""
    with write_transaction():
        study = Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
        row = Participant.objects.get(pk=participant.pk)
        if row.consented_at is not None:
            return
        if not study.is_open:
            raise ValidationError(CLOSED)
        if not row.label:
            row.label, row.label_is_typed = _checked(label, study.participants.all()), True
        row.consent, row.consented_at = study.consent, timezone.now()
        row.save(update_fields=["label", "label_is_typed", "consent", "consented_at"])


def participant_practise(*, participant: Participant, period: int, action: object) -> None:
    """Take an action of the practice round. A repeated action is ignored. Raises ToolError."""
    with write_transaction():
        row = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        game = practice_game(row)
        if row.consented_at is None or row.seat_id is not None or game.finished or game.period != period:
            return
        row.practice = [*row.practice, parsed_action(game, SINGLE_SEAT, action)]
        row.save(update_fields=["practice"])


def participant_begin(*, participant: Participant) -> Seat:
    """Begin the game, which is recorded from now on. Repeating it returns the same seat. Raises ValidationError."""
    with write_transaction():
        study = Study.objects.select_for_update(no_key=True).select_related("organization").get(pk=participant.study_id)
        row = Participant.objects.select_related("seat").get(pk=participant.pk)
        if row.seat is not None:
            return row.seat
        if row.consented_at is None or not practice_game(row).finished:
            raise ValidationError("The game begins after the consent and the practice round.")
        if not study.is_open:
            raise ValidationError(CLOSED)
        row.seat, row.practice = _free_seat(study) or _opened_seat(study), []
        row.save(update_fields=["seat", "practice"])
    return row.seat


def _free_seat(study: Study) -> Seat | None:
    """An open second seat beside a waiting participant, with its timer restarted; None if there is none."""
    now = timezone.now()
    waiting = Seat.objects.filter(
        episode__seats__participant__study=study,
        participant=None,
        episode__run__deleted_at=None,
        episode__ending="",
        episode__run__state=RunState.OPEN,
        episode__period_due_at__gt=now,
    )
    seat = waiting.select_related("episode").order_by("episode_id").first()
    if seat is not None and seat.episode.prepared_at is not None:
        due = min(seat.episode.due_at, now + timedelta(seconds=seat.episode.seconds_a_period))
        Episode.objects.filter(pk=seat.episode_id).update(moved_at=now, period_due_at=due)
    return seat


def _opened_seat(study: Study) -> Seat:
    """The first seat of a new game on the next instance. Raises ValidationError."""
    try:
        seats = game_open(
            organization=study.organization,
            user=None,
            name=study.player_name,
            environment=study.environment,
            difficulty=study.difficulty,
            seed=seed_at(study.seeds, Episode.objects.filter(seats__participant__study=study).distinct().count()),
            variant=study.variant,
            periods=study.periods,
            rival=study.rival,
        )
    except ValidationError as error:
        # Only members see the reason, such as a prompt that was archived meanwhile.
        logger.warning("No game can begin in study %s: %s", study.pk, " ".join(error.messages))
        raise ValidationError(UNAVAILABLE) from None
    return seats[0]


def participant_renew(*, actor: Membership, participant: Participant) -> str:
    """Create a new link for a participant who lost theirs; return its secret. The earlier link stops working."""
    secret = secret_new()
    with recorded(actor, Action.STUDY_LINKS, participant.study, f", participant {participant.number}"):
        Participant.objects.filter(pk=participant.pk).update(secret_hash=token_hash(secret), revoked_at=None)
    return secret


def participant_revoke(*, actor: Membership, participant: Participant) -> None:
    """Revoke a link and cancel a game in play. The other player of a market of two is left alone."""
    with recorded(actor, Action.STUDY_LINKS_REVOKED, participant.study, f", participant {participant.number}"):
        # seat_leave locks the episode. It comes first, since the other player's requests lock in
        # the same order.
        was_in_play = participant.seat is not None and seat_leave(seat=participant.seat)
        Participant.objects.filter(pk=participant.pk).update(revoked_at=timezone.now())
        if was_in_play:
            runs_control(runs=Run.objects.filter(episode__seats=participant.seat_id), action="cancel", user=actor.user)
