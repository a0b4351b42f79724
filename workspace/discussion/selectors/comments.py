"""Comments and stars: all annotations of a run page in three queries, and the lists of one person."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page
from django.db.models import Case, Count, F, Max, Q, QuerySet, TextField, Value, When
from django.shortcuts import get_object_or_404
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from accounts.models import Membership, Organization, User
from infrastructure.paging import LIST_PAGE, PageNumber, paged
from infrastructure.text.rendering import render_note
from runs.models import Run
from runs.selectors.experiments import WITHOUT_BULK, run_title
from workspace.discussion.mentions import mark_mentions, plain_text
from workspace.discussion.models import Comment, Mention, Star, Tag, Tagging
from workspace.discussion.subjects import Subject

LATEST_COMMENTS = 3
"""Number of the latest comments that a page shows at first."""


@dataclass(frozen=True)
class Annotations:
    """The tags of a subject, and whether the reader starred it; None for experiments, which cannot be starred."""

    subject: Subject
    tags: list[Tag]
    starred: bool | None = None


@dataclass(frozen=True)
class CommentView:
    """A rendered comment. `may_edit` and `may_delete` are the reader's permissions."""

    id: int
    author: str
    html: SafeString
    created_at: datetime
    edited_at: datetime | None
    may_edit: bool
    may_delete: bool


@dataclass(frozen=True)
class Comments:
    """The comments of a subject, oldest first. `earlier` counts the hidden ones; `version` changes with every edit."""

    subject: Subject
    visible: list[CommentView]
    count: int
    earlier: int
    version: str


@dataclass(frozen=True)
class Discussion:
    """Annotations and comments of a run and of the period that its page shows.

    counts: number of comments by period; the key None is the run itself
    """

    run_annotations: Annotations
    period_annotations: Annotations
    run_comments: Comments
    period_comments: Comments
    counts: Counter[int | None]

    @property
    def commented_periods(self) -> list[tuple[int, int]]:
        """(period, number of comments), sorted by period."""
        return sorted((period, number) for period, number in self.counts.items() if period is not None)


def discussion_of(
    *, run: Run, period: int, reader: Membership, with_run: bool = True, everything: bool = False
) -> Discussion:
    """The discussion on a run page. Without `with_run`, texts and annotations of the run itself are not read."""
    scope = Q(period_index=period) | Q(period_index=None) if with_run else Q(period_index=period)
    tags: dict[int | None, list[Tag]] = {None: [], period: []}
    for tagging in Tagging.objects.filter(scope, run=run).select_related("tag").order_by("tag__key"):
        tags[tagging.period_index].append(tagging.tag)
    starred = set(Star.objects.filter(scope, run=run, user=reader.user_id).values_list("period_index", flat=True))
    text = Case(When(scope, then=F("text")), default=Value(""), output_field=TextField())
    rows = list(_without_texts().filter(run=run).annotate(shown_text=text))
    subjects = Subject(run), Subject(run, period)
    run_annotations, period_annotations = (Annotations(s, tags[s.period], s.period in starred) for s in subjects)
    run_comments, period_comments = (
        _comments(s, [row for row in rows if row.period_index == s.period and row.shown_text], reader, everything)
        for s in subjects
    )
    return Discussion(
        run_annotations, period_annotations, run_comments, period_comments, Counter(row.period_index for row in rows)
    )


def comments_of(*, subject: Subject, reader: Membership, everything: bool = False) -> Comments:
    rows = _without_texts().filter(**subject.fields).annotate(shown_text=F("text"))
    return _comments(subject, list(rows), reader, everything)


def comments_version(subject: Subject) -> str:
    """The version that `comments_of` returns, without reading any text."""
    times = Comment.objects.filter(**subject.fields).aggregate(Count("pk"), Max("created_at"), Max("edited_at"))
    return _version(*times.values())


def comment_view(comment: Comment, reader: Membership, text: str | None = None) -> CommentView:
    """A comment as the reader sees it. `text` replaces a deferred column."""
    own = comment.author_id == reader.user_id
    return CommentView(
        id=comment.pk,
        author=comment.shown_author,
        html=mark_mentions(render_note(comment.text if text is None else text), comment.mentioned).html,
        created_at=comment.created_at,
        edited_at=comment.edited_at,
        may_edit=own,
        may_delete=own or reader.may_manage,
    )


