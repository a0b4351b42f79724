from django.conf import settings
from django.db import models

from accounts.models import Organization
from runs.models.money import Budgeted

OF_EPISODES = ("practice", "season")
"""Keys of the spec of an experiment that collects episodes: what a player practised, or an entry in a season."""


class Experiment(Budgeted):
    """A launch and its runs. `spec` allows to launch it again; `estimate` is Estimate.as_json at launch, or None."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="experiments")
    name = models.CharField(max_length=200)
    spec = models.JSONField()
    estimate = models.JSONField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_of_episodes(self) -> bool:
        """Whether an outside agent or a person plays its runs. Nothing of it was launched, paused or paid here."""
        return any(key in self.spec for key in OF_EPISODES)
