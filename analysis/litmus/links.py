"""Addresses that a litmus table for members links to."""

from __future__ import annotations

from django.urls import reverse

from analysis.base.filters import BoardFilter
from analysis.base.links import BoardLinks, page_links
from analysis.litmus.filters import LitmusFilter


def litmus_links(chosen: LitmusFilter, base: BoardFilter | None = None) -> BoardLinks:
    """`base` is the filter of a saved leaderboard."""
    whole = chosen.query()
    return page_links(chosen, base, figure=lambda name: f"{reverse(f'analysis:litmus-{name}')}?{whole}")
