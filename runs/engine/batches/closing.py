"""Ends the batches of runs that are over: cancelled at the provider, settled here, so that no reservation stays."""

import logging
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.llm import ProviderFatal, ProviderRetry
from agents.providers.batches import Undecided
from agents.providers.client import Client
from environments.base import SINGLE_SEAT
from environments.survey import Survey
from infrastructure.processes.logs import log_ids
from runs.engine.batches.lifecycle import OpenBatch, lose
from runs.engine.exceptions import CallRefused, LeaseLost
from runs.engine.journal import llm_of
from runs.models import BatchState, Run, RunState, SurveyBatch
from runs.rebuilding import rebuild

logger = logging.getLogger(__name__)

GIVEN_UP_AFTER = timedelta(days=2)
"""From then on a batch that cannot be ended, for example for want of a key, is booked as lost."""


def due() -> QuerySet[SurveyBatch]:
    """Open batches of cancelled and deleted runs that a worker may look after now."""
    over = Q(run__state=RunState.CANCELLED) | Q(run__deleted_at__isnull=False)
    return SurveyBatch.objects.filter(over, poll_at__lte=Now()).exclude(state=BatchState.ENDED)


def close_next() -> bool:
    """Look after one due batch. Returns False if there is none."""
    row = due().order_by("poll_at").first()
    if row is None:
        return False
    # Only keeps workers from asking the provider twice; the fence of the run decides who may write.
    later = Now() + timedelta(seconds=settings.BATCH_POLL_SECONDS)
    if SurveyBatch.objects.filter(pk=row.pk, poll_at=row.poll_at).update(poll_at=later):
        with log_ids(run=row.run_id):
            _close(row)
    return True


def _close(row: SurveyBatch) -> None:
    agents = ("agent__endpoint__organization", "rival__endpoint__organization")
    run = Run.with_deleted.select_related("instance", *agents).get(pk=row.run_id)
    try:
        client, survey = llm_of(run, SINGLE_SEAT), rebuild(run)
        assert isinstance(client, Client) and isinstance(survey, Survey)
        _end(OpenBatch(run, run.fence, survey, client, row))
    except LeaseLost:
        logger.info("Run %d goes on.", run.pk)
    except (ProviderRetry, ProviderFatal, CallRefused, Undecided) as error:
        logger.warning("Batch %s of run %d cannot be ended yet: %s", row.mark, run.pk, error)
        if row.created_at < timezone.now() - GIVEN_UP_AFTER:
            lose(run.pk, run.fence, row)


def _end(batch: OpenBatch) -> None:
    row = batch.row
    if row.state == BatchState.UNSENT:
        is_adopted = row.sent_at is not None and batch.adopt()
        if not is_adopted and row.sent_at is not None and batch.may_be_arriving:
            return
        if not is_adopted:
            batch.drop("The run ended before its batch was submitted.")
            return
    if not batch.look() and row.state != BatchState.CANCELLING:
        batch.cancel()
