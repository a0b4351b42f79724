from collections.abc import Collection
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models

from accounts.models import Organization
from infrastructure.claims import Claimed, Claims, JobState
from infrastructure.fields import CompressedJSONField
from runs.models import Agent, Run
from runs.services.job_queries import Payer

MOST_TEXT = 1_000
"""Characters of a question."""

Result = dict[str, Any]
"""The answer of a question. Keys:

answer: a few sentences of the model; empty without a model
findings: dicts with `claim`, a sentence, and `quotes`: dicts with `run`, `period`, `source` and `text`
quotes, dropped: numbers of quotes that the model gave, and of those that are not in the transcripts
left_out: number of findings of single parts that did not fit into the last query
cut: number of texts of which only the beginning was sent
models: the model ids that answered
"""


class Source(models.TextChoices):
    """The texts of a period that are sent. Agents wrote or read all of them during the run."""

    NOTES = "notes", "Notes"
    ACTIONS = "actions", "Actions and results"
    REASONING = "reasoning", "Reasoning and replies"


class Question(Claimed):
    """A question over some runs. A worker reads the transcripts in parts, see QuestionPart, and merges the answers.

    sources: values of Source; number_of_runs: the runs when it was asked, because `runs` loses deleted ones
    agent: whose model answers; None if it was deleted, or without a model; agent_name: its name, empty without a model
    budget_nano: the most that all calls may cost; None without a model
    stage: the worker's present step in words; `done` and `total` count within it
    problem: the reason of a failure, as a sentence
    merged: the answer of the last query, which is stored when it is paid for
    result: the answer; None until it is done. Readers use `result_left`
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="questions")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=MOST_TEXT)
    runs = models.ManyToManyField(Run, related_name="questions")
    number_of_runs = models.PositiveIntegerField()
    sources = models.JSONField()
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    agent_name = models.CharField(max_length=100, blank=True, default="")
    budget_nano = models.BigIntegerField(null=True)
    state = models.CharField(max_length=9, choices=JobState, default=JobState.WAITING)
    stage = models.CharField(max_length=60, blank=True, default="")
    problem = models.TextField(blank=True, default="")
    merged = CompressedJSONField(null=True)
    result = CompressedJSONField(null=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization", "-id"], name="questions_newest_first")]

    def __str__(self) -> str:
        return f"question {self.pk}"

    @property
    def payer(self) -> Payer:
        return Payer(self.organization_id, self.created_by_id, f"question {self.pk}", self.budget_nano)

    @property
    def is_by_model(self) -> bool:
        return bool(self.agent_name)

    @property
    def is_working(self) -> bool:
        return self.state == JobState.WAITING

    @property
    def source_labels(self) -> list[str]:
        return [str(Source(source).label) for source in self.sources]

    @cached_property
    def result_left(self) -> Result | None:
        """The result without deleted runs, even while the deletion can be undone."""
        if self.result is None:
            return None
        left = set(self.runs.values_list("pk", flat=True))
        return without_others(self.result, left) if len(left) < self.number_of_runs else self.result


def without_others(result: Result, runs: Collection[int]) -> Result:
    """The result without findings that quote a run outside of `runs`, and without its sentences on all runs."""
    kept = [finding for finding in result["findings"] if all(quote["run"] in runs for quote in finding["quotes"])]
    return result | {"answer": "", "findings": kept}


class QuestionPart(models.Model):
    """Periods of one run that one query reads. The answer is stored in the transaction that books its call.

    number: the position among the parts of the question; first, last: the periods
    cut: number of texts of which only the beginning is sent
    answer: as Result; None until it is answered; problem: why the last answer could not be used, as a sentence
    """

    question = models.ForeignKey(Question, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    first = models.PositiveSmallIntegerField()
    last = models.PositiveSmallIntegerField()
    cut = models.PositiveIntegerField(default=0)
    answer = CompressedJSONField(null=True)
    problem = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["question", "number"], name="each_part_once")]


claims = Claims(Question, [JobState.WAITING], "questions.tasks.answer_next", resting={"stage": ""})
