"""Reads of share links. For members always of one organization; for visitors by the token alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.models import Organization
from analysis.models import Leaderboard
from analysis.saved.selectors import leaderboard_or_404
from runs.models import Experiment, Run
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404
from sharing.models import ShareLink
from sharing.services import title_of, token_hash

PAGE_SIZE = 50
SORTS = {"made": "id", "seen": "last_seen_at", "views": "views", "ends": "expires_at"}
STATES = {"live": "Live", "ended": "Revoked or expired"}
RELATED = ("leaderboard", "experiment", "run__agent", "run__rival", "run__instance", "created_by")
BULKY = tuple(f"run__{name}" for name in ("config", "metrics", "reason")) + tuple(
    f"run__instance__{name}" for name in ("parameters", "hidden", "reference", "settings")
)
ADDRESSES = {"leaderboard": "analysis:board", "experiment": "runs:experiment", "run": "runs:run"}


@dataclass(frozen=True)
class LinkRow:
    link: ShareLink

    @cached_property
    def title(self) -> str:
        return title_of(self.link)

    @property
    def address(self) -> str:
        """The members' page of what it shows."""
        return reverse(ADDRESSES[self.link.target_kind], args=[self.link.target_id])


def link_of(token: str) -> ShareLink | None:
    """The live link of a token. Unknown, revoked and expired ones are all None, by the same query."""
    found = ShareLink.objects.select_related("organization", "leaderboard", "experiment")
    return found.filter(ShareLink.open_now(), token_hash=token_hash(token)).first()


def target_or_404(*, organization: Organization, kind: str, target_id: int) -> Leaderboard | Experiment | Run:
    if kind == "leaderboard":
        return leaderboard_or_404(organization=organization, board_id=target_id)
    if kind == "experiment":
        return experiment_or_404(organization=organization, experiment_id=target_id)
    if kind == "run":
        return run_or_404(organization=organization, run_id=target_id)
    raise Http404("There is nothing of this kind to share.")


def link_or_404(*, organization: Organization, link_id: int) -> ShareLink:
    rows = ShareLink.objects.select_related(*RELATED).defer(*BULKY)
    return get_object_or_404(rows, organization=organization, pk=link_id)


def links_page(*, organization: Organization, state: str = "", sort: str = "-made", page: object = 1) -> Page:
    """A page of LinkRow: all links or those of a key of STATES, sorted by a key of SORTS with '-' for descending."""
    rows = ShareLink.objects.filter(organization=organization)
    if state == "live":
        rows = rows.filter(ShareLink.open_now())
    elif state == "ended":
        rows = rows.exclude(ShareLink.open_now())
    place = F(SORTS.get(sort.removeprefix("-"), "id"))
    descending = sort.startswith("-") or sort not in SORTS
    order = place.desc(nulls_last=True) if descending else place.asc(nulls_last=True)
    rows = rows.select_related(*RELATED).defer(*BULKY).order_by(order, "-id")
    found = Paginator(rows, PAGE_SIZE).get_page(page)
    found.object_list = [LinkRow(link) for link in found.object_list]
    return found


def live_links(target: Leaderboard | Experiment | Run) -> QuerySet[ShareLink]:
    """Newest first; of a run also the links to its figures."""
    rows = ShareLink.objects.filter(ShareLink.open_now(), **{target._meta.model_name: target})
    return rows.select_related("created_by").order_by("-id")


def live_links_to(leaderboard: Leaderboard) -> int:
    return live_links(leaderboard).count()
