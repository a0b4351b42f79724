"""Why runs of an experiment wait or stopped, and the expected time left."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, F, Max, TextField, When
from django.db.models.functions import Left

from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE
from runs.models.states import SHOWN
from runs.selectors.cells import RunCell
from runs.selectors.health import paces
from runs.selectors.state_words import state_words

REASONS_SHOWN = 20
BUDGET_NAMED = 12
"""Length of the beginning of a budget reason that identifies the kind of budget: 'The run has', 'The organiza'."""


@dataclass(frozen=True)
class Reason:
    """A reason why runs do not continue. `runs` is the number of these runs, `example` the id of one of them."""

    state: str
    cause: str
    text: str
    runs: int
    example: int
    wake_at: datetime | None

    @property
    def label(self) -> str:
        return state_words(self.state, self.cause, self.text)

    @property
    def sentence(self) -> str:
        """The sentence after the label. It omits the reason if the label contains it, because a person paused the run."""
        has_reason = self.label != SHOWN[self.state].label and self.cause == PauseCause.PERSON
        return "Nothing is lost; they go on when somebody resumes them." if has_reason else self.text


def reasons(experiment: Experiment) -> list[Reason]:
    """The distinct reasons, most frequent first. Budget reasons that differ only in their amounts count as one."""
    budget_kind = When(pause_cause=PauseCause.BUDGET, then=Left("reason", BUDGET_NAMED))
    rows = (
        Run.objects.filter(experiment=experiment, state__in=(RunState.WAITING, RunState.PAUSED, *RETRYABLE))
        .values_list("state", "pause_cause", Case(budget_kind, default=F("reason"), output_field=TextField()))
        .annotate(runs=Count("id"), example=Max("id"), text=Max("reason"), wake=Max("wake_at"))
        .order_by("-runs", "state")[:REASONS_SHOWN]
    )
    return [
        Reason(
            state, cause, text or "No reason was stored.", runs, example, wake if state == RunState.WAITING else None
        )
        for state, cause, _, runs, example, text, wake in rows
    ]


def seconds_left(cells: list[RunCell], experiment: Experiment) -> float | None:
    """Expected seconds until the last active run ends. None if no run is active or no pace is known.

    Runs that are played at the same time share the remaining work. The experiment takes at least as long as its longest
    run. At most one query.
    """
    active = [cell for cell in cells if cell.state in ACTIVE]
    if not active:
        return None
    spans = paces(Run.objects.filter(experiment=experiment), F("periods_played"), "agent", "instance__environment")
    if not spans:
        return None
    seconds_per_period = {key: seconds / periods for key, (seconds, periods) in spans.items()}
    overall = sum(seconds for seconds, _ in spans.values()) / sum(periods for _, periods in spans.values())
    work = [
        seconds_per_period.get((cell.agent_id, cell.environment), overall) * (cell.periods - cell.periods_played)
        for cell in active
    ]
    return max(sum(work) / max(1, sum(cell.state == RunState.RUNNING for cell in active)), max(work))
