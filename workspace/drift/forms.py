"""The form of a watch: the instances that an agent replays, the interval and the budget."""

from typing import Any

from django import forms

from accounts.models import Organization
from environments.registry import BENCHMARKS, ENVIRONMENTS, GENERATION
from runs.launching.fields import launch_field
from runs.launching.plan import LaunchError, LaunchPlan, parse_seeds
from runs.models import Agent
from stats.designs.replays import fewest_instances
from workspace.drift.models import LOOKS, Interval
from workspace.spending.forms import budget_field

DIFFICULTIES = tuple(dict.fromkeys(name for environment in BENCHMARKS for name in GENERATION[environment].difficulties))
FEWEST = " and ".join(f"{fewest_instances(LOOKS[interval])} {interval.label.lower()}" for interval in Interval)


class WatchForm(forms.Form):
    """The form of a watch. Its initial values are four instances of each benchmark."""

    environments = forms.MultipleChoiceField(
        choices=lambda: [(name, ENVIRONMENTS[name].title) for name in BENCHMARKS],
        widget=forms.CheckboxSelectMultiple,
        label="Environments",
        initial=list(BENCHMARKS),
        required=False,
    )
    difficulties = forms.MultipleChoiceField(
        choices=[(name, name) for name in DIFFICULTIES],
        widget=forms.CheckboxSelectMultiple,
        label="Difficulty",
        initial=DIFFICULTIES[:1],
        required=False,
    )
    seeds = forms.CharField(
        max_length=2000,
        initial="0-3",
        required=False,
        help_text=f"such as 0-3; each environment and difficulty has these. A round needs at least {FEWEST}",
    )
    periods = launch_field("periods")
    interval = forms.ChoiceField(choices=Interval.choices, label="How often", initial=Interval.MONTH)
    budget = budget_field("Budget of a round, $", "a dearer round is not launched, and a round pauses at this cap")

    def __init__(self, data: Any = None, *, organization: Organization, agent: Agent):
        super().__init__(data, use_required_attribute=False)
        self.organization, self.agent = organization, agent

    def plan(self) -> LaunchPlan:
        """The plan of every round. Raises LaunchError."""
        cleaned = self.cleaned_data
        return LaunchPlan(
            environments=tuple(cleaned["environments"]),
            difficulties=tuple(cleaned["difficulties"]),
            seeds=parse_seeds(cleaned["seeds"]),
            periods=cleaned["periods"],
            agents=(self.agent,),
        )

    def take_errors(self, error: LaunchError) -> None:
        """Add the plan's errors to the fields that they name."""
        for name, sentence in error.errors.items():
            self.add_error(name if name in self.fields else None, sentence)
