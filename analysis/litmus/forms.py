"""The filters of the litmus page, read from the address bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from django import forms
from django.http import QueryDict

from analysis.benchmark.forms import MAX_ID, ROW_LABELS, TagField, chips
from analysis.litmus.filters import SCOPES, LitmusFilter, sort_keys
from environments.generation import GENERATORS, MAX_SEED


class LitmusForm(forms.Form):
    """Every field may be missing: the page then is as by default."""

    rows = chips("Sources", [(kind.value, label) for kind, label in ROW_LABELS.items()])
    generator = forms.ChoiceField(choices=list(GENERATORS.items()), required=False, label="Generator")
    scope = forms.ChoiceField(choices=list(SCOPES.items()), required=False, label="Runs")
    start = forms.DateField(required=False, label="Launched from", widget=forms.DateInput({"type": "date"}))
    end = forms.DateField(required=False, label="to", widget=forms.DateInput({"type": "date"}))
    tag = TagField()
    agents = chips("Agents", [])
    experiment = forms.IntegerField(required=False, min_value=0, max_value=MAX_ID)
    sort = forms.ChoiceField(choices=[(key, key) for key in sort_keys()], required=False)
    agent = forms.CharField(required=False, max_length=200)
    seed = forms.IntegerField(required=False, min_value=0, max_value=MAX_SEED)

    def __init__(self, data: QueryDict, agents: Iterable[tuple[str, str]] = ()):
        super().__init__(_filled(data), auto_id="filter-%s")
        self.fields["agents"].choices = list(agents)

    @property
    def chips(self) -> list[forms.BoundField]:
        return [self["rows"]]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that are seldom changed."""
        return [self[name] for name in ("generator", "scope", "start", "end", "tag")]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("start") and cleaned.get("end") and cleaned["start"] > cleaned["end"]:
            self.add_error("end", "The last day is before the first.")
        return cleaned

    def litmus_filter(self) -> LitmusFilter:
        """The filter asked for; a field with an error, or without a value, is as by default."""
        self.is_valid()
        return LitmusFilter(
            **{
                name: tuple(value) if isinstance(value, list) else value
                for name, value in self.cleaned_data.items()
                if value not in (None, "", [])
            }
        )


def _filled(data: QueryDict) -> QueryDict:
    data = data.copy()
    for part in fields(LitmusFilter):
        if not any(data.getlist(part.name)) and part.name in ("rows", "generator", "scope"):
            default = part.default
            data.setlist(part.name, list(map(str, default)) if isinstance(default, tuple) else [str(default)])
    return data
