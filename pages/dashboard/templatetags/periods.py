"""What happened in a period, in the words of the run page, for pages of other packages."""

from django import template

from games.presenter import PageSection
from games.registry import parts_of
from runs.models import Instance, Period

register = template.Library()


@register.simple_tag
def happened(instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
    """Action and feedback of a period; nothing until the optimum of the instance is known."""
    if instance.reference is None:
        return []
    return parts_of(instance.environment).presenter.happened(instance, period, before)
