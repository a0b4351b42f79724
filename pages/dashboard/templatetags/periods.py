"""Template tag for pages of other packages: the events of a period, worded as on the run page."""

from django import template

from games.presenter import PageSection
from games.registry import parts_of
from runs.models import Instance, Period

register = template.Library()


@register.simple_tag
def happened(instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
    """Action and feedback of a period; empty until the optimum of the instance is known."""
    if instance.reference is None:
        return []
    return parts_of(instance.environment).presenter.happened(instance, period, before)
