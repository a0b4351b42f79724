"""Template tag for pages of other packages: the events of a period, worded as on the run page."""

from django import template

from pages.dashboard.selectors.runs.periods import happened

register = template.Library()
register.simple_tag(happened)
