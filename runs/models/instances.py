from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models

import environments.base
from accounts.models import Organization
from environments.generation import Recipe
from environments.registry import GENERATION
from infrastructure.fields import CompressedJSONField

UNDRAWN = "recipe:"


class Instance(models.Model):
    """One problem, shared by all runs on it. A launch stores its recipe only; a worker draws it, once, and computes
    `reference`, which is None until then. Whoever reads it before gets it drawn in memory.

    recipe: hash of what it is drawn from, None for rows that are older or imported
    content_hash: starts with UNDRAWN until it is drawn
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="instances")
    environment = models.CharField(max_length=40)
    difficulty = models.CharField(max_length=20)
    seed = models.PositiveBigIntegerField()
    generator = models.CharField(max_length=20)
    content_hash = models.CharField(max_length=64)
    recipe = models.CharField(max_length=64, null=True)
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
        return f"{self.environment} {self.difficulty}, seed {self.seed}"

    drawn_here = False
    """Whether this object, but not its row, holds the drawn instance."""

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any]) -> Instance:
        row = super().from_db(db, field_names, values)
        if any(row.__dict__.get(name, ...) is None for name in ("parameters", "hidden")):
            row._draw()
        return row

    @classmethod
    def undrawn(cls, organization: Organization, recipe: Recipe) -> Instance:
        return cls(
            organization=organization,
            environment=recipe.environment,
            difficulty=recipe.difficulty,
            seed=recipe.seed,
            generator=recipe.generator,
            settings=recipe.settings,
            recipe=recipe.hash,
            content_hash=f"{UNDRAWN}{recipe.hash}"[:64],
        )

    def as_recipe(self) -> Recipe:
        usual = GENERATION[self.environment].difficulties.get(self.difficulty)
        # PostgreSQL does not keep the order of keys, which the hash of the content depends on.
        settings = dict(usual) if usual == self.settings else self.settings
        return Recipe(self.environment, self.difficulty, self.seed, self.generator, settings)

    def _draw(self) -> None:
        recipe = self.as_recipe()
        problem = GENERATION[self.environment].drawn(recipe, with_reference=False)
        self.settings = recipe.settings
        self.parameters, self.hidden = problem.parameters, problem.hidden
        if self.__dict__.get("reference", ...) is None:
            self.reference = problem.reference or None
        self.drawn_here = True

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
