"""The form for the order in which an experiment's runs are played, and how many at once."""

from django import forms

from runs.launching.fields import launch_field


class PaceForm(forms.Form):
    priority = launch_field("priority")
    runs_at_once = launch_field("runs_at_once")
