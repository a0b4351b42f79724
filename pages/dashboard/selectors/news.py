"""News since a person's last visit: finished runs and their most notable results."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Avg, Count, F, Max, Q, QuerySet

from accounts.models import Organization
from environments.registry import BENCHMARKS, RULES_BY_KEY, is_unusual, variant_label
from infrastructure.text.formats import counted
from runs.findings.models import Finding
from runs.models import Run, RunState
from runs.selectors.cells import environment_title, game_title
from stats.means import ROUNDING

SHOWN = 5
"""The most experiments with news, the latest first."""
LEAST_PAIRS = 3
"""Instances that two agents must share before their difference is reported."""


def news(*, organization: Organization, since: datetime | None) -> list[dict[str, Any]]:
    """Experiments with runs that finished since the given time, with at most three sentences each. Four queries.

    runs, last: number of these runs, and when the last one finished; sentences: each with the query string of its link
    """
    played = Run.objects.without_games().filter(organization=organization, imported=False)
    finished = played.filter(state=RunState.FINISHED).order_by()
    new = finished.filter(ended_at__gt=since) if since else finished.filter(ended_at__isnull=False)
    rows = new.values("experiment_id", name=F("experiment__name")).annotate(runs=Count("id"), last=Max("ended_at"))
    items: dict[int, dict[str, Any]] = {
        row["experiment_id"]: row | {"sentences": []} for row in rows.order_by("-last")[:SHOWN]
    }
    if items:
        fresh = new.filter(experiment__in=items)
        for candidates in (_mistakes(fresh), _bests(finished, fresh, since), _differences(finished, items)):
            largest: dict[int, Candidate] = {}
            for candidate in candidates:
                largest[candidate[0]] = max(largest.get(candidate[0], candidate), candidate, key=itemgetter(1))
            for experiment, _, *sentence in largest.values():
                items[experiment]["sentences"].append(sentence)
    return list(items.values())


Candidate = tuple[int, Any, str, str]
"""(experiment id, size, sentence, query string of the link). The largest of an experiment becomes news."""


def _mistakes(fresh: QuerySet[Run]) -> Iterable[Candidate]:
    """The mistakes in the runs of each experiment, by the number of runs."""
    rules = [key for key, rule in RULES_BY_KEY.items() if rule.is_problem]
    rows = Finding.objects.filter(run__in=fresh.values("id"), rule__in=rules).order_by()
    for experiment, rule, number in rows.values_list("run__experiment", "rule").annotate(n=Count("run", distinct=True)):
        yield (
            experiment,
            (number, rule),
            f"{RULES_BY_KEY[rule].title}: found in {counted(number, 'run,runs')}.",
            f"?finding={rule}",
        )


def _bests(finished: QuerySet[Run], fresh: QuerySet[Run], since: datetime | None) -> Iterable[Candidate]:
    """The improvements of agents over all their earlier runs under the same conditions."""
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
    for (agent, environment, difficulty, _, variant, _), seen in cells.items():
        best, _, experiment = max(seen)
        before = max(old for _, old, _ in seen)
        if best > before > -1e9:
            cell_name = f"{game_title(environment, difficulty)}{_own(environment, variant)}"
            sentence = f"{agent} has a new best score in {cell_name}: {_points(best)}, before {_points(before)}."
            yield experiment, best - before, sentence, ""


def _differences(finished: QuerySet[Run], experiments: Collection[int]) -> Iterable[Candidate]:
    """The largest mean difference between two agents over common instances, for each environment and variant.

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
        games[experiment, environment, variant].setdefault((agent, bool(baseline)), {})[instance] = mean
    for (experiment, environment, variant), agents in games.items():
        models = {key: scores for key, scores in agents.items() if not key[1]}
        named = [(name, scores) for (name, _), scores in (models if len(models) > 1 else agents).items()]
        points, better, worse, instances, pairs = _largest(named)
        if instances:
            of_pairs = "" if pairs == 1 else f", the largest of {pairs:,} pairs"
            sentence = (
                f"Largest difference: {better} scores {points:.1f} points more than {worse} in "
                f"{environment_title(environment)}{_own(environment, variant)} "
                f"({counted(instances, 'instance,instances')}{of_pairs})."
            )
            yield experiment, points, sentence, ""


def _largest(agents: Sequence[tuple[str, dict[int, float]]]) -> tuple[float, str, str, int, int]:
    """The two agents that differ most over at least LEAST_PAIRS common instances.

    (points of the difference, better agent, worse agent, common instances, pairs examined); no instances if no two differ
    """
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
    return *best, pairs


def _own(environment: str, variant: str) -> str:
    return f", {variant_label(environment, variant)}" if is_unusual(environment, variant) else ""


def _points(score: float) -> str:
    return f"{100 * score:.1f}".replace("-", "−")
