"""Lists of experiments, and the comparison of a finished experiment with its estimate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from operator import and_, or_
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Sum

from accounts.models import Organization
from environments.generation import difficulty_title
from infrastructure.money import NANO, usd
from infrastructure.paging import LIST_PAGE
from infrastructure.text.formats import compact, duration, money, reach
from runs.models import Experiment, Run
from runs.models.runs import NOT_PLAYED
from runs.models.states import STATES_OF, StateGroup
from runs.selectors.cells import environment_name, environments_with, game_name
from runs.selectors.progress import Progress, progress_of
from workspace.discussion.models import Tag
from workspace.discussion.selectors.tags import experiments_tagged, tags_of_experiments

OLD_FILTERS: dict[str, tuple[str, ...]] = {
    "active": (StateGroup.RUNNING, StateGroup.QUEUED),
    "failed": (StateGroup.STOPPED,),
    "done": (StateGroup.STOPPED, StateGroup.FINISHED),
}
"""Filters of older links, each several groups."""
SORTS = {"created": F("created_at"), "name": F("name"), "runs": Count("runs"), "cost": Sum("runs__cost_nano")}


@dataclass(frozen=True)
class ExperimentRow:
    experiment: Experiment
    progress: Progress
    tags: Sequence[Tag] = ()

    @property
    def environments(self) -> str:
        return ", ".join(map(environment_name, self.experiment.spec.get("environments", ())))

    @property
    def difficulties(self) -> str:
        """The difficulties; empty if each environment has only this."""
        spec = self.experiment.spec
        games = product(spec.get("environments", ()), spec.get("difficulties", ()))
        if all(game_name(name, difficulty) == environment_name(name) for name, difficulty in games):
            return ""
        return ", ".join(map(difficulty_title, spec["difficulties"]))

    @property
    def agents(self) -> int:
        return 1 if self.experiment.is_of_episodes else len(self.experiment.spec.get("agents", ()))


def experiment_page(
    *,
    organization: Organization,
    text: str = "",
    state: str = "",
    tag: int | None = None,
    sort: str = "-created",
    page: int | str = 1,
) -> Page[Any]:
    """A page of ExperimentRow, filtered by name, state and tag. sort: a key of SORTS, with '-' for descending"""
    rows = experiments_of(organization=organization, text=text, state=state)
    if tag is not None:
        rows = rows.filter(pk__in=experiments_tagged(organization=organization, tag_id=tag))
    sort = sort if sort.removeprefix("-") in SORTS else "-created"
    rows = rows.annotate(sorted_by=SORTS[sort.removeprefix("-")])
    rows = rows.order_by("-sorted_by" if sort.startswith("-") else "sorted_by", "-id")
    experiments_page: Page[Any] = Paginator(rows, LIST_PAGE).get_page(page)
    listed = list(experiments_page.object_list)
    tags = tags_of_experiments(row.pk for row in listed)
    experiments_page.object_list = [replace(row, tags=tags.get(row.experiment.pk, ())) for row in with_progress(listed)]
    return experiments_page


def experiments_of(*, organization: Organization, text: str = "", state: str = "") -> QuerySet[Experiment]:
    """Experiments with the text in their name, launch or environments, in a StateGroup. Not sorted. No games."""
    rows = Experiment.objects.without_games().filter(organization=organization).select_related("created_by")
    if text:
        named = (Q(spec__icontains=f'"{name}"') for name in environments_with(text))
        rows = rows.filter(reduce(or_, named, Q(name__icontains=text) | Q(spec__icontains=text)))
    groups = OLD_FILTERS.get(state, (state,) if state in StateGroup.values else ())
    return rows.filter(reduce(or_, map(_in_group, groups))) if groups else rows


def _in_group(group: str) -> Q:
    """The experiments whose Progress.state is in the group: the first group of which a needed run is."""
    runs = Run.objects.filter(experiment=OuterRef("pk")).exclude(NOT_PLAYED)
    *earlier, own = (
        Q(Exists(runs.filter(state__in=STATES_OF[key])))
        for key in StateGroup.values[: StateGroup.values.index(group) + 1]
    )
    if group == StateGroup.QUEUED:
        own |= ~Q(Exists(runs))
    return reduce(and_, (~before for before in earlier), own)


def with_progress(experiments: list[Experiment]) -> list[ExperimentRow]:
    progress = progress_of(experiment.pk for experiment in experiments)
    return [ExperimentRow(experiment, progress[experiment.pk]) for experiment in experiments]


MUCH = 2.0
"""From this ratio on, a multiple is shown instead of a percentage."""


def comparisons(experiment: Experiment, progress: Progress) -> list[tuple[str, ...]]:
    """(title, expected, range, actual, difference) as texts, for cost, tokens and time.

    Empty until all runs have finished, and if the launch has no estimate or expected no calls.
    """
    estimated = experiment.estimate
    if not estimated or not estimated["calls"] or progress.finished != progress.total:
        return []
    took = Run.objects.filter(experiment=experiment).aggregate(
        input=Sum("input_tokens"), output=Sum("output_tokens"), first=Min("started_at"), last=Max("ended_at")
    )
    seconds = (took["last"] - took["first"]).total_seconds() if took["first"] and took["last"] else None
    figures: list[tuple[str, dict[str, float] | None, float | None, Any]] = [
        ("Cost", estimated["cost_usd"], usd(experiment.cost_nano), lambda dollars: money(round(dollars * NANO))),
        ("Input tokens", estimated["input_tokens_range"], took["input"], compact),
        ("Output tokens", estimated["output_tokens_range"], took["output"], compact),
        ("Time", estimated["seconds"], seconds, duration),
    ]
    return [
        (
            title,
            written(spread["expected"]),
            reach(written(spread["low"]), written(spread["high"])),
            written(actual),
            off(spread["expected"], actual),
        )
        for title, spread, actual, written in figures
        if spread is not None and actual is not None
    ]


def off(expected: float, actual: float) -> str:
    """The actual figure relative to the expected one: '12 % less', '40 % more', '3.5 times as much', 'as expected'."""
    if not expected:
        return "as expected" if not actual else "more"
    ratio = actual / expected
    percent = round(100 * abs(ratio - 1))
    if not percent:
        return "as expected"
    if ratio >= MUCH:
        return f"{ratio:,.1f} times as much"
    return f"{percent} % {'more' if ratio > 1 else 'less'}"
