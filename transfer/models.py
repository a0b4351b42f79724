from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Organization
from infrastructure.fields import CompressedJSONField
from runs.models.experiments import Experiment
from runs.models.runs import Run


class ImportedRun(models.Model):
    """Where a run that was played elsewhere comes from. `content_hash` is of the log's bytes and of how they were read, so
    that the same log is known again in another place, and a wrong reading does not hide the right one.

    recorded_score: our score of the results that the log has, which counts for nothing; None where it has none
    differences: one plain sentence for each way in which the log's results differ from those computed here
    facts: what else is worth showing: {label: text}
    """

    run = models.OneToOneField(Run, models.CASCADE, related_name="source")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="imported_runs")
    archive = models.CharField(max_length=200)
    folder = models.CharField(max_length=500)
    content_hash = models.CharField(max_length=64)
    recorded_score = models.FloatField(null=True)
    differences = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    prompts = CompressedJSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_importedrun"
        constraints = [
            models.UniqueConstraint(fields=["organization", "content_hash"], name="each_log_imported_once"),
        ]


class ImportState(models.TextChoices):
    """What is done with an archive that was sent. Workers take up `reading` ones, which become `read` or `refused`, and
    `storing` ones, which become `stored`; from `read` to `storing` a person says so."""

    READING = "reading", "Reading"
    READ = "read", "Read"
    STORING = "storing", "Storing"
    STORED = "stored", "Stored"
    REFUSED = "refused", "Refused"


WORKING = (ImportState.READING, ImportState.STORING)


class ImportUpload(models.Model):
    """An archive between its arrival and its import, or until it expires. Only who sent it sees it.

    done, total: logs the worker is through with, of how many
    problem: one plain sentence: why it is refused, or why it is read again
    experiment_name: the name its sender wishes for `experiment`, which holds what was stored
    fence, claim_until, tries: whose it is to work on, as the lease of a run; `tries` counts workers that died over it
    asked_at: since when somebody waits for a worker; begun_at: when the latest worker took it up
    content: where earlier versions kept the archive; see ImportArchive
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="import_uploads")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    content = models.BinaryField(null=True)
    preview = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    state = models.CharField(
        max_length=8, choices=ImportState, default=ImportState.READING, db_default=ImportState.READ
    )
    done = models.PositiveIntegerField(default=0, db_default=0)
    total = models.PositiveIntegerField(default=0, db_default=0)
    problem = models.TextField(blank=True, default="", db_default="")
    experiment = models.ForeignKey(Experiment, models.SET_NULL, null=True, related_name="+")
    experiment_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    fence = models.PositiveBigIntegerField(default=0, db_default=0)
    claim_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    asked_at = models.DateTimeField(default=timezone.now, db_default=Now())
    begun_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "runs_importupload"

    @property
    def is_working(self) -> bool:
        return self.state in WORKING


class ImportArchive(models.Model):
    """The bytes of an upload until they are stored. They have a row of their own since a row of SQLite is written as a
    whole, and every log that a worker is through with is written down."""

    upload = models.OneToOneField(ImportUpload, models.CASCADE, primary_key=True, related_name="archive")
    content = models.BinaryField()

    class Meta:
        db_table = "runs_importarchive"
