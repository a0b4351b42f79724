"""Play a survey by batches. All pending questions form one batch; those left without a valid answer form the next.

This module also cancels batches of runs that are over and settles them, so that no reservation stays.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from agents.llm import ProviderFatal, ProviderRetry
from agents.prices import half_nano
from agents.providers.batches import HOURS, MOST_LINES, Undecided
from agents.providers.client import Client
from environments.base import SINGLE_SEAT
from environments.survey import Survey
from infrastructure.processes.logs import log_ids
from infrastructure.transactions import write_transaction
from runs.engine import exceptions
from runs.engine.batches.lifecycle import OpenBatch, Settled, hold_lease, lose
from runs.engine.journal import PLAYED_WITH, llm_of
from runs.engine.period import check_stop_request
from runs.engine.survey import SurveySlice, pending
from runs.engine.writing import lines
from runs.engine.writing.group_commit import group_commit
from runs.models import BatchState, Exchange, ExchangeState, Run, RunState, SurveyBatch
from runs.rebuilding import rebuild

logger = logging.getLogger(__name__)

UNDECIDED = "Whether its batch was submitted is known when other batches of the key have ended."
GONE = (
    "The provider does not know the batch any more, so its lines are booked at their maximum. Resume to ask their "
    "questions again."
)


def play_by_batch(run: Run, fence: int, survey: Survey, slice_is_over: Callable[[], bool]) -> bool:
    """Play until the run finishes (True) or the slice is over (False).

    Raises BatchGoesOn while a batch is open, and the exceptions of `period.play`.
    """
    client = llm_of(run, SINGLE_SEAT)
    assert isinstance(client, Client)
    return Rounds(run, fence, survey, client).play(slice_is_over)


@dataclass
class Rounds(SurveySlice):
    """One slice of a survey that is played by batches."""

    client: Client

    def play(self, slice_is_over: Callable[[], bool]) -> bool:
        while True:
            row = SurveyBatch.objects.filter(run=self.run).exclude(state=BatchState.ENDED).first()
            if row is None or row.sent_at is None:
                row = self._written(row)
            if row is None:
                return True
            self._end(OpenBatch(self.run, self.fence, self.survey, self.client, row))
            if slice_is_over():
                return False

    def _written(self, row: SurveyBatch | None) -> SurveyBatch | None:
        """The open batch. If there is none, a new one with as many questions as the budgets allow.

        None if the survey is finished.
        """
        periods = {
            index: self.open_period(self.client, index) for index in range(self.survey.period, self.survey.periods)
        }
        while self.end_answered(periods):
            pass
        if self.survey.finished:
            return None
        row = row or self._create()
        open_lines = Exchange.objects.filter(batch=row, state=ExchangeState.SENT)
        written = set(open_lines.values_list("period_index", "attempt", "step"))
        unwritten = []
        for query in (query for period in periods.values() for query in pending(period)):
            exchange = query.period.journal.next_send(query.step)
            if (exchange.period_index, exchange.attempt, exchange.step) not in written:
                exchange.batch = row
                exchange.reserved_nano = half_nano(self.run.agent.most_nano(query.request))
                unwritten.append(exchange)
        self._write(unwritten[: MOST_LINES - len(written)], has_lines=bool(written))
        return row

    def _create(self) -> SurveyBatch:
        row = SurveyBatch(run=self.run, learned=self.client.learned.as_json())
        with write_transaction():
            hold_lease(Run.objects, self.run.pk, self.fence)
            row.save()
        return row

    def _write(self, exchanges: list[Exchange], *, has_lines: bool) -> None:
        """Commit as many lines as the budgets allow. Raises OverBudget or BudgetBusy if they do not allow a single one."""
        for first in range(0, len(exchanges), lines.MOST_LINES):
            some = exchanges[first : first + lines.MOST_LINES]
            try:
                stored = group_commit.intend_lines(self.run.pk, self.fence, some)
            except (exceptions.OverBudget, exceptions.BudgetBusy):
                if not has_lines:
                    raise
                return
            if stored < len(some):
                return
            has_lines = True

    def _end(self, batch: OpenBatch) -> None:
        """Submit or check a batch. Returns once it has ended and the run can continue.

        Raises BatchGoesOn while the batch is open, or the exception that stops the run.
        """
        try:
            if batch.row.state == BatchState.UNSENT and not batch.is_adopted():
                self._submit(batch)
                raise exceptions.BatchGoesOn(self._reason(batch.row))
            if not batch.look():
                raise exceptions.BatchGoesOn(self._reason(batch.row))
        except Undecided:
            raise exceptions.BatchGoesOn(UNDECIDED) from None
        except ProviderRetry as error:
            # Retrying is safe: before the next submission, the provider is searched for this one.
            batch.keep(sends=batch.row.sends + 1)
            raise exceptions.SendFailed(_unbilled(error), batch.row.sends, 0) from None
        except ProviderFatal as error:
            raise exceptions.CallRefused(self.run.agent, error) from None
        self._judge(batch.settled)

    def _submit(self, batch: OpenBatch) -> None:
        check_stop_request(self.run.pk, self.fence)
        try:
            batch.submit()
        except ProviderFatal as error:
            batch.drop(error.reason)
            raise

    def _judge(self, settled: Settled) -> None:
        """Raise the exception that stops the run, unless asking the unanswered questions again is enough."""
        if settled.is_lost:
            raise exceptions.OutcomesUnknown(GONE)
        if settled.fatal is not None:
            raise exceptions.CallRefused(self.run.agent, settled.fatal)
        error, sends = settled.error, settled.sends
        if error is None:
            return
        paid_often = error.may_be_billed and sends % exceptions.MAX_UNKNOWN == 0
        if paid_often or not settled.replies or sends % exceptions.MAX_SENDS == 0:
            raise exceptions.SendFailed(error, sends, sends)

    def _reason(self, row: SurveyBatch) -> str:
        row.refresh_from_db(fields=["sent_at"])
        until = (row.sent_at or row.created_at) + timedelta(hours=HOURS)
        answered = f"{row.answered:,} of {Exchange.objects.filter(batch=row).count():,} lines answered"
        return f"Waits for its batch: {answered}; may take until {until:%-d %B, %H:%M} UTC."


def _unbilled(error: ProviderRetry) -> ProviderRetry:
    return ProviderRetry(error.reason, retry_after=error.retry_after, may_be_billed=False, kind=error.kind)


GIVEN_UP_AFTER = timedelta(days=2)
"""Age at which a batch is booked as lost if it cannot be ended, for example because its API key is missing."""


def due_to_close() -> QuerySet[SurveyBatch]:
    """Open batches of cancelled and deleted runs that are due for a check by a worker."""
    return SurveyBatch.objects.filter(
        Q(run__state=RunState.CANCELLED) | Q(run__deleted_at__isnull=False), poll_at__lte=Now()
    ).exclude(state=BatchState.ENDED)


def close_next() -> bool:
    """Check one due batch. Returns False if there is none."""
    row = due_to_close().order_by("poll_at").first()
    if row is None:
        return False
    # This update keeps two workers from checking the same batch at once. The run's fence decides who may write.
    if SurveyBatch.objects.filter(pk=row.pk, poll_at=row.poll_at).update(
        poll_at=Now() + timedelta(seconds=settings.BATCH_POLL_SECONDS)
    ):
        with log_ids(run=row.run_id):
            _close(row)
    return True


def _close(row: SurveyBatch) -> None:
    run = Run.with_deleted.select_related(*PLAYED_WITH).get(pk=row.run_id)
    try:
        client, survey = llm_of(run, SINGLE_SEAT), rebuild(run)
        assert isinstance(client, Client) and isinstance(survey, Survey)
        _end(OpenBatch(run, run.fence, survey, client, row))
    except exceptions.LeaseLost:
        logger.info("Run %d goes on.", run.pk)
    except exceptions.BatchGoesOn:
        return
    except (ProviderRetry, ProviderFatal, exceptions.CallRefused, Undecided) as error:
        logger.warning("Batch %s of run %d cannot be ended yet: %s", row.mark, run.pk, error)
        if row.created_at < timezone.now() - GIVEN_UP_AFTER:
            lose(run.pk, run.fence, row)


def _end(batch: OpenBatch) -> None:
    if batch.row.state == BatchState.UNSENT and not batch.is_adopted():
        batch.drop("The run ended before its batch was submitted.")
    elif not batch.look() and batch.row.state != BatchState.CANCELLING:
        batch.cancel()
