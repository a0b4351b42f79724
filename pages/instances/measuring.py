"""Measurements of a design's difficulty by the baselines.

The module lists the games to play, plays them in a worker, and makes the resulting table.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Any

from django.conf import settings

from agents.baselines.base import Baseline
from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.base import Instance
from environments.generation import CUSTOM, Recipe
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.claims import Claim, ClaimLost, Claims
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from pages.instances.models import BaselineScore, Measurement, MeasurementState
from runs.engine.jobs import Job, JobFailed
from runs.models import Design

SEEDS = range(5)
GENERATOR = "published"


@dataclass(frozen=True)
class BaselineGame:
    """One baseline on one instance. column: the difficulty to which the score belongs"""

    column: str
    recipe: Recipe
    baseline: str

    @property
    def key(self) -> tuple[str, str]:
        return self.recipe.hash, self.baseline


def baselines_of(environment: str) -> dict[str, type[Baseline]]:
    return {slug: baseline for slug, baseline in BASELINES.items() if environment in baseline.environments}


def games_of(design: Design, design_settings: dict[str, Any]) -> list[BaselineGame]:
    """The games on the design, then the games on the published difficulties."""
    generation = GENERATION[design.environment]
    # The recipe has the difficulty CUSTOM, not the design's name, so equal settings share scores.
    columns = {design.difficulty: (CUSTOM, generation.ordered(design_settings))}
    columns |= {name: (name, dict(values)) for name, values in generation.difficulties.items()}
    return [
        BaselineGame(column, Recipe(design.environment, difficulty, seed, GENERATOR, setting_values), baseline)
        for column, (difficulty, setting_values) in columns.items()
        for seed in SEEDS
        for baseline in baselines_of(design.environment)
    ]


def stored_scores(games: Sequence[BaselineGame]) -> dict[tuple[str, str], float | None]:
    """The stored scores, by (recipe hash, baseline). One query."""
    rows = BaselineScore.objects.filter(recipe__in={game.recipe.hash for game in games}, version=settings.VERSION)
    return {(recipe, baseline): score for recipe, baseline, score in rows.values_list("recipe", "baseline", "score")}


def refusal(environment: str, setting_values: dict[str, Any]) -> str:
    """A sentence on why baselines do not play these settings; empty if they do."""
    generation = GENERATION[environment]
    for setting in generation.settings:
        most = generation.measured_up_to.get(setting.name)
        if most is not None and (value := setting_values.get(setting.name, setting.usual)) is not None and value > most:
            return (
                f"{setting.label} is {value:,g}. Baselines are measured up to {most:g}, since larger instances take a worker "
                "many minutes. Launch the baselines on it instead."
            )
    return ""


@dataclass(frozen=True)
class Row:
    """A baseline with its mean score in each column, None without a score."""

    slug: str
    title: str
    is_clairvoyant: bool
    means: tuple[float | None, ...]


@dataclass(frozen=True)
class MeasuredTable:
    """The stored scores of the baselines for a measurement.

    columns: the published difficulties from the easiest on, then that of the design
    scores: (seed, score) by baseline and column, without games that have no score
    """

    environment: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    scores: dict[tuple[str, str], list[tuple[int, float]]]
    played_games: int
    total: int

    @property
    def is_complete(self) -> bool:
        return self.played_games == self.total

    @property
    def verdict(self) -> str:
        """A sentence on the published difficulty with the closest baseline scores.

        Empty if there is only one published difficulty, or if scores are missing.
        """
        *published, _ = self.columns
        baseline_means = [row.means for row in self.rows if not row.is_clairvoyant and None not in row.means]
        if len(published) < 2 or not self.is_complete or not baseline_means:
            return ""
        differences = {
            name: 100 * fmean(abs((means[-1] or 0) - (means[index] or 0)) for means in baseline_means)
            for index, name in enumerate(published)
        }
        closest = min(differences, key=differences.__getitem__)
        return (
            f"Closest to {closest}: the mean scores of {counted(len(baseline_means), 'baseline,baselines')} differ from "
            f"those on {closest} by {differences[closest]:.1f} points on average."
        )


def measured_table(design: Design, design_settings: dict[str, Any]) -> MeasuredTable:
    """The table of a design with these settings. One query."""
    games = games_of(design, design_settings)
    stored = stored_scores(games)
    columns = (*GENERATION[design.environment].difficulties, design.difficulty)
    scores: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for game in games:
        if (score := stored.get(game.key)) is not None:
            scores[game.baseline, game.column].append((game.recipe.seed, score))
    rows = tuple(
        Row(slug, baseline.title, baseline.clairvoyant, tuple(_mean(scores[slug, column]) for column in columns))
        for slug, baseline in baselines_of(design.environment).items()
    )
    return MeasuredTable(
        design.environment, columns, rows, dict(scores), sum(game.key in stored for game in games), len(games)
    )


def _mean(scores: Sequence[tuple[int, float]]) -> float | None:
    return fmean(score for _, score in scores) if scores else None


claims = Claims(Measurement, [MeasurementState.WAITING], "instances.tasks.measure_next", resting={"stage": ""})


MOST_SECONDS = 600
TOO_LONG = "It took longer than ten minutes. What was played is kept; measure again to go on."


def _fail(claim: Claim, problem: str) -> None:
    claims.finish(claim, state=MeasurementState.FAILED, problem=problem)


def _play_all(claim: Claim) -> None:
    measurement = claims.mine(claim).select_related("design").first()
    if measurement is None:
        raise ClaimLost
    games, began = games_of(measurement.design, measurement.measured), time.monotonic()
    stored = stored_scores(games)
    left_games = [game for game in games if game.key not in stored]
    done = len(games) - len(left_games)
    for recipe, of_recipe in groupby(left_games, key=lambda game: game.recipe):
        left = list(of_recipe)
        where = f"{left[0].column}, seed {recipe.seed}"
        if GENERATION[recipe.environment].reference_is_costly:
            claims.store_progress(claim, done, len(games), stage=f"The optimum of {where}"[:100])
        problem = GENERATION[recipe.environment].drawn(recipe)
        for game in left:
            if time.monotonic() - began > MOST_SECONDS:
                raise JobFailed(TOO_LONG)
            stage = f"{baselines_of(recipe.environment)[game.baseline].title} on {where}"
            claims.store_progress(claim, done, len(games), stage=stage[:100])
            _store(game, _score(problem, game.baseline))
            done += 1
    claims.finish(claim, state=MeasurementState.DONE)


MEASUREMENTS = Job("measurement", claims, _play_all, _fail, advice="Measure a smaller design.")


def _score(problem: Instance, baseline: str) -> float | None:
    environment = ENVIRONMENTS[problem.environment]
    game = play_baseline(baselines_of(problem.environment)[baseline], problem, environment)
    return environment.score(problem, game.outcomes, game.periods).value


def _store(game: BaselineGame, score: float | None) -> None:
    """Store a score.

    Two workers may play the same published game: the first to store it wins, and both scores are equal.
    """
    with write_transaction():
        BaselineScore.objects.get_or_create(
            recipe=game.recipe.hash, baseline=game.baseline, version=settings.VERSION, defaults={"score": score}
        )
