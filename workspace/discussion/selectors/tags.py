"""Tags of one subject, of many rows and of an organization, and the subjects that carry a tag."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from infrastructure.paging import TABLE_PAGE, PageNumber, paged
from runs.selectors.experiments import run_title
from workspace.discussion.models import Tag, Tagging
from workspace.discussion.selectors.comments import join_run
from workspace.discussion.subjects import Subject

CARRIERS_A_PAGE = 25
MOST_OFFERED = 500
"""Maximum number of tags in a list to choose from."""


@dataclass(frozen=True)
class Carrier:
    """An experiment, run or period with a tag; `part_of` names the experiment of a run or period."""

    title: str
    url: str
    kind: str
    part_of: str
    tagged_at: datetime


def tag_or_404(*, organization: Organization, tag_id: int) -> Tag:
    return get_object_or_404(Tag.objects.select_related("organization"), organization=organization, pk=tag_id)


def tags_of(subject: Subject) -> list[Tag]:
    return list(Tag.objects.filter(pk__in=Tagging.objects.filter(**subject.fields).values("tag")))


def offered_tags(organization: Organization) -> list[Tag]:
    """Tags to choose from, by name."""
    return list(Tag.objects.filter(organization=organization)[:MOST_OFFERED])


def tags_of_experiments(ids: Iterable[int]) -> dict[int, list[Tag]]:
    """Tags by experiment id, in one query."""
    return _tags_by(Tagging.objects.filter(experiment__in=list(ids)), "experiment_id")


def tags_of_runs(ids: Iterable[int]) -> dict[int, list[Tag]]:
    """Tags on whole runs by run id, in one query."""
    return _tags_by(Tagging.objects.filter(run__in=list(ids), period_index=None), "run_id")


def _tags_by(rows: QuerySet[Tagging], column: str) -> dict[int, list[Tag]]:
    tags: dict[int, list[Tag]] = defaultdict(list)
    for row in rows.select_related("tag").order_by("tag__key"):
        tags[getattr(row, column)].append(row.tag)
    return tags


def experiments_tagged(*, organization: Organization, tag_id: int) -> QuerySet[Tagging, Any]:
    """A subquery of the ids of experiments with a tag. It is empty for a tag of another organization."""
    return Tagging.objects.filter(tag=tag_id, tag__organization=organization, experiment__isnull=False).values(
        "experiment"
    )


def runs_tagged(*, organization: Organization, tag_id: int) -> Q:
    """A filter for runs that have the tag, or whose experiment has it. Tags on periods do not count."""
    own = Tagging.objects.filter(tag=tag_id, tag__organization=organization, run__isnull=False, period_index=None)
    return Q(pk__in=own.values("run")) | Q(experiment__in=experiments_tagged(organization=organization, tag_id=tag_id))


def tag_page(*, organization: Organization, text: str = "", page: PageNumber = 1) -> Page[Any]:
    """A page of tags by name, with the numbers of their uses. text: part of the name"""
    rows = Tag.objects.filter(organization=organization, key__contains=text.casefold()).order_by("key")
    return Paginator(with_use(rows), TABLE_PAGE).get_page(page)


def with_use(rows: QuerySet[Tag]) -> QuerySet[Any]:
    """Tags with the numbers of experiments, runs and periods that carry them, and the sum of these as `things`."""
    on_runs = Q(taggings__run__isnull=False, taggings__run__deleted_at=None)
    on_experiments = Q(taggings__experiment__isnull=False, taggings__experiment__deleted_at=None)
    return rows.annotate(
        experiments=Count("taggings", filter=on_experiments),
        runs=Count("taggings", filter=on_runs & Q(taggings__period_index=None)),
        periods=Count("taggings", filter=on_runs & Q(taggings__period_index__isnull=False)),
        things=Count("taggings", filter=on_runs | on_experiments),
    )


def carriers(*, tag: Tag, page: PageNumber = 1) -> Page[Carrier]:
    """A page of the subjects with a tag, the last tagged first."""

    def carrier(row: Tagging) -> Carrier:
        target = row.experiment or row.run
        assert target is not None
        subject = Subject(target, row.period_index)
        if row.run is None:
            return Carrier(subject.label, subject.url, subject.kind, "", row.created_at)
        start = "" if row.period_index is None else f"Period {row.period_index}, "
        return Carrier(
            f"{start}{run_title(row.run)}", subject.url, subject.kind, row.run.experiment.name, row.created_at
        )

    taggings = Tagging.objects.filter(tag=tag, run__deleted_at=None, experiment__deleted_at=None)
    return paged(join_run(taggings.select_related("experiment"), "run"), CARRIERS_A_PAGE, page, carrier)
