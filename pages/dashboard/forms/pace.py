"""Form fields for the priority of runs, the number played at once, and play at half the price."""

from collections.abc import Callable, Sequence

from django import forms

from environments.registry import SURVEYS
from pages.dashboard.selectors.agents import AgentRow
from runs.launching.checks import has_batches, has_flex
from runs.models import Agent
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


class HalfPriceForm(forms.Form):
    """The choice to play at half the price. agent_rows: the agents that may be chosen"""

    agent_rows: Sequence[AgentRow]

    batch = forms.BooleanField(
        required=False,
        label="By batch: half price, up to 24 hours",
        help_text="for models at OpenAI's or Anthropic's own address; questions without a valid answer form another batch",
        widget=forms.CheckboxInput({"data-only-for": f"environments {' '.join(SURVEYS)}"}),
    )
    flex = forms.BooleanField(
        required=False,
        label="By flex: half price, slower",
        help_text="for models at OpenAI's own address that have this service tier; a call without room waits",
    )

    @property
    def offers_batch(self) -> bool:
        """Whether to show the box: it is ticked, or a batch is possible for some agent."""
        return self._offers("batch", has_batches)

    @property
    def offers_flex(self) -> bool:
        return self._offers("flex", has_flex)

    def _offers(self, field: str, has: Callable[[Agent], bool]) -> bool:
        return bool(self[field].value()) or any(has(row.agent) for row in self.agent_rows if row.is_offered)
