"""A batch at its provider: submission, status checks, settlement of its lines, cancellation.

The lines are committed before the batch is submitted, and half of a call's maximum cost is reserved for each line. If
the outcome of a submission is unknown, the provider's list is searched for the mark of the batch before anything is
submitted again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import Manager
from django.db.models.functions import Now

from agents.llm import ProviderFatal, ProviderRetry, Request
from agents.prices import half_nano
from agents.providers.batches import Batches, Line, Outcome, Status, batches_of, is_gone
from agents.providers.client import Client
from agents.providers.learned import Learned
from agents.survey import SurveyChat, SurveyPosition
from infrastructure.transactions import let_go_of_connection, write_transaction
from runs.engine.calls import set_failure, set_reply
from runs.engine.exceptions import BatchGoesOn, LeaseLost
from runs.engine.journal import keep_learned
from runs.engine.survey import SurveySlice
from runs.engine.writing.group_commit import group_commit
from runs.engine.writing.lines import MOST_LINES
from runs.models import Agent, BatchState, Exchange, ExchangeState, Run, SurveyBatch
from runs.saving import set_values

TIER = "batch"
LOOKS = "Looks whether its batch was submitted before a worker stopped."
NO_RESULT = "The provider ended the batch without a result for this line."
LOST = "The outcome of its batch cannot be read any more; booked at its declared maximum."


@dataclass
class Settled:
    """The outcomes of the lines of an ended batch.

    fatal: the first error that only a person can fix; None without one
    error: an error that a retry may fix, preferably of a line that may be billed; None without one
    sends: the highest number of sends among the lines without a reply
    is_lost: whether the provider no longer knows the batch
    """

    replies: int = 0
    fatal: ProviderFatal | None = None
    error: ProviderRetry | None = None
    sends: int = 0
    is_lost: bool = False


def hold_lease(runs: Manager[Run], run_id: int, fence: int) -> None:
    """Lock the row of a run until the transaction ends. Raises LeaseLost if another worker holds the run."""
    if not runs.select_for_update(no_key=True).filter(pk=run_id, fence=fence).values_list("pk", flat=True):
        raise LeaseLost


def keep(run_id: int, fence: int, row: SurveyBatch, **values: Any) -> None:
    """Update the row of a batch. Raises LeaseLost if another worker holds the run."""
    with write_transaction():
        hold_lease(Run.with_deleted, run_id, fence)
        SurveyBatch.objects.filter(pk=row.pk).update(**values)
    set_values(row, values)
    let_go_of_connection()


def commit(run_id: int, fence: int, lines: list[Exchange]) -> None:
    """Commit the outcomes of lines. Raises LeaseLost."""
    for first in range(0, len(lines), MOST_LINES):
        group_commit.settle_lines(run_id, fence, lines[first : first + MOST_LINES])


def open_lines(row: SurveyBatch) -> list[Exchange]:
    return list(Exchange.objects.filter(batch=row, state=ExchangeState.SENT).order_by("id"))


def lose(run_id: int, fence: int, row: SurveyBatch) -> None:
    """End a batch whose results can no longer be read. Book its open lines at their maximum cost, as they may be billed."""
    lines = open_lines(row)
    for line in lines:
        line.state, line.error, line.cost_nano = ExchangeState.LOST, LOST, line.reserved_nano
    commit(run_id, fence, lines)
    keep(run_id, fence, row, state=BatchState.ENDED)


@dataclass
class OpenBatch(SurveySlice):
    """An open batch, handled by a worker whose lease of the run has this `fence`."""

    client: Client
    row: SurveyBatch
    settled: Settled = field(default_factory=Settled, init=False)

    @cached_property
    def _batches(self) -> Batches:
        kind = batches_of(self.client.options)
        if kind is None:
            raise ProviderFatal(
                "address", "The agent's endpoint has no batches any more. Restore its address to go on."
            )
        return kind(self.client)

    @property
    def agent(self) -> Agent:
        return self.run.agent

    def keep(self, **values: Any) -> None:
        keep(self.run.pk, self.fence, self.row, **values)

    def is_adopted(self) -> bool:
        """Look for a submission with an unknown outcome at the provider, and store its id if found.

        Returns whether the provider has the batch. Raises Undecided, and BatchGoesOn if the last submission is so recent
        that the provider may not list it yet.
        """
        if self.row.sent_at is None:
            return False
        others = SurveyBatch.objects.exclude(provider_id="").values_list("provider_id", flat=True)
        other_batch_ids = set(others.filter(created_at__gte=self.row.created_at - timedelta(days=2)))
        lines = open_lines(self.row)
        let_go_of_connection()
        if batch_id := self._batches.submitted(self.row.mark, len(lines), self.row.created_at, other_batch_ids):
            self.keep(provider_id=batch_id, state=BatchState.SUBMITTED, sends=0)
            return True
        if SurveyBatch.objects.filter(
            pk=self.row.pk, sent_at__gt=Now() - timedelta(seconds=settings.BATCH_POLL_SECONDS)
        ).exists():
            raise BatchGoesOn(LOOKS)
        return False

    def submit(self) -> None:
        lines = open_lines(self.row)
        requests = self._requests(lines)
        queries = [self.client.wire_request(requests[line.pk], self._learned) for line in lines]
        bodies = [
            Line(self._custom_id(line), self.client.with_extras(query.body))
            for line, query in zip(lines, queries, strict=True)
        ]
        self.keep(sent_at=Now())
        batch_id = self._batches.submit(bodies, queries[0].wire.path, self.row.mark)
        self.keep(provider_id=batch_id, state=BatchState.SUBMITTED, sends=0)

    def look(self) -> bool:
        """Check the batch at the provider. If it has ended, settle all its lines. Returns whether it has ended."""
        let_go_of_connection()
        try:
            status = self._batches.status(self.row.provider_id)
        except ProviderFatal as error:
            if not is_gone(error):
                raise
            lose(self.run.pk, self.fence, self.row)
            self.settled.is_lost = True
            return True
        if not status.ended:
            self.keep(answered=status.answered, sends=0)
            return False
        self._settle(status)
        return True

    def cancel(self) -> None:
        let_go_of_connection()
        self._batches.cancel(self.row.provider_id)
        self.keep(state=BatchState.CANCELLING, sends=0)

    def drop(self, reason: str) -> None:
        """End a batch that the provider does not have. Nothing is booked for its lines."""
        lines = open_lines(self.row)
        for line in lines:
            set_failure(line, reason, may_be_billed=False)
        commit(self.run.pk, self.fence, lines)
        self.keep(state=BatchState.ENDED)

    def _settle(self, status: Status) -> None:
        """Store the outcome of each line that has none yet, and end the batch."""
        lines = {self._custom_id(line): line for line in open_lines(self.row)}
        requests = self._requests(lines.values())
        let_go_of_connection()
        ready: list[Exchange] = []
        for custom_id, outcome in () if status.error else self._batches.results(self.row.provider_id):
            if line := lines.pop(custom_id, None):
                self._set_outcome(line, requests[line.pk], outcome)
                ready.append(line)
            if len(ready) == MOST_LINES:
                commit(self.run.pk, self.fence, ready)
                ready = []
        for line in lines.values():
            self._set_error(line, ProviderRetry(status.error or NO_RESULT, may_be_billed=status.is_complete))
        commit(self.run.pk, self.fence, [*ready, *lines.values()])
        keep_learned(self.agent, self.client)
        self.keep(state=BatchState.ENDED)

    def _set_outcome(self, line: Exchange, request: Request, outcome: Outcome) -> None:
        try:
            if isinstance(outcome, str):
                raise ProviderRetry(outcome, may_be_billed=False)
            reply = self.client.reply(self.client.wire_request(request, self._learned), outcome)
        except (ProviderRetry, ProviderFatal) as error:
            self._set_error(line, error)
        else:
            set_reply(line, self.agent, replace(reply, tier=TIER))
            self.settled.replies += 1

    def _set_error(self, line: Exchange, error: ProviderRetry | ProviderFatal) -> None:
        may_be_billed = isinstance(error, ProviderRetry) and error.may_be_billed
        cost_nano = None if error.usage is None else half_nano(self.agent.cost_nano(error.usage))
        set_failure(line, error.reason, cost_nano, may_be_billed=may_be_billed)
        self.settled.sends = max(self.settled.sends, line.send + 1)
        if isinstance(error, ProviderFatal):
            self.settled.fatal = self.settled.fatal or error
        elif self.settled.error is None or error.may_be_billed:
            self.settled.error = error

    @cached_property
    def _learned(self) -> Learned:
        return Learned.from_json(self.row.learned)

    def _custom_id(self, line: Exchange) -> str:
        return f"{self.row.mark}-{line.period_index}-{line.step}-{line.attempt}"

    def _requests(self, lines: Iterable[Exchange]) -> dict[int, Request]:
        """The request of each line, by line id."""
        indices = sorted({line.period_index for line in lines})
        chats = {index: SurveyChat(self.survey, ahead=index - self.survey.period) for index in indices}
        return {
            line.pk: chats[line.period_index].request(SurveyPosition(str(line.step), line.attempt)) for line in lines
        }
