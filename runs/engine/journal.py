"""The write-ahead journal of a period. Queries are committed before they are sent, replies before they are acted on.

After a crash the period is played again from its journal. Stored replies are read back; only missing ones are paid for.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Provider
from agents.llm import LLM, ProviderFatal, ProviderRetry, Reply, Request
from agents.loop import Step
from agents.providers.client import Client
from agents.providers.model_names import same_family
from runs.catalog import is_served_by_its_maker
from runs.engine.calls import Unsettled, call
from runs.engine.exceptions import MAX_LOST, CallRefused, ModelReplaced, OutcomesUnknown, SendFailed
from runs.engine.players import connected_llm
from runs.engine.writing.group_commit import group_commit
from runs.models import Agent, Exchange, ExchangeState, Run
from runs.models.records import ANSWERED

PLAYED_WITH = ("instance", "agent__endpoint__organization", "rival__endpoint__organization")
"""Rows to read with a run that is about to be played."""


@dataclass
class Journal(ABC):
    """The exchanges of one seat in one period. `replied` has those with a reply, in the order of the replies."""

    run_id: int
    fence: int
    period: int
    seat: str
    llm: LLM
    agent: Agent
    replied: dict[Step, Exchange] = field(default_factory=dict, init=False)

    @abstractmethod
    def query(self, step: Step, request: Request) -> Reply:
        """The reply of one step. Threads may call this concurrently for different steps."""

    def _exchange(self, step: Step, **values: Any) -> Exchange:
        return Exchange(
            run_id=self.run_id,
            agent=self.agent,
            period_index=self.period,
            seat=self.seat,
            attempt=step.attempt,
            step=step.query,
            fence=self.fence,
            **values,
        )


class BaselineJournal(Journal):
    """The journal of a baseline, whose exchanges are written together with the period.

    A baseline is free and repeats its answers exactly, so nothing needs to be stored before the period ends.
    """

    def query(self, step: Step, request: Request) -> Reply:
        reply = self.llm.query(request)
        self.replied[step] = self._exchange(step, state=ExchangeState.REPLIED, reply=reply.as_json(), seconds=0.0)
        return reply


@dataclass
class ModelJournal(Journal):
    """The journal of a model. It returns stored replies, and calls the model for missing ones.

    may_be_begun: whether the database may hold replies of this period; False skips the query for them
    accepted: models that a person accepted in place of the requested one
    unsettled: holds the run's last settlement, if its queries are sent one after another
    """

    may_be_begun: bool = True
    accepted: Collection[str] = ()
    unsettled: Unsettled | None = None

    def __post_init__(self) -> None:
        self._sends: Counter[Step] = Counter()
        self._unknown: Counter[Step] = Counter()
        stored = Exchange.objects.filter(run_id=self.run_id, period_index=self.period, seat=self.seat)
        for exchange in stored if self.may_be_begun else ():
            step = Step(exchange.attempt, exchange.step)
            self._sends[step] = exchange.send + 1
            self._unknown[step] += exchange.state == ExchangeState.UNKNOWN
            if exchange.state in ANSWERED:
                self.replied[step] = exchange

    def query(self, step: Step, request: Request) -> Reply:
        """The stored reply, else the reply of a new call.

        Raises SendFailed, ModelReplaced and the exceptions of `calls.call` except ProviderRetry.
        """
        if step in self.replied:
            return self._checked(Reply.from_json(self.replied[step].reply))
        exchange = self.next_send(step)
        try:
            reply = call(self.agent, self.llm, exchange, request, self.unsettled)
        except ProviderRetry as error:
            raise SendFailed(error, self._sends[step] + 1, self._unknown[step] + error.may_be_billed) from None
        self.replied[step] = exchange
        keep_learned(self.agent, self.llm)
        return self._checked(reply)

    def _checked(self, reply: Reply) -> Reply:
        """Return the reply. Raises ModelReplaced if the maker answers with another model that no person accepted.

        At an address that is not the maker's, the model id may be an alias or the name of a deployment. There a different
        model is accepted and recorded.
        """
        model, endpoint = self.agent.model, self.agent.endpoint
        if reply.model in self.accepted or endpoint is None or same_family(model, reply.model):
            return reply
        if is_served_by_its_maker(self.agent.provider, endpoint.base_url):
            raise ModelReplaced(self.seat, model, reply.model)
        return reply

    def next_send(self, step: Step) -> Exchange:
        """The exchange for the next send of a step, not stored yet."""
        return self._exchange(step, send=self._sends[step])


def keep_learned(agent: Agent, llm: LLM) -> None:
    """Store what the client learned about its provider with the agent, so that the agent's other runs start with it."""
    learned = llm.learned.as_json() if isinstance(llm, Client) else agent.learned
    if learned != agent.learned:
        agent.learned = learned
        Agent.objects.filter(pk=agent.pk).update(learned=learned)


def llm_of(run: Run, seat: str) -> LLM:
    """The client of the model in a seat. Raises CallRefused if there is no usable key.

    A run keeps its first wire format, even if an earlier version of EconEvals began the run. If that version did not
    send the reasoning effort, this client does not send it either.
    """
    agent, conditions = run.agent_in(seat), run.conditions.get(seat, {})
    wire, has_effort = conditions.get("wire") or _first_wire(run, seat), "dropped_effort" not in conditions
    try:
        return connected_llm(agent, wire=wire, flex=run.config.get("flex", False), with_effort=has_effort)
    except ProviderFatal as error:
        raise CallRefused(agent, error) from None


def _first_wire(run: Run, seat: str) -> str:
    """The wire format of the first stored reply of a run whose conditions are not recorded yet. Empty without a reply."""
    # A reply that an earlier version stored does not record its format.
    before = "messages" if run.agent_in(seat).provider == Provider.ANTHROPIC else "chat"
    replies = Exchange.objects.filter(run=run, seat=seat, state__in=ANSWERED).values_list("reply", flat=True)
    reply: Any = replies.order_by("id").first()
    return (reply.get("sent", {}).get("wire") or before) if reply else ""


def sent_as(exchanges: Iterable[Exchange]) -> dict[str, dict[str, Any]]:
    """How models were asked in these exchanges, and which models answered: by seat, in the form of `Run.conditions`."""
    replies = {exchange.seat: exchange.reply for exchange in exchanges if exchange.pk and exchange.reply}
    return {
        seat: {name: value for name, value in reply["sent"].items() if name != "without_thinking"}
        | {"model": reply["model"], "tier": reply["tier"]}
        for seat, reply in replies.items()
        if reply.get("sent", {}).get("wire")
    }


def close_orphans(run_id: int, fence: int) -> None:
    """Settle the open calls of dead workers. Raises OutcomesUnknown if one call was lost too often."""
    for exchange in group_commit.close_orphans(run_id, fence):
        lost = Exchange.objects.filter(
            state=ExchangeState.LOST,
            **{name: getattr(exchange, name) for name in ("run_id", "period_index", "seat", "attempt", "step")},
        )
        if exchange.state == ExchangeState.LOST and lost.count() % MAX_LOST == 0:
            raise OutcomesUnknown(
                f"Workers stopped during {MAX_LOST} sends of one call, and each may have been billed. Resume to send it "
                "again."
            )
