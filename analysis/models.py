from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Organization


class BoardKind(models.TextChoices):
    BENCHMARK = "benchmark", "Benchmark"
    LITMUS = "litmus", "Litmus tests"


class Leaderboard(models.Model):
    """A table with its filters under a name. It holds no scores: it shows the runs that fit its filters whenever it is
    opened. `filters` is what analysis.saved.filters makes of a filter; `pin` is its place among the pinned, None if it
    is not pinned.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="leaderboards")
    kind = models.CharField(max_length=10, choices=BoardKind)
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    filters = models.JSONField()
    pin = models.PositiveSmallIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "name"], name="one_leaderboard_per_name")]
        indexes = [models.Index(fields=["organization", "pin"], name="pinned_leaderboards")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_pinned(self) -> bool:
        return self.pin is not None
