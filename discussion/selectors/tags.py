"""Tags: of a place, of many rows at once, the list of all, and what carries one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from discussion.models import Tag, Tagging
from discussion.places import Place
from runs.selectors.runs import WITHOUT_BULK, run_title

PAGE_SIZE = 50
CARRIERS_A_PAGE = 25
MOST_OFFERED = 500
"""Tags that a list to choose from holds at most."""


@dataclass(frozen=True)
class TagUse:
    """A tag and how many experiments, runs and periods carry it."""

    tag: Tag
    experiments: int
    runs: int
    periods: int

    @property
    def things(self) -> int:
        return self.experiments + self.runs + self.periods


@dataclass(frozen=True)
class Carrier:
    """Something that carries a tag; `part_of` names the experiment of a run or a period."""

    title: str
    url: str
    kind: str
    part_of: str
    tagged_at: datetime


def tag_or_404(*, organization: Organization, tag_id: int) -> Tag:
    return get_object_or_404(Tag.objects.select_related("organization"), organization=organization, pk=tag_id)


def tags_of(place: Place) -> list[Tag]:
    return list(Tag.objects.filter(pk__in=Tagging.objects.filter(**place.fields).values("tag")))


def offered_tags(organization: Organization) -> list[Tag]:
    """Tags to choose from, by name."""
    return list(Tag.objects.filter(organization=organization)[:MOST_OFFERED])


def tags_of_experiments(ids: Iterable[int]) -> dict[int, list[Tag]]:
    """By the number of the experiment; one query."""
    return _by(Tagging.objects.filter(experiment__in=list(ids)), "experiment_id")


def tags_of_runs(ids: Iterable[int]) -> dict[int, list[Tag]]:
    """Tags on whole runs by the number of the run; one query."""
    return _by(Tagging.objects.filter(run__in=list(ids), period_index=None), "run_id")


def _by(rows: QuerySet[Tagging], column: str) -> dict[int, list[Tag]]:
    found: dict[int, list[Tag]] = defaultdict(list)
    for row in rows.select_related("tag").order_by("tag__key"):
        found[getattr(row, column)].append(row.tag)
    return found


def experiments_tagged(*, organization: Organization, tag_id: int) -> QuerySet[Tagging]:
    """Numbers of the experiments that carry a tag; a foreign tag is on none."""
    rows = Tagging.objects.filter(tag=tag_id, tag__organization=organization, experiment__isnull=False)
    return rows.values("experiment")


def runs_tagged(*, organization: Organization, tag_id: int) -> Q:
    """A filter of runs: those that carry a tag themselves or whose experiment does; tags of periods do not count."""
    own = Tagging.objects.filter(tag=tag_id, tag__organization=organization, run__isnull=False, period_index=None)
    return Q(pk__in=own.values("run")) | Q(experiment__in=experiments_tagged(organization=organization, tag_id=tag_id))


def tag_page(*, organization: Organization, text: str = "", page: object = 1) -> Page:
    """A page of TagUse by name; `text` is part of the name."""
    rows = _counted(Tag.objects.filter(organization=organization))
    if text:
        rows = rows.filter(key__contains=text.casefold())
    found = Paginator(rows.order_by("key"), PAGE_SIZE).get_page(page)
    found.object_list = [_use(tag) for tag in found.object_list]
    return found


def tag_use(tag: Tag) -> TagUse:
    return _use(_counted(Tag.objects.filter(pk=tag.pk)).get())


def _counted(rows: QuerySet[Tag]) -> QuerySet[Tag]:
    on_runs = Q(taggings__run__isnull=False)
    return rows.annotate(
        on_experiments=Count("taggings", filter=Q(taggings__experiment__isnull=False)),
        on_runs=Count("taggings", filter=on_runs & Q(taggings__period_index=None)),
        on_periods=Count("taggings", filter=on_runs & Q(taggings__period_index__isnull=False)),
    )


def _use(tag: Tag) -> TagUse:
    return TagUse(tag, tag.on_experiments, tag.on_runs, tag.on_periods)


def carriers(*, tag: Tag, page: object = 1) -> Page:
    """A page of Carrier, the last tagged first."""
    related = ("experiment", "run__experiment", "run__instance", "run__agent", "run__rival")
    rows = Tagging.objects.filter(tag=tag).select_related(*related).defer(*(f"run__{name}" for name in WITHOUT_BULK))
    found = Paginator(rows.order_by("-id"), CARRIERS_A_PAGE).get_page(page)
    found.object_list = [_carrier(row) for row in found.object_list]
    return found


def _carrier(row: Tagging) -> Carrier:
    place = Place(row.experiment or row.run, row.period_index)
    if row.run is None:
        return Carrier(row.experiment.name, place.url, place.kind, "", row.created_at)
    start = "" if row.period_index is None else f"Period {row.period_index}, "
    return Carrier(f"{start}{run_title(row.run)}", place.url, place.kind, row.run.experiment.name, row.created_at)
