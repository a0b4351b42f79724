from django.conf import settings
from django.db import models

from accounts.deletions import Deletable
from accounts.models import Organization


class Leaderboard(Deletable):
    """The filters of an answer under a name. It shows the runs that fit them when it is opened.

    kind: key of analysis.saved.kinds.KINDS
    filters: JSON of analysis.saved.kinds
    pin: position among the pinned leaderboards of the home page, None if not pinned
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="leaderboards")
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    filters = models.JSONField()
    pin = models.PositiveSmallIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "name"], condition=models.Q(deleted_at=None), name="one_leaderboard_per_name"
            )
        ]
        indexes = [models.Index(fields=["organization", "pin"], name="pinned_leaderboards")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_pinned(self) -> bool:
        return self.pin is not None


class OutsideColumn(models.Model):
    """A measure of agents, models or makers that members brought as CSV, such as a score of another benchmark.

    source: where the values come from, in the members' words
    values: numbers by name, as typed; a name is that of an agent, a model or a maker
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="outside_columns")
    name = models.CharField(max_length=100)
    unit = models.CharField(max_length=40, blank=True)
    source = models.CharField(max_length=300, blank=True)
    values = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "name"], name="one_outside_column_per_name"),
        ]
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
