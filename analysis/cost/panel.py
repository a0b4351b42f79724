"""Scores against costs as a small panel of other pages."""

from typing import NamedTuple

from django.urls import reverse

from accounts.models import Organization
from environments.registry import BENCHMARKS
from runs.models import Run, RunState

HEIGHT, SMALL_HEIGHT = 340, 280
"""Pixels of the chart, and of the chart that highlights one agent."""


class CostPanel(NamedTuple):
    """address: of the answer; figure: address of its data; height: pixels that the page keeps free for it"""

    address: str
    figure: str
    height: int


def cost_panel(*, organization: Organization) -> CostPanel | None:
    """The panel of the home page; None without a finished run that cost something. One query."""
    paid = Run.objects.filter(
        organization=organization, state=RunState.FINISHED, cost_nano__gt=0, instance__environment__in=BENCHMARKS
    )
    if not paid.exists():
        return None
    return CostPanel(reverse("analysis:cost"), reverse("analysis:figure-cost"), HEIGHT)
