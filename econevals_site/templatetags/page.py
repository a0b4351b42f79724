"""What the frame of every page needs: icons, the header's figures, the current section."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from lucide.jinja import lucide

from runs.selectors.spending import spent_this_month

register = template.Library()


@register.simple_tag
def icon(name: str, size: int = 16) -> SafeString:
    """A decorative Lucide icon as inline SVG; the text beside it says what it means."""
    return mark_safe(lucide(str(name) + "", size=size, aria_hidden="true"))  # noqa: S308


@register.simple_tag(takes_context=True)
def month_spend(context: dict[str, Any]) -> int | None:
    organization = getattr(context.get("request"), "organization", None)
    return spent_this_month(organization=organization) if organization else None


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], prefix: str) -> SafeString | str:
    """aria-current where the page is in the section at `prefix`."""
    request = context.get("request")
    if request is None:
        return ""
    here = request.path == "/" if prefix == "/" else request.path.startswith(prefix)
    return mark_safe('aria-current="page"') if here else ""  # noqa: S308
