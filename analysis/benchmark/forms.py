"""The form that reads the filters of the benchmark table."""

from __future__ import annotations

from django import forms

from analysis.base.forms import FilterForm, chips
from analysis.benchmark.filters import DIFFICULTIES, TableFilter, environment_title, variant_choices
from environments.registry import BENCHMARKS


class BenchmarkForm(FilterForm[TableFilter]):
    filter_class = TableFilter

    environments = chips("Environments", [(name, environment_title(name)) for name in BENCHMARKS])
    difficulties = chips("Difficulties", [(difficulty, difficulty) for difficulty in DIFFICULTIES])
    variant = forms.ChoiceField(choices=variant_choices, required=False, label="Prompt")
    periods = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Periods")
    chart = forms.ChoiceField(choices=[(name, environment_title(name)) for name in BENCHMARKS], required=False)
