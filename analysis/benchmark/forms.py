"""The filters of the leaderboard, read from the address bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from django import forms
from django.http import QueryDict

from analysis.benchmark.filters import DIFFICULTIES, TableFilter, environment_title, variant_choices
from analysis.benchmark.page import AGENT, OVERALL, Kind
from discussion.models import Tag
from environments.base import PERIODS
from environments.generation import GENERATORS
from environments.registry import BENCHMARKS

ROW_LABELS = {
    Kind.OWN: "Our runs",
    Kind.BASELINE: "Baselines",
    Kind.IMPORTED: "Imported",
    Kind.PUBLISHED: "Published",
}


MAX_ID = 2**62


class TagField(forms.IntegerField):
    """The number of a tag. Which tags there are only the page that shows the field needs to know."""

    def __init__(self) -> None:
        super().__init__(required=False, min_value=1, max_value=MAX_ID, label="Tag", widget=forms.Select())


def offer_tags(form: forms.Form, tags: Iterable[Tag]) -> str:
    """Let people choose among the tags; the name of the chosen one. One that is gone stays chosen, as it still filters."""
    names = {tag.pk: tag.name for tag in tags}
    form.is_valid()
    chosen = form.cleaned_data.get("tag")
    if chosen:
        names.setdefault(chosen, "a tag that is gone")
    form.fields["tag"].widget.choices = [("", "Any tag"), *names.items()]
    return names.get(chosen, "")


def sort_keys() -> list[str]:
    keys = [AGENT, OVERALL, *(f"{e}.{d}" for e in BENCHMARKS for d in DIFFICULTIES)]
    return [*keys, *(f"-{key}" for key in keys)]


def chips(label: str, choices: list[tuple[str, str]]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=choices, required=False, label=label, widget=forms.CheckboxSelectMultiple()
    )


class FilterForm(forms.Form):
    """Every field may be missing: the table then is as by default."""

    environments = chips("Environments", [(name, environment_title(name)) for name in BENCHMARKS])
    difficulties = chips("Difficulties", [(difficulty, difficulty) for difficulty in DIFFICULTIES])
    rows = chips("Sources", [(kind.value, label) for kind, label in ROW_LABELS.items()])
    generator = forms.ChoiceField(choices=list(GENERATORS.items()), required=False, label="Generator")
    variant = forms.ChoiceField(choices=variant_choices, required=False, label="Prompt")
    periods = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Periods")
    agents = chips("Agents", [])
    start = forms.DateField(required=False, label="Launched from", widget=forms.DateInput({"type": "date"}))
    end = forms.DateField(required=False, label="to", widget=forms.DateInput({"type": "date"}))
    tag = TagField()
    sort = forms.ChoiceField(choices=[(key, key) for key in sort_keys()], required=False)
    chart = forms.ChoiceField(choices=[(name, environment_title(name)) for name in BENCHMARKS], required=False)

    def __init__(self, data: QueryDict, lengths: Iterable[int] = (), agents: Iterable[tuple[str, str]] = ()):
        super().__init__(filled(data), auto_id="filter-%s")
        self.fields["agents"].choices = list(agents)
        lengths = sorted({PERIODS, *lengths})
        self.fields["periods"].choices = [(n, f"{n:,} periods") for n in lengths]

    @property
    def chips(self) -> list[forms.BoundField]:
        return [self[name] for name in ("environments", "difficulties", "rows")]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that are seldom changed."""
        return [self[name] for name in ("generator", "variant", "periods", "start", "end", "tag")]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("start") and cleaned.get("end") and cleaned["start"] > cleaned["end"]:
            self.add_error("end", "The last day is before the first.")
        return cleaned

    def table_filter(self) -> TableFilter:
        """The filter asked for; a field with an error, or without a value, is as by default."""
        self.is_valid()
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.cleaned_data.items()
            if value not in (None, "", [])
        }
        return TableFilter(**values)


def filled(data: QueryDict) -> QueryDict:
    """The address's query with the defaults of what it leaves out, so that the form shows what the table shows."""
    data = data.copy()
    for part in fields(TableFilter):
        if not any(data.getlist(part.name)) and part.default not in (None, ""):
            default = part.default
            data.setlist(part.name, [str(value) for value in default] if isinstance(default, tuple) else [str(default)])
    return data
