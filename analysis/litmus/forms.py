"""The form that reads the filters of the litmus page."""

from __future__ import annotations

from django import forms

from analysis.base.forms import MAX_ID, FilterForm
from analysis.litmus.filters import SCOPES, LitmusFilter
from environments.generation import MAX_SEED


class LitmusForm(FilterForm[LitmusFilter]):
    filter_class = LitmusFilter

    scope = forms.ChoiceField(choices=list(SCOPES.items()), required=False, label="Runs")
    experiment = forms.IntegerField(required=False, min_value=0, max_value=MAX_ID)
    agent = forms.CharField(required=False, max_length=200)
    seed = forms.IntegerField(required=False, min_value=0, max_value=MAX_SEED)
