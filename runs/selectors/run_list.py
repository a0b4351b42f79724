"""The table of an experiment's runs."""

from __future__ import annotations

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.models import User
from runs.models import Comment, Experiment, Run, Star
from runs.selectors.cells import DIFFICULTIES
from runs.selectors.tags import tags_of_runs

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
    "starred",
    "comment_count",
)


def run_page(
    *, experiment: Experiment, reader: User, text: str = "", state: str = "", sort: str = "instance", page: object = 1
) -> Page:
    """A page of dicts with tags, stars of the reader and numbers of comments, in two queries beside the count.

    `text` looks in agent, environment, difficulty and variant, every word must be found.
    """
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
    found = Paginator(rows.order_by(*order, "agent__name", "id"), PAGE_SIZE).get_page(page)
    listed = list(found.object_list.annotate(**_marks(reader)).values(*COLUMNS))
    tags = tags_of_runs(row["id"] for row in listed)
    found.object_list = [row | {"tags": tags.get(row["id"], [])} for row in listed]
    return found


def _marks(reader: User) -> dict[str, Exists | Coalesce]:
    """Whether the reader starred the run as a whole, and the comments on it and its periods."""
    counted = Comment.objects.filter(run=OuterRef("pk")).order_by().values("run").annotate(n=Count("id")).values("n")
    starred = Star.objects.filter(run=OuterRef("pk"), user=reader, period_index=None)
    return {"starred": Exists(starred), "comment_count": Coalesce(Subquery(counted), 0)}
