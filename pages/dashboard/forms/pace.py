"""The fields for which runs of an organization are played first, and how many at once."""

from django import forms

from runs.models.experiments import MOST_RUNS_AT_ONCE, PRIORITIES, RUNS_AT_ONCE_ERROR, Priority


class PaceForm(forms.Form):
    priority = forms.ChoiceField(
        choices=[(word, priority.label) for word, priority in reversed(PRIORITIES.items())],
        required=False,
        initial=Priority.NORMAL.word,
        help_text="among the experiments of your organization",
    )
    runs_at_once = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_RUNS_AT_ONCE,
        label="Runs at once",
        help_text="the most that are played at the same time; empty for no limit",
        error_messages={
            "invalid": "Runs at once must be a whole number.",
            "min_value": RUNS_AT_ONCE_ERROR,
            "max_value": RUNS_AT_ONCE_ERROR,
        },
    )

    def clean_priority(self) -> str:
        return self.cleaned_data["priority"] or Priority.NORMAL.word
