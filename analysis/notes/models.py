from functools import cached_property

from django.conf import settings
from django.db import models

from accounts.models import Endpoint, Organization
from analysis.notes.text.report import Result, runs_of, without_runs
from infrastructure.claims import Claimed, Claims, JobState
from infrastructure.fields import CompressedJSONField
from runs.models import Agent, Run
from runs.services.job_queries import Payer


class EntryKind(models.TextChoices):
    NOTE = "note", "Notes"
    REPLY = "reply", "Transcript"
    THINKING = "think", "Thinking"


class SearchEntry(models.Model):
    """A text in the search index: a note, a model's reply, or the thinking of a reply.

    source_id: id of the Note or the Exchange, which holds the text itself
    words: the words of the text in the form that searches compare, see analysis.notes.search.words
    agent: the author of the text
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+", db_index=False)
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+")
    environment = models.CharField(max_length=40)
    period_index = models.PositiveSmallIntegerField()
    seat = models.CharField(max_length=10)
    kind = models.CharField(max_length=5, choices=EntryKind)
    source_id = models.BigIntegerField()
    words = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["run", "period_index"], name="search_entry_by_period")]


class IndexedRun(models.Model):
    """The part of a run that is in the search index.

    periods: number of whole periods in the index
    queries: the run's number of queries when the index last had all of its periods
    is_visited: whether the index ever had all periods that the run had played
    is_whole: whether the run has ended and nothing can be added any more
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="+")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    periods = models.PositiveSmallIntegerField(default=0)
    queries = models.PositiveIntegerField(default=0)
    is_visited = models.BooleanField(default=False)
    is_whole = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "is_visited"], name="indexed_by_organization"),
            models.Index(fields=["run"], condition=models.Q(is_whole=False), name="indexed_in_part"),
        ]


class NotesAnalysis(Claimed):
    """Clusters of the paragraphs of notes, computed by a worker.

    filter: the notes to analyse, see analysis.notes.study.selectors
    stage: the worker's present step in words; `done` and `total` count within it
    problem: the reason of a failure, as a sentence
    result: see analysis.notes.text.report; None until it is done. Readers use `result_left`
    endpoint, model: the source of the vectors; without an endpoint the worker computes them
    price_nano: billionths of a dollar per million tokens, None if unknown
    labels_by: the agent whose model names the clusters; None: clusters have their most characteristic words as names
    labels: names that the model has answered, see analysis.notes.study.labels
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="notes_analyses")
    name = models.CharField(max_length=200)
    filter = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=9, choices=JobState, default=JobState.WAITING)
    stage = models.CharField(max_length=60, blank=True, default="")
    problem = models.TextField(blank=True, default="")
    result = CompressedJSONField(null=True)
    endpoint = models.ForeignKey(Endpoint, models.SET_NULL, null=True, blank=True, related_name="+")
    model = models.CharField(max_length=200, blank=True, default="")
    price_nano = models.BigIntegerField(null=True)
    labels_by = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    labels = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["organization", "-id"], name="analyses_newest_first")]

    @property
    def job(self) -> str:
        """The name of the analysis in the records of its calls."""
        return f"notes analysis {self.pk}"

    @property
    def payer(self) -> Payer:
        return Payer(self.organization_id, self.created_by_id, self.job)

    @cached_property
    def result_left(self) -> Result | None:
        """The result without quotes of deleted runs, even while the deletion can be undone."""
        if self.result is None:
            return None
        return without_deleted(self.result, Run.objects.filter(organization=self.organization_id))

    @property
    def is_working(self) -> bool:
        return self.state == JobState.WAITING


def without_deleted(result: Result, left: models.QuerySet[Run]) -> Result:
    """The result with quotes of the runs in `left` only."""
    return without_runs(result, runs_of(result).difference(left.values_list("pk", flat=True)))


class VectorBatch(models.Model):
    """Vectors that an endpoint computed and billed for an unfinished analysis.

    digests: digests of the texts, 16 bytes each; vectors: 32-bit floats, little-endian, one row per text
    """

    analysis = models.ForeignKey(NotesAnalysis, models.CASCADE, related_name="batches")
    digests = models.BinaryField()
    vectors = models.BinaryField()


claims = Claims(NotesAnalysis, [JobState.WAITING], "notes.tasks.study_next", resting={"stage": ""})
