"""Writes of measurements: start and cancel. Workers compute them, see `measuring`."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import User
from infrastructure.transactions import write_transaction
from pages.instances.measuring import claims, refusal
from pages.instances.models import Measurement, MeasurementState
from runs.models import Design

MOST_WAITING = 10


def measurement_start(*, design: Design, user: User | None) -> Measurement:
    """Have a worker play the baselines on the design. Scores of earlier games are kept.

    Raises ValidationError if the design is too large or too many measurements wait.
    """
    if sentence := refusal(design.environment, design.ordered_settings):
        raise ValidationError(sentence)
    others = Measurement.objects.filter(design__organization=design.organization_id, state=MeasurementState.WAITING)
    if (waiting := others.exclude(design=design).count()) >= MOST_WAITING:
        raise ValidationError(f"{waiting} measurements wait already. Come back when some of them are done.")
    fresh = {
        "measured": design.settings,
        "created_by": user,
        "problem": "",
        "stage": "",
        "done": 0,
        "total": 0,
        "tries": 0,
    }
    with write_transaction():
        measurement, is_new = Measurement.objects.select_for_update(no_key=True).get_or_create(
            design=design, defaults=fresh
        )
        # An unfinished measurement of the same settings is not started again.
        if not is_new and not (measurement.is_working and measurement.measured == design.settings):
            Measurement.objects.filter(pk=measurement.pk).update(
                **fresh, state=MeasurementState.WAITING, asked_at=Now(), claim_until=None, fence=F("fence") + 1
            )
            measurement.refresh_from_db()
    transaction.on_commit(claims.wake)
    return measurement


def measurement_cancel(*, design: Design) -> bool:
    """Stop a measurement before its next game; finished scores are kept.

    Returns False if it was not waiting or running.
    """
    with write_transaction():
        waiting = Measurement.objects.filter(design=design, state=MeasurementState.WAITING)
        return bool(waiting.update(state=MeasurementState.CANCELLED, claim_until=None))
