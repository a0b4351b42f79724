"""Lists of experiments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from accounts.models import Organization
from discussion.models import Tag
from discussion.selectors.tags import experiments_tagged, tags_of_experiments
from infrastructure.paging import LIST_PAGE
from runs.models import Experiment, Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE
from runs.selectors.experiments import environments_of
from runs.selectors.progress import Progress, progress_of

STATE_FILTERS = {
    "active": ("Running or queued", ACTIVE),
    "paused": ("Paused", (RunState.PAUSED,)),
    "failed": ("With failed runs", RETRYABLE),
    "done": ("Ended", ()),
}
SORTS = {"created": "created_at", "name": "name", "runs": "run_count", "cost": "cost"}


@dataclass(frozen=True)
class ExperimentRow:
    experiment: Experiment
    progress: Progress
    tags: tuple[Tag, ...] = ()

    @property
    def environments(self) -> str:
        return environments_of(self.experiment)

    @property
    def difficulties(self) -> str:
        return ", ".join(self.experiment.spec.get("difficulties", ()))

    @property
    def agents(self) -> int:
        return len(self.experiment.spec.get("agents", ()))


def experiment_page(
    *,
    organization: Organization,
    text: str = "",
    state: str = "",
    tag: int | None = None,
    sort: str = "-created",
    page: int | str = 1,
) -> Page[Any]:
    """A page of ExperimentRow, filtered by name, state and tag, sorted by a key of SORTS with '-' for descending."""
    rows = experiments_of(organization=organization, text=text, state=state)
    if tag is not None:
        rows = rows.filter(pk__in=experiments_tagged(organization=organization, tag_id=tag))
    found: Page[Any] = Paginator(_sorted(rows, sort), LIST_PAGE).get_page(page)
    listed = list(found.object_list)
    tags = tags_of_experiments(row.pk for row in listed)
    found.object_list = [replace(row, tags=tuple(tags.get(row.experiment.pk, ()))) for row in with_progress(listed)]
    return found


def experiments_of(*, organization: Organization, text: str = "", state: str = "") -> QuerySet[Experiment]:
    """Experiments with a text in their name or launch, in a state of STATE_FILTERS; unordered."""
    rows = Experiment.objects.filter(organization=organization).select_related("created_by")
    if text:
        rows = rows.filter(Q(name__icontains=text) | Q(spec__icontains=text))
    return _in_state(rows, state)


def with_progress(experiments: list[Experiment]) -> list[ExperimentRow]:
    progress = progress_of(experiment.pk for experiment in experiments)
    return [ExperimentRow(experiment, progress[experiment.pk]) for experiment in experiments]


def _in_state(rows: QuerySet[Experiment], state: str) -> QuerySet[Experiment]:
    runs = Run.objects.filter(experiment=OuterRef("pk"))
    if state == "done":
        return rows.exclude(Exists(runs.filter(state__in=(*ACTIVE, RunState.PAUSED))))
    if state in STATE_FILTERS:
        return rows.filter(Exists(runs.filter(state__in=STATE_FILTERS[state][1])))
    return rows


def _sorted(rows: QuerySet[Experiment], sort: str) -> QuerySet[Experiment]:
    key = sort.removeprefix("-")
    if key == "runs":
        rows = rows.annotate(run_count=Count("runs"))
    if key == "cost":
        rows = rows.annotate(cost=Sum("runs__cost_nano"))
    column = SORTS.get(key, "created_at")
    descending = sort.startswith("-") or key not in SORTS
    return rows.order_by(f"-{column}" if descending else column, "-id")
