"""What one person finds in an organization: their stars, and the comments that mention them."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.text import Truncator

from accounts.models import Membership, Organization, User
from discussion.mentions import plain_text
from discussion.models import Mention, Star
from discussion.places import Place
from infrastructure.text.rendering import render_note
from runs.selectors.runs import WITHOUT_BULK, run_title

PAGE_SIZE = 25
EXCERPT = 280


@dataclass(frozen=True)
class StarRow:
    star: Star
    place: Place
    title: str


@dataclass(frozen=True)
class MentionRow:
    """`where` says what the comment is on, `excerpt` is its beginning as plain text."""

    mention: Mention
    where: str
    title: str
    excerpt: str


def starred_page(*, organization: Organization, user: User, page: object = 1) -> Page:
    """A page of StarRow, the latest star first."""
    rows = Star.objects.filter(run__organization=organization, user=user)
    found = Paginator(_with_run(rows, "run").order_by("-id"), PAGE_SIZE).get_page(page)
    found.object_list = [
        StarRow(star, Place(star.run, star.period_index), run_title(star.run)) for star in found.object_list
    ]
    return found


def mention_page(*, organization: Organization, user: User, page: object = 1) -> Page:
    """A page of MentionRow, the latest first."""
    rows = Mention.objects.filter(organization=organization, user=user)
    rows = _with_run(rows, "comment__run").select_related("comment__author").order_by("-id")
    found = Paginator(rows, PAGE_SIZE).get_page(page)
    found.object_list = [_mention(row) for row in found.object_list]
    return found


def _mention(row: Mention) -> MentionRow:
    comment = row.comment
    where = Place(comment.run, comment.period_index).words
    excerpt = Truncator(plain_text(render_note(comment.text))).chars(EXCERPT)
    return MentionRow(row, where, run_title(comment.run), excerpt)


def _with_run(rows: QuerySet, run: str) -> QuerySet:
    """With what the title of a run takes, and without what would be heavy."""
    related = (f"{run}__{name}" for name in ("instance", "agent", "rival", "experiment"))
    return rows.select_related(*related).defer(*(f"{run}__{name}" for name in WITHOUT_BULK))


def unread_mentions(*, organization: Organization, user: User) -> int:
    """For the header of every page: one count over an index that holds unread mentions only."""
    return Mention.objects.filter(user=user, organization=organization, read_at=None).count()


def mention_or_404(*, memberships: list[Membership], user: User, mention_id: int) -> Mention:
    """A person's own mention in any of their organizations, since links in e-mails do not know which one is open."""
    rows = Mention.objects.select_related("comment__run")
    return get_object_or_404(rows, user=user, organization__in=[m.organization_id for m in memberships], pk=mention_id)


def people_to_mention(organization: Organization) -> list[dict[str, str]]:
    """User names of the members with their names, in the order of the user names."""
    members = User.objects.filter(memberships__organization=organization, is_active=True).order_by("username")
    return [{"username": user.username, "name": user.get_full_name()} for user in members]
