from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import models

import environments.base
from accounts.models import Organization, User
from environments.generation import DESIGN, MOST_SLUG, RANKED, Recipe
from environments.registry import GENERATION, variant_with
from infrastructure.fields import CompressedJSONField

UNDRAWN = "recipe:"
SEALED = "sealed:"
"""Prefix of the content hash of an instance whose content is not stored until its season ends."""

IS_SEALED = "This instance is sealed until its season ends."
MOST_DIFFICULTY = len("CUSTOM+") + MOST_SLUG


def numbered(seed: int, generator: str) -> str:
    """The number of an instance for pages: 'seed 7'. For a ranked instance, its place in the season's set: 'game 8'."""
    return f"game {seed + 1}" if generator == RANKED else f"seed {seed}"


class Instance(models.Model):
    """One problem, shared by all runs on it.

    A launch stores only the recipe. The first worker draws the instance, stores it and computes `reference`, which is
    None until then. Reading a row that is not drawn yet draws the instance in memory.

    recipe: hash of the recipe; None for imported rows and rows of older versions
    content_hash: starts with UNDRAWN until the instance is drawn, and with SEALED while its season is open
    key: the 256-bit key of the generator `ranked` in hexadecimal; empty for other generators and while it is sealed
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="instances")
    environment = models.CharField(max_length=40)
    difficulty = models.CharField(max_length=MOST_DIFFICULTY)
    seed = models.PositiveBigIntegerField()
    generator = models.CharField(max_length=20)
    content_hash = models.CharField(max_length=64)
    recipe = models.CharField(max_length=64, null=True)
    key = models.CharField(max_length=64, blank=True, default="", db_default="")
    settings = models.JSONField()
    parameters = CompressedJSONField(null=True)
    hidden = CompressedJSONField(null=True)
    reference = CompressedJSONField(null=True)
    solving_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "content_hash"], name="one_row_per_instance"),
            models.UniqueConstraint(fields=["organization", "recipe"], name="one_row_per_recipe"),
        ]

    def __str__(self) -> str:
        return f"{self.environment} {self.difficulty}, {self.numbered}"

    @property
    def numbered(self) -> str:
        return numbered(self.seed, self.generator)

    @property
    def variant(self) -> str:
        """The variant that has this instance for its own, such as one with a shock; 'main' for all other instances."""
        return variant_with(self.environment, self.settings)

    drawn_here = False
    """Whether the instance was drawn in memory and is not stored yet."""

    @classmethod
    def from_db(cls, *args: Any, **options: Any) -> Instance:
        row = super().from_db(*args, **options)
        if any(row.__dict__.get(name, ...) is None for name in ("parameters", "hidden")):
            problem = GENERATION[row.environment].drawn(recipe := row.as_recipe(), with_reference=False)
            row.settings, row.parameters, row.hidden = recipe.settings, problem.parameters, problem.hidden
            if row.__dict__.get("reference", ...) is None:
                row.reference = problem.reference or None
            row.drawn_here = True
        return row

    @classmethod
    def undrawn(cls, organization: Organization, recipe: Recipe) -> Instance:
        content_hash = f"{UNDRAWN}{recipe.hash}"[:64]
        return cls(organization=organization, recipe=recipe.hash, content_hash=content_hash, **vars(recipe))

    @property
    def is_sealed(self) -> bool:
        """Whether the instance belongs to a ranked episode of an open season. Its content columns are empty then."""
        return self.content_hash.startswith(SEALED)

    def as_recipe(self) -> Recipe:
        generation = GENERATION[self.environment]
        usual = generation.difficulties.get(self.difficulty)
        # The content hash depends on the order of keys, which PostgreSQL does not keep.
        settings = dict(usual) if usual is not None and usual == self.settings else generation.ordered(self.settings)
        return Recipe(self.environment, self.difficulty, self._drawn_from, self.generator, settings)

    @property
    def _drawn_from(self) -> int:
        return int(self.key, 16) if self.key else self.seed

    def as_problem(self) -> environments.base.Instance:
        """The instance as an object of the environments package. Raises PermissionDenied while it is sealed."""
        if self.is_sealed:
            raise PermissionDenied(IS_SEALED)
        return environments.base.Instance(
            *(self.environment, self.difficulty, self._drawn_from, self.generator, self.settings),
            *(self.parameters, self.hidden, self.reference or {}),
        )


MOST_NAME = 60


class Design(models.Model):
    """Named settings of a generator: a difficulty of the organization's own. It is frozen once a run uses it.

    slug: derived from the name, in capitals; runs have the difficulty CUSTOM+<slug>
    settings: as `Generation.checked` returns them
    archived_at: time from which launches no longer offer it; None if they do
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
        """The settings in the order of the generator. Content hashes depend on it, and PostgreSQL does not keep it."""
        return GENERATION[self.environment].ordered(self.settings)
