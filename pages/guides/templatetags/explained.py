"""Template tags of all pages: terms that open their definition, and the version in the footer."""

from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from pages.guides.collection import address_of_definition, definitions
from pages.guides.markup import anchor_of

register = template.Library()


# The formatter of templates would take a name that begins with "end" for the end of an HTML block.
@register.simple_block_tag(takes_context=True, end_name="explained_end")
def explained(context: dict[str, Any], content: SafeString, *parts: object) -> SafeString:
    """The term of the content as a link to its definition in the methodology. A script opens it beside the term.

    The parts form the anchor of the definition, such as "pricing-score" or the title of an environment and "score".
    The term is no link if there is no such definition, and in a report, which is read offline. Without a content the
    link is a small mark, for headings that are links themselves. A test checks every anchor in the templates. In a
    frame on another site the link opens a new tab.
    """
    term = content.strip()
    anchor = anchor_of(" ".join(str(part) for part in parts))
    if anchor not in definitions() or context.get("is_report"):
        return mark_safe(term)  # noqa: S308
    target = mark_safe(' target="_blank" rel="noopener"') if context.get("embedded") else ""
    address = address_of_definition(anchor)
    if term:
        return format_html('<a class="term" href="{}"{}>{}</a>', address, target, mark_safe(term))  # noqa: S308
    title = definitions()[anchor][0].title
    return format_html('<a class="explained" href="{}"{} aria-label="Definition: {}">?</a>', address, target, title)


@register.simple_tag
def site_version() -> str:
    return str(settings.VERSION)
