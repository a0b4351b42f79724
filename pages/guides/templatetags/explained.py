"""Template tags of all pages: links to the methodology, and the version in the footer."""

from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from pages.guides.collection import anchors
from pages.guides.markup import anchor_of

register = template.Library()


@register.simple_tag(takes_context=True)
def explained(context: dict[str, Any], *parts: object) -> SafeString | str:
    """A small link to the paragraph of the methodology that explains a number.

    The parts form its anchor, such as "pricing-score" or the title of an environment and "score". Nothing is shown if
    there is no such paragraph. A test checks every anchor in the templates. In a frame on another site the link opens
    a new tab.
    """
    anchor = anchor_of(" ".join(str(part) for part in parts))
    title = anchors().get(anchor)
    if title is None:
        return ""
    return format_html(
        '<a class="explained" href="{}#{}"{} aria-label="How it is computed: {}" title="How it is computed">?</a>',
        reverse("guides:methodology"),
        anchor,
        mark_safe(' target="_blank" rel="noopener"') if context.get("embedded") else "",
        title,
    )


@register.simple_tag
def site_version() -> str:
    return str(settings.VERSION)
