"""The form of a new season, which only site operators see."""

from django import forms
from django.utils import timezone

from environments.registry import BENCHMARKS, ENVIRONMENTS, GENERATION
from pages.play.forms import NUMBER
from runs.episodes.services.seasons import MOST_INSTANCES

SEALABLE = [name for name, generation in GENERATION.items() if generation.can_be_sealed]
LEVELS = list(dict.fromkeys(level for name in SEALABLE for level in GENERATION[name].difficulties))
MOMENT = {"invalid": "A moment such as 2026-12-31 18:00."}


class SeasonForm(forms.Form):
    """The form of a season. Its fields are the arguments of `season_create`, which checks whether they fit together."""

    name = forms.CharField(max_length=100)
    environments = forms.MultipleChoiceField(
        choices=[(name, ENVIRONMENTS[name].title) for name in SEALABLE],
        initial=[name for name in SEALABLE if name in BENCHMARKS],
        label="Games",
        widget=forms.CheckboxSelectMultiple,
    )
    difficulties = forms.MultipleChoiceField(
        choices=[(level, level) for level in LEVELS],
        initial=list(GENERATION[BENCHMARKS[0]].difficulties),
        widget=forms.CheckboxSelectMultiple,
    )
    instances = forms.IntegerField(
        min_value=1,
        max_value=MOST_INSTANCES,
        initial=1,
        label="Instances of each kind",
        error_messages=NUMBER,
        help_text="a kind is a game at a difficulty; an entry plays all of them",
    )
    entries = forms.IntegerField(
        min_value=1, max_value=100, initial=3, label="Entries of an organization", error_messages=NUMBER
    )
    opens_at = forms.DateTimeField(
        required=False,
        label="Opens at (UTC)",
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages=MOMENT,
        help_text="empty for now",
    )
    closes_at = forms.DateTimeField(
        label="Closes at (UTC)",
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages=MOMENT,
        help_text="the announced end, at which the season is revealed at the latest",
    )

    def __init__(self, data: object = None):
        super().__init__(data, use_required_attribute=False)  # type: ignore[arg-type]

    def clean_opens_at(self) -> object:
        return self.cleaned_data["opens_at"] or timezone.now()
