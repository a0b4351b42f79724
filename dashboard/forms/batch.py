"""The field that asks surveys by batch."""

from collections.abc import Sequence

from django import forms

from dashboard.selectors.agents import AgentRow
from environments.registry import SURVEYS
from runs.launching.batches import has_batches


class BatchForm(forms.Form):
    """agent_rows: the agents that may be chosen"""

    agent_rows: Sequence[AgentRow]

    batch = forms.BooleanField(
        required=False,
        label="By batch: half price, up to 24 hours",
        help_text="for models at OpenAI's or Anthropic's own address; questions without a valid answer form another batch",
        widget=forms.CheckboxInput({"data-only-for": f"environments {' '.join(SURVEYS)}"}),
    )

    @property
    def offers_batch(self) -> bool:
        """Whether an agent can be asked by batch. A box that is ticked stays in sight, with its error."""
        return bool(self["batch"].value()) or any(has_batches(row.agent) for row in self.agent_rows if row.is_offered)
