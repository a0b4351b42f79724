"""The table of an experiment's runs."""

from __future__ import annotations

from django.core.paginator import Page, Paginator
from django.db.models import Case, F, IntegerField, Q, Value, When

from runs.models import Experiment, Run
from runs.selectors.cells import DIFFICULTIES

PAGE_SIZE = 50
LEVEL = Case(
    *(When(instance__difficulty=name, then=Value(place)) for place, name in enumerate(DIFFICULTIES)),
    default=Value(len(DIFFICULTIES)),
    output_field=IntegerField(),
)
SORTS = {
    "agent": ("agent__name",),
    "instance": ("instance__environment", "level", "instance__seed"),
    "state": ("state",),
    "score": ("score",),
    "periods": ("periods_played",),
    "calls": ("queries",),
    "tokens": ("input_tokens",),
    "cost": ("cost_nano",),
}
COLUMNS = (
    "id",
    "agent__name",
    "variant",
    "instance__environment",
    "instance__difficulty",
    "instance__seed",
    "state",
    "pause_cause",
    "reason",
    "score",
    "solved",
    "periods",
    "periods_played",
    "queries",
    "input_tokens",
    "output_tokens",
    "cost_nano",
)


def run_page(
    *, experiment: Experiment, text: str = "", state: str = "", sort: str = "instance", page: object = 1
) -> Page:
    """A page of dicts; `text` looks in agent, environment, difficulty and variant, every word must be found."""
    rows = Run.objects.filter(experiment=experiment).alias(level=LEVEL)
    for word in text.split()[:8]:
        found = Q(agent__name__icontains=word) | Q(variant__icontains=word)
        found |= Q(instance__environment__icontains=word) | Q(instance__difficulty__icontains=word)
        if word.isdecimal() and len(word) < 10:
            found |= Q(instance__seed=int(word))
        rows = rows.filter(found)
    if state:
        rows = rows.filter(state=state)
    columns = SORTS.get(sort.removeprefix("-"), SORTS["instance"])
    down = sort.startswith("-")
    order = [F(c).desc(nulls_last=True) if down else F(c).asc(nulls_last=True) for c in columns]
    return Paginator(rows.order_by(*order, "agent__name", "id").values(*COLUMNS), PAGE_SIZE).get_page(page)
