"""The fields that ask models at half the price."""

from collections.abc import Callable, Sequence

from django import forms

from environments.registry import SURVEYS
from pages.dashboard.selectors.agents import AgentRow
from runs.launching.checks import has_batches, has_flex
from runs.models import Agent


class HalfPriceForm(forms.Form):
    """agent_rows: the agents that may be chosen"""

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
        """Whether an agent can be asked by batch. A box that is ticked stays in sight, with its error."""
        return self._offers("batch", has_batches)

    @property
    def offers_flex(self) -> bool:
        return self._offers("flex", has_flex)

    def _offers(self, field: str, has: Callable[[Agent], bool]) -> bool:
        return bool(self[field].value()) or any(has(row.agent) for row in self.agent_rows if row.is_offered)
