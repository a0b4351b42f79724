"""News since a person's last visit: finished runs and their most notable results."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Avg, Count, Max, Q, QuerySet

from accounts.models import Organization
from environments.prompts.variants import texts_slug
from environments.registry import BENCHMARKS, RULES_BY_KEY, variant_label
from infrastructure.text.formats import counted
from runs.findings.models import Finding
from runs.models import Run, RunState
from runs.selectors.cells import environment_title
from stats.means import ROUNDING

SHOWN = 5
"""The most experiments with news, the latest first."""
LEAST_PAIRS = 3
"""Instances that two agents must share before their difference is reported."""


@dataclass
class News:
    """The finished runs of one experiment. Each of `sentences` is paired with the query string of its link."""

    experiment_id: int
    name: str
    runs: int
    last: datetime
    sentences: list[tuple[str, str]] = field(default_factory=list)


def news(*, organization: Organization, since: datetime | None) -> list[News]:
    """Experiments with runs that finished since the given time, with at most three sentences each. Four queries."""
    finished = Run.objects.filter(organization=organization, state=RunState.FINISHED, imported=False).order_by()
    new = finished.filter(ended_at__gt=since) if since else finished.filter(ended_at__isnull=False)
    rows = new.values_list("experiment", "experiment__name").annotate(runs=Count("id"), last=Max("ended_at"))
    news_by_experiment = {row[0]: News(*row) for row in rows.order_by("-last")[:SHOWN]}
    if news_by_experiment:
        fresh = new.filter(experiment__in=news_by_experiment)
        for sentences in (_mistakes(fresh), _bests(finished, fresh, since), _differences(finished, news_by_experiment)):
            for experiment, *sentence in sentences:
                news_by_experiment[experiment].sentences.append((sentence[0], sentence[1]))
    return list(news_by_experiment.values())


Sentences = Iterable[tuple[int, str, str]]
"""(experiment id, sentence, query string of the link) for each piece of news."""


def _mistakes(fresh: QuerySet[Run]) -> Sentences:
    """The mistake made by most runs of each experiment."""
    rules = [key for key, rule in RULES_BY_KEY.items() if rule.is_problem]
    rows = Finding.objects.filter(run__in=fresh.values("id"), rule__in=rules).order_by()
    counts = rows.values_list("run__experiment", "rule").annotate(n=Count("run", distinct=True))
    most: dict[int, tuple[int, str]] = {}
    for experiment, rule, number in counts:
        most[experiment] = max(most.get(experiment, (0, "")), (number, rule))
    for experiment, (number, rule) in most.items():
        yield experiment, f"{RULES_BY_KEY[rule].title}: found in {counted(number, 'run,runs')}.", f"?finding={rule}"


def _bests(finished: QuerySet[Run], fresh: QuerySet[Run], since: datetime | None) -> Sentences:
    """The largest improvement of an agent over all its earlier runs under the same conditions."""
    if since is None:
        return
    alike = ("instance__environment", "instance__difficulty", "instance__generator", "variant", "periods")
    agents = fresh.filter(instance__environment__in=BENCHMARKS, score__isnull=False).values("agent")
    rows = (
        finished.filter(agent__in=agents, instance__environment__in=BENCHMARKS)
        .values_list("experiment", "agent__name", *alike)
        .annotate(new=Max("score", filter=Q(ended_at__gt=since)), old=Max("score", filter=Q(ended_at__lte=since)))
    )
    cells: dict[Any, list[tuple[float, float, int]]] = defaultdict(list)
    for experiment, *cell, new, old in rows:
        cells[tuple(cell)].append((-1e9 if new is None else new, -1e9 if old is None else old, experiment))
    steps: dict[int, tuple[float, str]] = {}
    for (agent, environment, difficulty, _, variant, _), seen in cells.items():
        best, _, experiment = max(seen)
        before = max(old for _, old, _ in seen)
        if best - before > steps.get(experiment, (0.0, ""))[0] and before > -1e9:
            cell_name = f"{environment_title(environment)} {difficulty}{_own(environment, variant)}"
            sentence = f"{agent} has a new best score in {cell_name}: {_points(best)}, before {_points(before)}."
            steps[experiment] = (best - before, sentence)
    for experiment, (_, sentence) in steps.items():
        yield experiment, sentence, ""


def _differences(finished: QuerySet[Run], experiments: Collection[int]) -> Sentences:
    """The largest mean difference between two agents over common instances.

    Baselines count only if there are fewer than two models.

    It gives no interval: the largest of many differences is far from zero by chance alone.
    """
    rows = (
        finished.filter(experiment__in=experiments, instance__environment__in=BENCHMARKS, score__isnull=False)
        .values_list("experiment", "instance__environment", "agent__name", "agent__baseline", "variant", "instance")
        .annotate(mean=Avg("score"))
    )
    games: dict[tuple[int, str, str], dict[tuple[str, bool], dict[int, float]]] = defaultdict(dict)
    for experiment, environment, agent, baseline, variant, instance, mean in rows:
        scores = games[experiment, environment, variant].setdefault((agent, bool(baseline)), {})
        scores[instance] = mean
    largest: dict[int, tuple[float, str]] = {}
    for (experiment, environment, variant), agents in games.items():
        models = {key: scores for key, scores in agents.items() if not key[1]}
        pair = _largest([(name, scores) for (name, _), scores in (models if len(models) > 1 else agents).items()])
        if pair and pair.points > largest.get(experiment, (0.0, ""))[0]:
            of_pairs = "" if pair.pairs == 1 else f", the largest of {pair.pairs:,} pairs"
            sentence = (
                f"Largest difference: {pair.better} scores {pair.points:.1f} points more than {pair.worse} in "
                f"{environment_title(environment)}{_own(environment, variant)} "
                f"({counted(pair.instances, 'instance,instances')}{of_pairs})."
            )
            largest[experiment] = pair.points, sentence
    for experiment, (_, sentence) in largest.items():
        yield experiment, sentence, ""


@dataclass(frozen=True)
class _Pair:
    """Two agents, their difference in points, the number of common instances, and the number of pairs examined."""

    better: str
    worse: str
    points: float
    instances: int
    pairs: int


def _largest(agents: Sequence[tuple[str, dict[int, float]]]) -> _Pair | None:
    """The two agents that differ most over at least LEAST_PAIRS common instances; None if no two differ."""
    instances = list({instance for _, scores in agents for instance in scores})
    table = np.array([[100 * scores.get(instance, np.nan) for instance in instances] for _, scores in agents])
    best, pairs = (ROUNDING, "", "", 0), 0
    for index, row in enumerate(table):
        apart = table[index + 1 :] - row
        common = np.count_nonzero(~np.isnan(apart), axis=1)
        for other in np.flatnonzero(common >= LEAST_PAIRS).tolist():
            pairs += 1
            points = float(np.nanmean(apart[other]))
            names = [agents[index + 1 + other][0], agents[index][0]]
            better, worse = names if points > 0 else names[::-1]
            best = max(best, (abs(points), better, worse, int(common[other])))
    points, better, worse, number = best
    return _Pair(better, worse, points, number, pairs) if number else None


def _own(environment: str, variant: str) -> str:
    return f", {variant_label(environment, variant)}" if texts_slug(variant) else ""


def _points(score: float) -> str:
    return f"{100 * score:.1f}".replace("-", "−")
