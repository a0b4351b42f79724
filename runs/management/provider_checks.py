"""Check a real provider: play two periods and test our assumptions about its API, within a budget.

Only the cost of each call is stored and, with the agent, what was learned about its provider.
"""

import time
from collections.abc import Callable, Iterator
from copy import copy

from agents.checks.checking import EXAMPLE, HELD, NOT_HELD, NOT_TRIED, Answer, Checks, Finding, NotTried
from agents.checks.statements import checks_of
from agents.episode import play
from agents.llm import ProviderFatal, ProviderRetry, Reply, Request
from agents.loop import Stalled
from agents.providers.client import Client
from agents.providers.learned import Learned
from environments.registry import ENVIRONMENTS, generate
from infrastructure.limiter import Slot
from infrastructure.text.formats import counted, money
from runs.engine.calls import set_failure
from runs.engine.exceptions import BudgetBusy, OverBudget
from runs.engine.players import connected_llm
from runs.models import Agent, JobCall
from runs.services.connection_tests import QUESTION, TOOL, learned_keep, question_after
from runs.services.job_calls import PaidJobCall

PERIODS = 2
PLAYED = f"{PERIODS} periods of {EXAMPLE[0]} are played."
MOST_OUTPUT = 8_192
"""Most tokens of a reply, so that the budget lasts for more than one call."""

TRIES, USUAL_WAIT, LONGEST_WAIT = 3, 5.0, 60.0
"""Number of tries, and usual and longest wait in seconds, if the provider limits the rate."""


UNLIMITED = Slot(lambda *ended: None, token="", tokens=0, granted_at=0)
"""A check makes one call at a time and takes no slot of the limiter."""


class PaidCalls:
    """The paid calls of one agent. Their total never exceeds the budget. Each call is booked in the monthly accounts."""

    def __init__(self, agent: Agent, budget_nano: int):
        self.agent, self.budget, self.spent = agent, budget_nano, 0

    def pay(self, request: Request, limit: int | None, send: Callable[[], Answer]) -> Answer:
        """Send a query if its maximum cost fits the budget. Raises NotTried, ProviderRetry and ProviderFatal."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._pay_once(request, limit, send)
            except ProviderRetry as error:
                seconds = USUAL_WAIT if error.retry_after is None else error.retry_after
                if attempt == TRIES or not error.limited or seconds > LONGEST_WAIT:
                    raise
                time.sleep(seconds)
        raise AssertionError("The last try returns or raises.")

    def _pay_once(self, request: Request, limit: int | None, send: Callable[[], Answer]) -> Answer:
        limited = copy(self.agent)
        limited.max_tokens = limit or self.agent.max_tokens
        most = limited.most_nano(request)
        if most > (left := self.budget - self.spent):
            raise NotTried(f"A call may cost up to {money(most)}, and {money(left)} of the budget is left.")
        row = JobCall(
            organization_id=self.agent.organization_id,
            job=f"check_provider {self.agent.slug}"[:80],
            model=self.agent.model,
            most_nano=most,
        )
        try:
            return CheckCall(row, send, self.agent.cost_nano).make(UNLIMITED)
        except (OverBudget, BudgetBusy) as refusal:
            raise NotTried(refusal.reason) from None
        finally:
            self.spent += row.cost_nano


class CheckCall(PaidJobCall[Answer]):
    """A call whose answer may be a refusal."""

    def record(self, answer: Answer) -> int | None:
        if isinstance(answer, Reply):
            return super().record(answer)
        set_failure(self.row, "The provider refused it.", self.bill(answer.usage), may_be_billed=False)
        return None


class Trial:
    """The check of one agent. Iterate over `findings` first, then read the other results.

    wire: the wire format that was checked
    """

    def __init__(self, agent: Agent, budget_nano: int):
        limited = copy(agent)
        limited.max_tokens = min(agent.max_tokens or MOST_OUTPUT, MOST_OUTPUT)
        self.agent, self.calls = agent, PaidCalls(limited, budget_nano)
        self.client: Client = connected_llm(limited)
        self.client.learned = Learned()
        self.replies: list[Reply] = []

    def query(self, request: Request) -> Reply:
        reply = self.calls.pay(request, None, lambda: self.client.query(request))
        assert isinstance(reply, Reply)
        self.replies.append(reply)
        return reply

    @property
    def wire(self) -> str:
        return self.client.format_of(self.client.learned).name

    def findings(self) -> Iterator[Finding]:
        yield self._check_of_play()
        if self.replies:
            learned_keep(self.agent, self.client)
        checks = Checks(self.client, QUESTION, question_after, self.calls.pay)
        for check in checks_of(self.wire, TOOL.name):
            if self.replies:
                yield from checks.findings([check])
            else:
                yield Finding(check.statement, NOT_TRIED, "No query of the periods was answered.")

    def _check_of_play(self) -> Finding:
        instance = generate(*EXAMPLE)
        game = ENVIRONMENTS[instance.environment](instance, periods=PERIODS, reasoning=self.agent.reasoning)
        try:
            play(game, lambda seat, period: self)
        except NotTried as why:
            return Finding(PLAYED, NOT_TRIED, f"{len(game.outcomes)} of them were played. {why}")
        except Stalled as stalled:
            return Finding(PLAYED, NOT_HELD, str(stalled))
        except (ProviderRetry, ProviderFatal) as error:
            return Finding(PLAYED, NOT_HELD, error.reason)
        tokens = sum(reply.usage.input_tokens + reply.usage.output_tokens for reply in self.replies)
        return Finding(PLAYED, HELD, f"{counted(len(self.replies), 'query,queries')} with {tokens:,} tokens.")
