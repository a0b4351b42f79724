"""Tags, stars and comments of a run and of one of its periods, in three queries however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, F, Max, Q, TextField, Value, When
from django.shortcuts import get_object_or_404
from django.utils.safestring import SafeString

from accounts.models import Membership, Organization
from discussion.mentions import mark_mentions
from discussion.models import Comment, Star, Tag, Tagging
from discussion.places import Place
from infrastructure.text.rendering import render_note
from runs.models import Run

SHOWN = 15
"""Comments of a place that are shown at first, the latest ones."""


@dataclass(frozen=True)
class Marks:
    """The tags of a place, and whether the reader starred it; None where nothing can be starred."""

    place: Place
    tags: list[Tag]
    starred: bool | None = None


@dataclass(frozen=True)
class CommentView:
    """`may_edit` and `may_delete` say what the reader may do with it."""

    id: int
    author: str
    html: SafeString
    created_at: datetime
    edited_at: datetime | None
    may_edit: bool
    may_delete: bool


@dataclass(frozen=True)
class Comments:
    """The comments of a place, oldest first; `earlier` counts those left out, `version` changes with any of them."""

    place: Place
    shown: list[CommentView]
    count: int
    earlier: int
    version: str


@dataclass(frozen=True)
class Talk:
    """Of a run, and of the period that is open. `counts` are numbers of comments by period; None is the run."""

    run_marks: Marks
    period_marks: Marks
    run_comments: Comments
    period_comments: Comments
    counts: Counter[int | None]

    @property
    def commented_periods(self) -> list[tuple[int, int]]:
        """(period, comments), in the order of the periods."""
        return sorted((period, number) for period, number in self.counts.items() if period is not None)


def talk_of(*, run: Run, period: int, reader: Membership, with_run: bool = True, everything: bool = False) -> Talk:
    """Without `with_run` what is about the run as a whole is left out, for where only the period is shown."""
    here = Q(period_index=period) | Q(period_index=None) if with_run else Q(period_index=period)
    tags: dict[int | None, list[Tag]] = {None: [], period: []}
    for row in Tagging.objects.filter(here, run=run).select_related("tag").order_by("tag__key"):
        tags[row.period_index].append(row.tag)
    starred = set(Star.objects.filter(here, run=run, user=reader.user_id).values_list("period_index", flat=True))
    text = Case(When(here, then=F("text")), default=Value(""), output_field=TextField())
    rows = list(_comments().filter(run=run).annotate(shown_text=text))
    places = Place(run), Place(run, period)
    run_marks, period_marks = (Marks(p, tags[p.period], p.period in starred) for p in places)
    run_comments, period_comments = (
        _of(p, [row for row in rows if row.period_index == p.period and row.shown_text], reader, everything)
        for p in places
    )
    counts = Counter(row.period_index for row in rows)
    return Talk(run_marks, period_marks, run_comments, period_comments, counts)


def comments_of(*, place: Place, reader: Membership, everything: bool = False) -> Comments:
    return _of(place, list(_comments().filter(**place.fields).annotate(shown_text=F("text"))), reader, everything)


def comments_version(place: Place) -> str:
    """The version that `comments_of` gives, without reading a text."""
    times = Comment.objects.filter(**place.fields).aggregate(
        rows=Count("pk"), made=Max("created_at"), edited=Max("edited_at")
    )
    return _version(times["rows"], [times["made"], times["edited"]])


def comment_view(comment: Comment, reader: Membership) -> CommentView:
    return _view(comment, comment.text, reader)


def comment_or_404(*, organization: Organization, comment_id: int) -> Comment:
    rows = Comment.objects.select_related("author", "organization", "run__experiment")
    return get_object_or_404(rows, organization=organization, pk=comment_id)


def is_early(comment: Comment) -> bool:
    """Whether a page of its place leaves it out at first."""
    later = Comment.objects.filter(run=comment.run_id, period_index=comment.period_index, pk__gt=comment.pk)
    return later.count() >= SHOWN


def _comments():
    """Without texts, of which a page shows few."""
    return Comment.objects.select_related("author").defer("text").order_by("id")


def _of(place: Place, rows: list[Comment], reader: Membership, everything: bool) -> Comments:
    shown = rows if everything else rows[-SHOWN:]
    version = _version(len(rows), [moment for row in rows for moment in (row.created_at, row.edited_at)])
    views = [_view(row, row.shown_text, reader) for row in shown]
    return Comments(place, views, len(rows), len(rows) - len(shown), version)


def _version(rows: int, times: Iterable[datetime | None]) -> str:
    latest = max((moment for moment in times if moment), default=None)
    return f"{rows}.{latest.timestamp() if latest else 0}"


def _view(comment: Comment, text: str, reader: Membership) -> CommentView:
    own = comment.author_id == reader.user_id
    return CommentView(
        id=comment.pk,
        author=comment.shown_author,
        html=mark_mentions(render_note(text), comment.mentioned).html,
        created_at=comment.created_at,
        edited_at=comment.edited_at,
        may_edit=own,
        may_delete=own or reader.may_manage,
    )
