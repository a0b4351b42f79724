"""Which games a measurement plays, and what was played of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.conf import settings

from agents.baselines.base import Baseline
from agents.baselines.registry import BASELINES
from environments.generation import CUSTOM, Recipe
from environments.registry import GENERATION
from infrastructure.text.formats import counted
from instances.models import BaselineScore
from runs.models import Design

SEEDS = range(5)
GENERATOR = "published"


@dataclass(frozen=True)
class Game:
    """One baseline on one instance. column: the difficulty that it belongs to"""

    column: str
    recipe: Recipe
    baseline: str

    @property
    def key(self) -> tuple[str, str]:
        return self.recipe.hash, self.baseline


def baselines_of(environment: str) -> dict[str, type[Baseline]]:
    return {slug: one for slug, one in BASELINES.items() if environment in one.environments}


def games_of(design: Design, measured: dict[str, Any]) -> list[Game]:
    """The games of the design first, then those of the published difficulties."""
    generation = GENERATION[design.environment]
    # Designs of the same settings share their games, whatever their names are.
    columns = {design.difficulty: (CUSTOM, generation.ordered(measured))}
    columns |= {name: (name, dict(values)) for name, values in generation.difficulties.items()}
    return [
        Game(column, Recipe(design.environment, difficulty, seed, GENERATOR, chosen), baseline)
        for column, (difficulty, chosen) in columns.items()
        for seed in SEEDS
        for baseline in baselines_of(design.environment)
    ]


def played_of(games: Sequence[Game]) -> dict[tuple[str, str], float | None]:
    """The scores that are stored, by key of the game. One query."""
    rows = BaselineScore.objects.filter(recipe__in={game.recipe.hash for game in games}, version=settings.VERSION)
    return {(recipe, baseline): score for recipe, baseline, score in rows.values_list("recipe", "baseline", "score")}


def refusal(environment: str, chosen: dict[str, Any]) -> str:
    """Why the baselines are not played with these settings, as a sentence; empty if they are."""
    generation = GENERATION[environment]
    for setting in generation.settings:
        most = generation.measured_up_to.get(setting.name)
        if most is not None and (value := chosen.get(setting.name, setting.usual)) is not None and value > most:
            return (
                f"{setting.label} is {value:,g}. Baselines are measured up to {most:g}, since larger instances take a worker "
                "many minutes. Launch the baselines on it instead."
            )
    return ""


@dataclass(frozen=True)
class Row:
    """A baseline: its mean score in each column, None without a score."""

    slug: str
    title: str
    is_clairvoyant: bool
    means: tuple[float | None, ...]


@dataclass(frozen=True)
class Measured:
    """What was played of a measurement.

    columns: the published difficulties from the easiest on, then that of the design
    scores: (seed, score) by baseline and column, without games that have no score
    """

    environment: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    scores: dict[tuple[str, str], list[tuple[int, float]]]
    played: int
    total: int

    @property
    def is_whole(self) -> bool:
        return self.played == self.total

    @property
    def verdict(self) -> str:
        """Which published difficulty the scores of the baselines are closest to; empty if there is one only, or none."""
        *published, _ = self.columns
        if len(published) < 2 or not self.is_whole:
            return ""
        known = [row.means for row in self.rows if not row.is_clairvoyant and None not in row.means]
        if not known:
            return ""
        apart = {
            name: 100 * fmean(abs((means[-1] or 0) - (means[place] or 0)) for means in known)
            for place, name in enumerate(published)
        }
        closest = min(apart, key=apart.__getitem__)
        return (
            f"Closest to {closest}: the mean scores of {counted(len(known), 'baseline,baselines')} differ from those on "
            f"{closest} by {apart[closest]:.1f} points on average."
        )


def measured_of(design: Design, measured: dict[str, Any]) -> Measured:
    """One query."""
    games = games_of(design, measured)
    stored = played_of(games)
    columns = (*GENERATION[design.environment].difficulties, design.difficulty)
    scores: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for game in games:
        if (score := stored.get(game.key)) is not None:
            scores[game.baseline, game.column].append((game.recipe.seed, score))
    rows = tuple(
        Row(slug, one.title, one.clairvoyant, tuple(_mean(scores[slug, column]) for column in columns))
        for slug, one in baselines_of(design.environment).items()
    )
    played = sum(game.key in stored for game in games)
    return Measured(design.environment, columns, rows, dict(scores), played, len(games))


def _mean(scores: Sequence[tuple[int, float]]) -> float | None:
    return fmean(score for _, score in scores) if scores else None
