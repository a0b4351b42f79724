from typing import Any, NamedTuple, Self

from django.db import models

from accounts.deletions import KeptRows, Row
from accounts.models import Organization
from environments.base import SINGLE_SEAT
from runs.conditions import KEY_LENGTH
from runs.models.agents import Agent
from runs.models.experiments import Experiment, PromptVariant
from runs.models.instances import Instance
from runs.models.money import Budgeted
from runs.models.states import SHOWN, UNNEEDED, RunState, ShownState


class StopRequest(models.TextChoices):
    """What a person requested of a leased run. The worker applies it before its next model call."""

    NONE = "", "None"
    PAUSE = "pause", "Pause"
    CANCEL = "cancel", "Cancel"


class Transition(NamedTuple):
    """A legal change of state: from any state in `before` to `after`."""

    before: tuple[RunState, ...]
    after: RunState


WORKED = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING)
"""States of runs that workers play."""

ACTIVE = (*WORKED, RunState.OPEN)
TERMINAL = (RunState.FINISHED, RunState.CANCELLED)
RETRYABLE = (RunState.STALLED, RunState.ERRORED)
ENDED = (*TERMINAL, *RETRYABLE)
"""States of runs that ended. Only a person can change them, by a retry of a stalled or errored run."""

TRANSITIONS = {
    # Changes by a worker. A running run is leased.
    "take": Transition(WORKED, RunState.RUNNING),
    "requeue": Transition((RunState.RUNNING,), RunState.QUEUED),
    "wait": Transition((RunState.RUNNING,), RunState.WAITING),
    "stall": Transition((RunState.RUNNING,), RunState.STALLED),
    "fail": Transition((RunState.RUNNING,), RunState.ERRORED),
    "finish": Transition((RunState.RUNNING, RunState.OPEN), RunState.FINISHED),
    # Changes by a person. A budget or a provider can also pause. For a running run the change is a stop request to
    # its worker.
    "pause": Transition(WORKED, RunState.PAUSED),
    "cancel": Transition((*ACTIVE, RunState.PAUSED, *RETRYABLE), RunState.CANCELLED),
    "resume": Transition((RunState.PAUSED,), RunState.QUEUED),
    "retry": Transition(RETRYABLE, RunState.QUEUED),
}


PLAYED_TO_THE_END = models.Q(state=RunState.OPEN, periods_played__gte=models.F("periods"))
"""Finished games of an open season. Their runs are scored when the season ends, so nobody may cancel them until then."""


class PauseCause(models.TextChoices):
    """Who or what paused a run: a person, a budget, a comparison in stages, or the kind of the provider's error.

    Pages show the label after "Paused:". Rows of older versions have KEY or ENDPOINT for some of the newer causes.
    STAGE is also the cause of a cancelled run that its comparison did not need; see NOT_PLAYED.
    """

    PERSON = "person", "by a person"
    BUDGET = "budget", "budget"
    STAGE = "stage", "later stage"
    KEY = "key", "key"
    CREDIT = "credit", "account's credit or spend limit"
    MODEL = "model", "model not found"
    CONTEXT = "context", "request too long"
    REQUEST = "request", "request rejected"
    ADDRESS = "address", "address cannot be called"
    LIMIT = "limit", "rate limit"
    TIMEOUT = "timeout", "no answer in time"
    ENDPOINT = "endpoint", "endpoint"


NOT_PLAYED = models.Q(state=RunState.CANCELLED, pause_cause=PauseCause.STAGE)
"""Runs of later stages that were cancelled because their comparison stopped early. They are neither failed nor missing."""


def shown_state(state: str, cause: str) -> ShownState:
    """How pages name the state of a run. cause: its `pause_cause`"""
    is_not_played = state == RunState.CANCELLED and cause == PauseCause.STAGE  # as in NOT_PLAYED
    return UNNEEDED if is_not_played else SHOWN[state]


class Runs(KeptRows[Row]):
    """Runs that are not deleted."""

    def without_games(self) -> models.QuerySet[Row]:
        """Runs of experiments, without games of people and outside agents."""
        return self.filter(experiment__is_of_episodes=False)


