"""Reads of share links. Members read links of one organization; visitors find a link by its token alone."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.models import Membership, Organization, Role
from accounts.secrets import token_hash
from infrastructure.paging import TABLE_PAGE
from infrastructure.text.formats import counted
from sharing.kinds import KINDS, name_of, title_of
from sharing.models import ShareLink, Target

SORTS = {"made": "id", "seen": "last_seen_at", "views": "views", "ends": "expires_at"}
STATES = {"live": "Live", "ended": "Revoked or expired"}
RELATED = ("leaderboard", "experiment", "run__agent", "run__rival", "run__instance", "notesanalysis", "created_by")
BULKY = (
    *(f"run__{name}" for name in ("config", "metrics", "reason")),
    *(f"run__instance__{name}" for name in ("parameters", "hidden", "reference", "settings")),
    *(f"notesanalysis__{name}" for name in ("result", "labels")),
)


@dataclass(frozen=True)
class LinkRow:
    link: ShareLink

    @cached_property
    def title(self) -> str:
        return title_of(self.link)

    @property
    def address(self) -> str:
        """The address of the members' page of the thing that the link shows."""
        return reverse(KINDS[self.link.target_kind].page, args=[self.link.target_id])


def link_of(token: str) -> ShareLink | None:
    """Return the live link of a token, joined with the thing that it shows.

    Returns None for unknown, revoked and expired links. One query serves all cases, so timing does not tell them apart.
    """
    links = ShareLink.objects.select_related("organization", *RELATED[:-1], "run__experiment")
    return links.filter(ShareLink.target_exists(), ShareLink.open_now(), token_hash=token_hash(token)).first()


def link_or_404(*, organization: Organization, link_id: int) -> ShareLink:
    rows = ShareLink.objects.filter(ShareLink.target_exists()).select_related(*RELATED).defer(*BULKY)
    return get_object_or_404(rows, organization=organization, pk=link_id)


def links_page(
    *, organization: Organization, state: str = "", sort: str = "-made", page: str | None = None
) -> Page[Any]:
    """Return a page of LinkRow.

    state: a key of STATES; empty for all links
    sort: a key of SORTS; a minus in front means descending
    """
    rows = ShareLink.objects.filter(ShareLink.target_exists(), organization=organization)
    if state == "live":
        rows = rows.filter(ShareLink.open_now())
    elif state == "ended":
        rows = rows.exclude(ShareLink.open_now())
    column = F(SORTS.get(sort.removeprefix("-"), "id"))
    descending = sort.startswith("-") or sort not in SORTS
    order = column.desc(nulls_last=True) if descending else column.asc(nulls_last=True)
    rows = rows.select_related(*RELATED).defer(*BULKY).order_by(order, "-id")
    row_page: Page[Any] = Paginator(rows, TABLE_PAGE).get_page(page)
    row_page.object_list = [LinkRow(link) for link in row_page.object_list]
    return row_page


def links_by_maker(organization: Organization) -> dict[int, list[str]]:
    """Return, by user id of each owner, a description of their live links. A listener of accounts.hooks.made_by_members.

    Links of editors are left out, because they stay when the editor leaves. Owners can see and revoke each of them.
    """
    owners = Membership.objects.filter(organization=organization, role=Role.OWNER).values("user")
    rows = ShareLink.objects.filter(ShareLink.open_now(), organization=organization, created_by__in=owners)
    counts = dict(rows.values_list("created_by").annotate(Count("id")).order_by())
    return {user_id: [f"{counted(number, 'share link,share links')} (revoked)"] for user_id, number in counts.items()}


def live_links(target: Target) -> QuerySet[ShareLink]:
    """Return the live links to the target and its figures, newest first."""
    rows = ShareLink.objects.filter(ShareLink.open_now(), **{name_of(target): target})
    return rows.select_related("created_by").order_by("-id")
