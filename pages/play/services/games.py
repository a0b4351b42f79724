"""A player's actions in the browser: begin a game, type, take a turn. All of them use the episode service."""

from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.models import Organization, User
from agents.tools import WRITE, storable
from infrastructure.transactions import lock_row, write_transaction
from pages.play.models import Draft, Participant
from runs.episodes import refusals
from runs.episodes.models import Episode, Seat
from runs.episodes.notes import written_notes
from runs.episodes.services.opening import Harness, practice_open, practice_prepare
from runs.episodes.services.playing import Receipt, seat_act, seat_call, seat_resign

HUMAN = "human"
MOST_NOTES = 20_000
"""The most characters of notes in one period."""

MOST_VALUES, MOST_VALUE = 1_000, 1_000


def game_open(
    *,
    organization: Organization,
    user: User | None,
    name: str,
    environment: str,
    difficulty: str,
    seed: int,
    variant: str = "main",
    periods: int | None = None,
    rival: str = "",
) -> list[Seat]:
    """Open a game for a person; return its seats. Raises ValidationError by field of a study or of the form of a game.

    user: the member who plays; None for a participant, whose game no member can continue
    rival: slug of the baseline in the second seat of a market of two; empty if a person takes it
    """
    try:
        prepared = practice_prepare(
            organization=organization,
            harness=Harness(HUMAN, name),
            rival=rival or None,
            environments=(environment,),
            difficulties=(difficulty,),
            seeds=(seed,),
            variants=(variant,),
            periods=periods,
        )
        opened = practice_open(organization=organization, user=user, prepared=prepared)
    except ValidationError as error:
        raise with_form_fields(error) from None
    return list(opened.episode.seats.all())


FIELDS = {
    "environments": "game",
    "difficulties": "game",
    "seeds": "seeds",
    "variants": "variant",
    "harness.name": "name",
}


def with_form_fields(error: ValidationError) -> ValidationError:
    """The same errors, under the names of our form fields."""
    if not hasattr(error, "error_dict"):
        return error
    return ValidationError({FIELDS.get(field, field): sentences for field, sentences in error.message_dict.items()})


def draft_save(*, seat: Seat, period: int, values: Mapping[str, str], notes: str) -> Draft:
    """Store unsent input of a period. A draft is only shown while its period is the current one."""
    fields = {
        "period": period,
        "values": {name: storable(value)[:MOST_VALUE] for name, value in list(values.items())[:MOST_VALUES]},
        "notes": storable(notes)[:MOST_NOTES],
        "saved_at": timezone.now(),
    }
    draft, _ = Draft.objects.update_or_create(seat=seat, defaults=fields)
    return draft


def notes_keep(*, seat: Seat, period: int, notes: str) -> bool:
    """Keep late notes of an earlier period in the current draft.

    Returns False if they were not kept, for example because the draft already has notes.
    """
    with write_transaction():
        current_seat = Seat.objects.select_related("episode").get(pk=seat.pk)
        written = "\n\n".join(written_notes(current_seat, [period]).by_period.get(period, []))
        draft = Draft.objects.filter(seat=seat, period=current_seat.period).first()
        if (
            not notes.strip()
            or storable(notes) == written
            or refusals.ending_of(current_seat.episode)
            or (draft and draft.notes)
        ):
            return False
        draft_save(seat=seat, period=current_seat.period, values=draft.values if draft else {}, notes=notes)
        return True


def turn_take(*, seat: Seat, period: int, action: object, notes: str) -> Receipt:
    """Write the notes of a period and take its action, or do neither.

    Repeating it changes nothing. Raises SeatRefused.
    """
    with write_transaction():
        # The lock of the episode service lets only one of two simultaneous requests take the turn.
        lock_row(Episode, seat.episode_id)
        is_current = Seat.objects.filter(pk=seat.pk, period=period).exists()
        if notes.strip() and is_current:
            answer = seat_call(seat=seat, period=period, tool=WRITE, arguments={"notes": storable(notes)})
            if answer.is_error:
                raise refusals.SeatRefused(refusals.Code.INVALID_ACTION, answer.text)
        return seat_act(seat=seat, period=period, action=action)


def game_resign(*, seat: Seat) -> None:
    """End the game without a score. Resigning again changes nothing."""
    with write_transaction():
        if seat_leave(seat=seat):
            seat_resign(seat=seat)


def seat_leave(*, seat: Seat) -> bool:
    """Before a seat ends its game, record that the participant in the other seat is left alone.

    Returns False if the game has already ended. Must be called in a transaction.
    """
    rows = Episode.objects.select_for_update(of=("self",), no_key=True).select_related("run")
    if refusals.ending_of(rows.get(pk=seat.episode_id)):
        return False
    Participant.objects.filter(seat__episode=seat.episode_id).exclude(seat=seat).update(was_left=True)
    return True
