from __future__ import annotations

from django.db import models

import environments.base
from accounts.models import Organization
from runs.fields import CompressedJSONField


class Instance(models.Model):
    """One problem, shared by all runs on it. `reference` is None until it was computed, once, by a worker."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="instances")
    environment = models.CharField(max_length=40)
    difficulty = models.CharField(max_length=20)
    seed = models.PositiveBigIntegerField()
    generator = models.CharField(max_length=20)
    content_hash = models.CharField(max_length=64)
    settings = models.JSONField()
    parameters = CompressedJSONField()
    hidden = CompressedJSONField()
    reference = CompressedJSONField(null=True)
    solving_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "content_hash"], name="one_row_per_instance")]

    def __str__(self) -> str:
        return f"{self.environment} {self.difficulty}, seed {self.seed}"

    def as_problem(self) -> environments.base.Instance:
        """The instance as the environments know it."""
        return environments.base.Instance(
            environment=self.environment,
            difficulty=self.difficulty,
            seed=self.seed,
            generator=self.generator,
            settings=self.settings,
            parameters=self.parameters,
            hidden=self.hidden,
            reference=self.reference or {},
        )
