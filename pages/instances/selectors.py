"""Database reads of instances, always within one organization."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Page
from django.db.models import Case, Count, FloatField, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Concat
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.generation import DESIGN, GENERATORS, is_design
from environments.registry import BENCHMARKS, ENVIRONMENTS, GENERATION, variant_label, variant_with
from infrastructure import claims
from infrastructure.paging import TABLE_PAGE, PageNumber, paged
from pages.dashboard.selectors.lists import order_of, with_words
from pages.instances.models import Measurement
from runs.models import Design, Instance, Run, RunState
from runs.models.instances import SEALED
from runs.selectors.cells import DIFFICULTIES, environments_with
from runs.selectors.designs import designs

SORTS = {
    "number": ("id",),
    "instance": ("environment", "level", "difficulty", "seed"),
    "runs": ("run_count",),
    "best": ("best",),
}
LEVEL = Case(
    *(When(difficulty=name, then=Value(rank)) for rank, name in enumerate(DIFFICULTIES)),
    default=Value(len(DIFFICULTIES)),
)
IS_SEALED = Q(content_hash__startswith=SEALED)
COLUMNS = (
    "id",
    "environment",
    "difficulty",
    "seed",
    "generator",
    "settings",
    "sealed",
    "run_count",
    "best",
    "created_at",
)


EXACT = ("environment", "difficulty", "generator")
FILTERS = ("text", *EXACT)


def _has_word(word: str) -> Q:
    """Whether an instance has a word in its names, or as its seed unless it is sealed."""
    condition = Q(environment__in=environments_with(word)) | Q(difficulty__icontains=word)
    return condition | Q(seed=int(word)) & ~IS_SEALED if word.isdecimal() and len(word) < 11 else condition


def instance_list(
    *, organization: Organization, filters: Mapping[str, str], sort: str, page: PageNumber
) -> tuple[Page[Any], int]:
    """A page of instances as dicts, and the number of all instances. Two queries, three with filters.

    A sealed instance shows neither its seed nor its runs, and is sorted as if it had none.

    filters: values of FILTERS; empty ones do not filter. Every word of the text must match.
    """
    runs = Run.objects.filter(instance=OuterRef("pk")).order_by().values("instance")
    finished = runs.filter(state=RunState.FINISHED, instance__environment__in=BENCHMARKS)
    whole = Instance.objects.filter(organization=organization)
    rows = with_words(
        whole.filter(**{name: filters[name] for name in EXACT if filters[name]}), filters["text"], _has_word
    ).annotate(
        level=LEVEL,
        sealed=Case(When(IS_SEALED, then=Value(1)), default=Value(0), output_field=IntegerField()),
        run_count=_unless_sealed(Coalesce(Subquery(runs.annotate(n=Count("id")).values("n")), 0), IntegerField()),
        best=_unless_sealed(Subquery(finished.annotate(top=Max("score")).values("top")), FloatField()),
    )
    listed: Page[Any] = paged(
        rows.order_by(*order_of(sort, SORTS, "number"), "id").values(*COLUMNS),
        TABLE_PAGE,
        page,
        lambda row: (
            row
            | {"drawn": GENERATORS.get(row["generator"], ""), "world": world_of(row["environment"], row["settings"])}
        ),
    )
    return listed, whole.count() if any(filters.values()) else listed.paginator.count


def world_of(environment: str, settings: Mapping[str, Any]) -> str:
    """The variant that has an instance for its own, in words; empty for all other instances."""
    variant = variant_with(environment, settings)
    return "" if variant == "main" else variant_label(environment, variant)


def _unless_sealed(expression: Any, kind: Any) -> Case:
    return Case(When(IS_SEALED, then=Value(None)), default=expression, output_field=kind)


def difficulties_of(*, organization: Organization) -> list[str]:
    """The difficulties of the organization's instances, with the published ones first. One query."""
    return sorted(
        Instance.objects.filter(organization=organization).order_by().values_list("difficulty", flat=True).distinct(),
        key=lambda name: ([*DIFFICULTIES, name].index(name), name),
    )


def instance_or_404(*, organization: Organization, instance_id: int) -> Instance:
    """An instance of an environment that still exists. If no worker has generated it yet, it is generated in memory."""
    row = get_object_or_404(
        Instance.objects.filter(organization=organization, environment__in=ENVIRONMENTS), pk=instance_id
    )
    generation = GENERATION[row.environment]
    if row.reference is None and not row.is_sealed and not generation.reference_is_costly:
        row.reference = generation.reference(row.as_problem()) or None
    return row


def design_list(
    *, organization: Organization, text: str = "", environment: str = "", which: str = ""
) -> QuerySet[Design]:
    """Designs by name, with their number of runs. which: 'archived', 'all', or else the designs that launches offer"""
    rows = designs(organization=organization).select_related("created_by")
    if which != "all":
        rows = rows.filter(archived_at__isnull=which != "archived")
    if environment:
        rows = rows.filter(environment=environment)
    rows = with_words(rows, text, lambda word: Q(name__icontains=word) | Q(slug__icontains=word))
    counts = (
        Run.objects.filter(
            organization=OuterRef("organization"),
            instance__environment=OuterRef("environment"),
            instance__difficulty=Concat(Value(DESIGN), OuterRef("slug")),
        )
        .order_by()
        .values("organization")
        .annotate(n=Count("id"))
        .values("n")
    )
    return rows.annotate(run_count=Coalesce(Subquery(counts), 0))


def setting_texts(environment: str, values: Mapping[str, Any]) -> list[str]:
    """The settings as texts, such as 'Products: 6' and 'Nests: 2'."""
    labels = {setting.name: setting.label for setting in GENERATION[environment].settings}
    return [
        f"{labels.get(name) or name.replace('_', ' ').capitalize()}: {value:,.12g}"
        for name, value in GENERATION[environment].ordered(values).items()
    ]


def measurement_of(design: Design) -> Measurement | None:
    return Measurement.objects.filter(design=design).select_related("design", "created_by").first()


def waiting_reason(measurement: Measurement) -> str:
    """Why a measurement does not make progress, as a sentence; empty if it does."""
    return claims.waiting_reason(measurement, "measurement", "measurements") if measurement.is_working else ""


def measurement_version(measurement: Measurement) -> str:
    """A text that changes with everything that the page shows of a running measurement."""
    numbers = (measurement.done, measurement.fence, len(waiting_reason(measurement)))
    return ".".join(map(str, (measurement.state, measurement.stage, *numbers))).replace(" ", "-")


def design_of(instance: Instance) -> Design | None:
    """The design of the instance's difficulty; None for other difficulties, and if the design was deleted."""
    if not is_design(instance.difficulty):
        return None
    return Design.objects.filter(
        organization=instance.organization_id, slug=instance.difficulty.removeprefix(DESIGN)
    ).first()