class Run(Budgeted):
    """One agent on one instance under one prompt variant. In a market of two, `rival` may be a second agent.

    `prompts` has the texts of an own variant; it is None for built-in ones. `conditions` says by seat how its model was
    asked and which model answered, see agents.llm.Sent; it is empty before the first period and for baselines.
    `conditions_key` is the same as one short text; runs with different keys are not pooled.

    `last_quality` is the quality of the last period, `best_quality` the highest of all. Only finished runs have a score.
    The lease (owner, expiry, fence) says which worker may write, see runs.engine.
    `repeat` numbers the runs of an agent on one instance in one launch, from 0. An
    `imported` run was played elsewhere. It is stored as finished or cancelled and is never played here.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="runs")
    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="runs")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="runs")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="runs", db_index=False)
    rival = models.ForeignKey(Agent, models.PROTECT, null=True, blank=True, related_name="runs_as_rival")
    variant = models.CharField(max_length=60, default="main")
    repeat = models.PositiveSmallIntegerField(default=0, db_default=0)
    reasoning = models.BooleanField(default=False)
    periods = models.PositiveSmallIntegerField(default=100)
    prompt_version = models.CharField(max_length=12)
    prompts = models.ForeignKey(PromptVariant, models.PROTECT, null=True, blank=True, related_name="runs")
    config = models.JSONField()
    imported = models.BooleanField(default=False, db_default=False)
    conditions = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()), blank=True)
    conditions_key = models.CharField(max_length=KEY_LENGTH, default="", db_default="", blank=True, editable=False)

    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    reason = models.TextField(blank=True)
    stop_request = models.CharField(
        max_length=6, choices=StopRequest, default=StopRequest.NONE, blank=True, db_column="wish"
    )
    pause_cause = models.CharField(max_length=8, choices=PauseCause, blank=True, default="", db_default="")
    wake_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    fence = models.PositiveBigIntegerField(default=0)

    periods_played = models.PositiveSmallIntegerField(default=0)
    last_quality = models.FloatField(null=True)
    best_quality = models.FloatField(null=True)
    score = models.FloatField(null=True)
    solved = models.BooleanField(null=True)
    metrics = models.JSONField(null=True)
    queries = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    reasoning_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    thinking_nano = models.BigIntegerField(default=0, db_default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    progressed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True, editable=False)
    """A copy of the experiment's `deleted_at`."""

    objects = Runs[Self]()
    with_deleted = models.Manager[Self]()

    class Meta:
        # The indexes of an organization alone give the counts, lengths and hidden runs that every page shows.
        indexes = [
            models.Index(fields=["agent", "id"], name="runs_of_an_agent"),
            models.Index(fields=["experiment", "state", "deleted_at"], name="runs_of_an_experiment"),
            models.Index(
                fields=["organization", "state", "deleted_at", "periods", "instance", "agent", "variant", "imported"],
                name="runs_of_an_organization",
            ),
            models.Index(
                fields=["organization", "state", "deleted_at", "agent", "conditions_key"], name="runs_by_conditions"
            ),
            models.Index(fields=["state", "wake_at"]),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    def agent_in(self, seat: str) -> Agent:
        """The agent in a seat. If there is a rival, it plays every seat but the first."""
        return self.agent if self.rival is None or seat == SINGLE_SEAT else self.rival

    def may(self, action: str) -> bool:
        """Whether an action of TRANSITIONS is legal now.

        A running run can be paused if it has no stop request, and resumed if it has a pause request. A run that waits for
        its stage is resumed only by its comparison.
        """
        if action == "resume" and self.pause_cause == PauseCause.STAGE:
            return False
        if self.state == RunState.RUNNING and action in ("pause", "resume"):
            return self.stop_request == (StopRequest.NONE if action == "pause" else StopRequest.PAUSE)
        if self.state == RunState.OPEN and self.periods_played >= self.periods:  # PLAYED_TO_THE_END
            return action == "finish"
        return self.state in TRANSITIONS[action].before

    @property
    def actions(self) -> list[str]:
        """The actions that a person may apply to the run now."""
        return [action for action in ("pause", "resume", "cancel", "retry") if self.may(action)]

    @property
    def knows_times(self) -> bool:
        """Whether periods and calls have times. The logs of some imported runs have none."""
        return not self.imported or self.ended_at is not None

    @property
    def all_metrics(self) -> dict[str, Any] | None:
        """`metrics` with those that have a value for each period. One query, none if `series` are prefetched."""
        return None if self.metrics is None else self.metrics | {row.metric: row.values for row in self.series.all()}

    @property
    def shown(self) -> ShownState:
        return shown_state(self.state, self.pause_cause)

    @property
    def label(self) -> str:
        return self.shown.label

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    @property
    def is_waiting(self) -> bool:
        return self.state == RunState.WAITING

    @property
    def is_finished(self) -> bool:
        return self.state == RunState.FINISHED

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended for good."""
        return self.state in TERMINAL

    @property
    def progress(self) -> float:
        return 1.0 if self.is_finished else self.periods_played / self.periods
