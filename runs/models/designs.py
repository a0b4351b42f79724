from __future__ import annotations

from typing import Any

from django.db import models

from accounts.models import Organization, User
from environments.generation import DESIGN, MOST_SLUG
from environments.registry import GENERATION

MOST_NAME = 60


class Design(models.Model):
    """Settings of a generator under a name: a difficulty of the organization's own, frozen once a run uses it.

    slug: made of the name, in capitals; runs have the difficulty CUSTOM+<slug>
    settings: as `Generation.checked` returns them
    archived_at: since when launches do not offer it; None while they do
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="designs")
    environment = models.CharField(max_length=40)
    name = models.CharField(max_length=MOST_NAME)
    slug = models.CharField(max_length=MOST_SLUG)
    settings = models.JSONField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "slug"], name="one_design_per_slug")]

    def __str__(self) -> str:
        return self.name

    @property
    def difficulty(self) -> str:
        return f"{DESIGN}{self.slug}"

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def ordered_settings(self) -> dict[str, Any]:
        """The settings in the order of the generator, which PostgreSQL does not keep and content hashes depend on."""
        return GENERATION[self.environment].ordered(self.settings)
