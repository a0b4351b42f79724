"""Means of own runs by instance, under the conditions of the printed numbers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db.models import Avg, Case, F, FloatField, Q, When

from accounts.models import Organization
from analysis.agent_page.history import AgentFilter
from analysis.base.selectors import in_groups, metric_number, minority_groups
from analysis.reproduction.agreement import Key, Reproduction, reproduction_of
from analysis.reproduction.printed import SCORE, Printed, printed_numbers
from runs.catalog import catalog
from runs.launching.plan import paper_periods
from runs.models import Agent, PlayerClass, Run
from runs.selectors.cells import SCORED

OWN_NAMES = {entry["model"]: entry["name"] for entry in catalog()["llms"]}
"""The names that the papers print, by the models' names at their makers."""


class ReproductionFilter(AgentFilter):
    """The conditions are those of the printed numbers, so only agents and an environment can be chosen."""

    PAGE: ClassVar[str] = "analysis:reproduction"


def reproduction_by_filter(organization: Organization, run_filter: ReproductionFilter) -> Reproduction:
    """Own means beside the printed ones. At most four queries."""
    printed = [number for number in printed_numbers() if run_filter.environment in ("", number.environment)]
    agents = _agents_by_name(organization, run_filter, printed)
    comparable = [number for number in printed if not number.other and number.name in agents]
    return reproduction_of(printed, agents, _values(organization, agents, comparable) if comparable else {})


def _agents_by_name(
    organization: Organization, run_filter: ReproductionFilter, printed: Iterable[Printed]
) -> dict[str, list[tuple[int, str]]]:
    """(id, name) of the agents of each printed name: a baseline by its slug, a model by its name or that of its maker."""
    by_baseline = {number.baseline: set[str]() for number in printed if number.baseline}
    for number in printed:
        if number.baseline:
            by_baseline[number.baseline].add(number.name)
    names = {number.name for number in printed if not number.baseline}
    rows = Agent.objects.filter(organization=organization, player_class=PlayerClass.SITE)
    if run_filter.agents:
        rows = rows.filter(slug__in=run_filter.agents)
    agents: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for pk, name, model, baseline in rows.order_by("name").values_list("pk", "name", "model", "baseline"):
        own = by_baseline.get(baseline, ()) if baseline else {name, OWN_NAMES.get(model, name)} & names
        for printed_name in sorted(own):
            agents[printed_name].append((pk, name))
    return dict(agents)


def _values(
    organization: Organization, agents: dict[str, list[tuple[int, str]]], printed: Sequence[Printed]
) -> dict[Key, dict[int, float]]:
    """The mean of each measure by agent and instance. Each metric is read only where a number is printed for it."""
    ids = {number.name: [pk for pk, _ in agents[number.name]] for number in printed}
    conditions = {(number.environment, number.difficulty, variant) for number in printed for variant in number.variants}
    fitting = reduce(or_, (Q(periods=paper_periods(cell[0], cell[2])) & _cell(*cell) for cell in sorted(conditions)))
    runs = Run.objects.filter(
        fitting,
        Q(rival=None) | Q(rival=F("agent")),
        organization=organization,
        instance__generator="published",
        agent__in={pk for of_name in ids.values() for pk in of_name},
    )
    where: dict[str, Q] = defaultdict(Q)
    for number in printed:
        for variant in number.variants if number.measure != SCORE else ():
            cell = _cell(number.environment, number.difficulty, variant)
            where[number.measure] |= cell & Q(agent__in=ids[number.name])
    metrics = {f"metric_{index}": measure for index, measure in enumerate(where)}
    cells = ("agent_id", "instance__environment", "instance__difficulty", "variant")
    rows: Iterable[Any] = (
        runs.exclude(in_groups(minority_groups(organization, runs)))
        .filter(SCORED)
        .order_by()
        .values(*cells, "instance_id")
        .annotate(
            mean=Avg("score"),
            **{
                name: Avg(Case(When(where[measure], then=metric_number(measure)), output_field=FloatField()))
                for name, measure in metrics.items()
            },
        )
    )
    values: dict[Key, dict[int, float]] = defaultdict(dict)
    for row in rows:
        for name, measure in {"mean": SCORE, **metrics}.items():
            if row[name] is not None:
                values[(*(row[cell] for cell in cells), measure)][row["instance_id"]] = row[name]
    return values


def _cell(environment: str, difficulty: str, variant: str) -> Q:
    return Q(instance__environment=environment, instance__difficulty=difficulty, variant=variant)