def comment_or_404(*, organization: Organization, comment_id: int) -> Comment:
    rows = Comment.objects.select_related("author", "organization", "run__experiment")
    return get_object_or_404(rows, organization=organization, pk=comment_id, run__deleted_at=None)


def is_early(comment: Comment) -> bool:
    """Whether the page of its subject hides the comment at first."""
    later = Comment.objects.filter(run=comment.run_id, period_index=comment.period_index, pk__gt=comment.pk)
    return later.count() >= LATEST_COMMENTS


def _without_texts() -> QuerySet[Comment]:
    """Comments without their texts, since a page shows only a few of the texts."""
    return Comment.objects.select_related("author").defer("text").order_by("id")


def _comments(subject: Subject, rows: list[Comment], reader: Membership, everything: bool) -> Comments:
    """The comments for a page. rows: must have the annotation `shown_text`"""
    visible_rows = rows if everything else rows[-LATEST_COMMENTS:]
    version = _version(len(rows), *(moment for row in rows for moment in (row.created_at, row.edited_at)))
    views = [comment_view(row, reader, getattr(row, "shown_text", "")) for row in visible_rows]
    return Comments(subject, views, len(rows), len(rows) - len(visible_rows), version)


def _version(rows: int, *times: datetime | None) -> str:
    latest = max(filter(None, times), default=None)
    return f"{rows}.{latest.timestamp() if latest else 0}"


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
    """A mention in a list. `where` names the subject of the comment; `excerpt` is the beginning of its text."""

    mention: Mention
    where: str
    title: str
    excerpt: str


def starred_page(*, organization: Organization, user: User, page: PageNumber = 1) -> Page[StarRow]:
    """A page of a person's stars, latest first."""

    def row(star: Star) -> StarRow:
        return StarRow(star, Subject(star.run, star.period_index), run_title(star.run))

    stars = Star.objects.filter(run__organization=organization, run__deleted_at=None, user=user)
    return paged(join_run(stars, "run"), LIST_PAGE, page, row)


def mention_page(*, organization: Organization, user: User, page: PageNumber = 1) -> Page[MentionRow]:
    """A page of a person's mentions, latest first."""

    def row(mention: Mention) -> MentionRow:
        comment = mention.comment
        return MentionRow(
            mention,
            comment.subject.label,
            run_title(comment.run),
            Truncator(plain_text(render_note(comment.text))).chars(EXCERPT),
        )

    mentions = Mention.objects.filter(NOT_DELETED, organization=organization, user=user).select_related(
        "comment__author"
    )
    return paged(join_run(mentions, "comment__run"), LIST_PAGE, page, row)


def join_run(rows: QuerySet[Any], run: str) -> QuerySet[Any]:
    """The last rows first, joined with the columns that a run's title needs, without the large columns of the run."""
    related = (f"{run}__{name}" for name in ("instance", "agent", "rival", "experiment"))
    return rows.select_related(*related).defer(*(f"{run}__{name}" for name in WITHOUT_BULK)).order_by("-id")


def unread_mentions(*, organization: Organization, user: User) -> int:
    """The number of unread mentions, for the header of every page. One count in a partial index."""
    return Mention.objects.filter(NOT_DELETED, user=user, organization=organization, read_at=None).count()


def mention_or_404(*, memberships: list[Membership], user: User, mention_id: int) -> Mention:
    """A person's mention in any of their organizations, since a link in an e-mail names none."""
    rows = Mention.objects.filter(NOT_DELETED).select_related("comment__run")
    return get_object_or_404(rows, user=user, organization__in=[m.organization_id for m in memberships], pk=mention_id)


def people_to_mention(organization: Organization) -> list[dict[str, str]]:
    """User names and names of the active members, sorted by user name."""
    members = User.objects.filter(memberships__organization=organization, is_active=True).order_by("username")
    return [{"username": user.username, "name": user.get_full_name()} for user in members]
