"""Lists of one person in an organization: their stars, and the comments that mention them."""

from dataclasses import dataclass

from django.core.paginator import Page
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.text import Truncator

from accounts.models import Membership, Organization, User
from infrastructure.paging import LIST_PAGE, PageNumber, paged
from infrastructure.text.rendering import render_note
from runs.selectors.experiments import WITHOUT_BULK, run_title
from workspace.discussion.mentions import plain_text
from workspace.discussion.models import Mention, Star
from workspace.discussion.subjects import Subject

EXCERPT = 280
NOT_DELETED = Q(comment__run__deleted_at=None)
"""Mentions in comments on runs that are not deleted."""


@dataclass(frozen=True)
class StarRow:
    star: Star
    subject: Subject
    title: str


@dataclass(frozen=True)
class MentionRow:
    """`where` names the subject of the comment; `excerpt` is the beginning of its text."""

    mention: Mention
    where: str
    title: str
    excerpt: str


def starred_page(*, organization: Organization, user: User, page: PageNumber = 1) -> Page[StarRow]:
    """The latest star first."""

    def row(star: Star) -> StarRow:
        return StarRow(star, Subject(star.run, star.period_index), run_title(star.run))

    stars = Star.objects.filter(run__organization=organization, run__deleted_at=None, user=user)
    return paged(_with_run(stars, "run"), LIST_PAGE, page, row)


def mention_page(*, organization: Organization, user: User, page: PageNumber = 1) -> Page[MentionRow]:
    """The latest mention first."""

    def row(mention: Mention) -> MentionRow:
        comment = mention.comment
        where = comment.subject.label
        excerpt = Truncator(plain_text(render_note(comment.text))).chars(EXCERPT)
        return MentionRow(mention, where, run_title(comment.run), excerpt)

    mentions = Mention.objects.filter(NOT_DELETED, organization=organization, user=user).select_related(
        "comment__author"
    )
    return paged(_with_run(mentions, "comment__run"), LIST_PAGE, page, row)


def _with_run(rows: QuerySet[Star] | QuerySet[Mention], run: str) -> QuerySet[Star] | QuerySet[Mention]:
    """Join the columns that the title of a run needs, without its large columns."""
    related = (f"{run}__{name}" for name in ("instance", "agent", "rival", "experiment"))
    return rows.select_related(*related).defer(*(f"{run}__{name}" for name in WITHOUT_BULK)).order_by("-id")


def unread_mentions(*, organization: Organization, user: User) -> int:
    """For the header of every page: one count in a partial index of unread mentions."""
    return Mention.objects.filter(NOT_DELETED, user=user, organization=organization, read_at=None).count()


def mention_or_404(*, memberships: list[Membership], user: User, mention_id: int) -> Mention:
    """A person's mention in any of their organizations: a link in an e-mail does not know which one is open."""
    rows = Mention.objects.filter(NOT_DELETED).select_related("comment__run")
    return get_object_or_404(rows, user=user, organization__in=[m.organization_id for m in memberships], pk=mention_id)


def people_to_mention(organization: Organization) -> list[dict[str, str]]:
    """User names and names of the active members, sorted by user name."""
    members = User.objects.filter(memberships__organization=organization, is_active=True).order_by("username")
    return [{"username": user.username, "name": user.get_full_name()} for user in members]
