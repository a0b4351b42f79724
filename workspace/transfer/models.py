from django.conf import settings
from django.db import models

from accounts.models import Organization
from infrastructure.claims import Claimed
from infrastructure.fields import CompressedJSONField
from runs.models.experiments import Experiment
from runs.models.runs import Run


class ImportedRun(models.Model):
    """The source of an imported run.

    content_hash: hash of the log's bytes and of how they were read. So the same log is recognised
        in another place, and a log that was misread can be imported again
    recorded_score: the score of the logged results, computed here for information; None if the log has none
    differences: a sentence for each kind of logged result that differs from the one computed here
    facts: other facts to show: {label: text}
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
    """States of an upload.

    Workers turn `reading` into `read` or `refused`, and `storing` into `stored`. A person turns `read` into `storing`.
    """

    READING = "reading", "Reading"
    READ = "read", "Read"
    STORING = "storing", "Storing"
    STORED = "stored", "Stored"
    REFUSED = "refused", "Refused"


WORKING = (ImportState.READING, ImportState.STORING)


class ImportUpload(Claimed):
    """An archive between its arrival and its import or expiry. Only its sender sees it.

    done, total: number of processed logs, and of all logs
    problem: a sentence that says why the archive was refused or is read again
    experiment_name: the requested name of `experiment`, which holds the stored runs
    content: always null; kept because workers of the previous version may still run during an upgrade
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
    problem = models.TextField(blank=True, default="", db_default="")
    experiment = models.ForeignKey(Experiment, models.SET_NULL, null=True, related_name="+")
    experiment_name = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta:
        db_table = "runs_importupload"

    @property
    def is_working(self) -> bool:
        return self.state in WORKING


class ImportArchive(models.Model):
    """The bytes of an upload.

    They are not in the row of the upload, because progress is stored there after every log, and
    SQLite always writes whole rows.
    """

    upload = models.OneToOneField(ImportUpload, models.CASCADE, primary_key=True, related_name="archive")
    content = models.BinaryField()

    class Meta:
        db_table = "runs_importarchive"
