from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Organization
from runs.fields import CompressedJSONField
from runs.models.runs import Run


class ImportedRun(models.Model):
    """Where a run that was played elsewhere comes from. `content_hash` is of what was played, so that the same log is
    known again whatever its folder is called.

    recorded_score: the score its log claims, which counts for nothing; None where it claims none
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
        constraints = [
            models.UniqueConstraint(fields=["organization", "content_hash"], name="each_log_imported_once"),
        ]


class ImportUpload(models.Model):
    """An archive between its preview and its import, or until it expires. Only who sent it sees it."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="import_uploads")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    content = models.BinaryField()
    preview = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
