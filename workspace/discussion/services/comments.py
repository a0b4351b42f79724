"""Writes of comments and stars."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.outbox import message_queue
from accounts.services.audit import audit_record
from infrastructure.limits import counted
from infrastructure.text.rendering import render_note
from infrastructure.transactions import write_transaction
from workspace.discussion.mentions import mark_mentions
from workspace.discussion.models import Comment, Mention, Star
from workspace.discussion.services import invalid_if
from workspace.discussion.subjects import Subject

MAX_TEXT = 10_000
MOST_ON_A_RUN = 200
"""The most comments of one person on a run and its periods."""

WINDOW, MOST_IN_WINDOW = 600, 30
"""A window in seconds, and how often a person may write or change comments within it."""

TOO_OFTEN = (
    f"You wrote {MOST_IN_WINDOW} comments in {WINDOW // 60} minutes. Wait a few minutes and send this one again."
)
TOO_MANY = f"You have {MOST_ON_A_RUN} comments on this run, which is the most. Change or delete one of them."
NOT_YOURS = "Only its author changes a comment."


@transaction.atomic
def comment_create(*, subject: Subject, author: User, text: str, site: str = "") -> Comment:
    """Comment on a run or a period and notify the members it mentions. Raises ValidationError for the field text.

    `site` is this site's address, such as 'https://evals.example.org', for links in e-mails; without it none are sent.
    """
    text = _clean_text(text)
    _check_rate(author)
    written = Comment.objects.filter(run_id=subject.target.pk, author=author).count()
    invalid_if(written >= MOST_ON_A_RUN, "text", TOO_MANY)
    comment = Comment(
        organization=subject.target.organization,
        author=author,
        author_name=author.shown_name,
        text=text,
        **subject.fields,
    )
    members = _set_mentioned(comment)
    comment.save()
    _notify(comment, members, site)
    return comment


@transaction.atomic
def comment_edit(*, comment: Comment, user: User, text: str, site: str = "") -> None:
    """Change one's own comment and notify newly mentioned members. Raises ValidationError for the field text."""
    if comment.author_id != user.pk:
        raise PermissionDenied(NOT_YOURS)
    text = _clean_text(text)
    if text == comment.text:
        return
    _check_rate(user)
    comment.text, comment.edited_at = text, timezone.now()
    members = _set_mentioned(comment)
    comment.save(update_fields=["text", "edited_at", "mentioned"])
    comment.mentions.exclude(user__in=members).delete()
    _notify(comment, members, site)


@transaction.atomic
def comment_delete(*, comment: Comment, actor: Membership) -> None:
    """Delete one's own comment. An owner may delete any comment, which the audit log records."""
    own = comment.author_id == actor.user_id
    if not (own or actor.may_manage):
        raise PermissionDenied("Only its author or an owner of the organization deletes a comment.")
    if comment.delete()[0] and not own:
        audit_record(
            organization=actor.organization,
            actor=actor.user,
            action=Action.COMMENT_DELETED,
            subject=f"of {comment.shown_author} on {comment.subject.label}",
        )


def _set_mentioned(comment: Comment) -> list[User]:
    """Set `mentioned` to the members that the text mentions, and return them."""
    members: list[User] = []
    if "@" in comment.text:
        users = User.objects.filter(memberships__organization=comment.organization, is_active=True)
        by_name = {user.username: user for user in users}
        members = [by_name[name] for name in mark_mentions(render_note(comment.text), by_name).names]
    comment.mentioned = [user.username for user in members]
    return members


def _notify(comment: Comment, members: list[User], site: str) -> None:
    """Create the missing mentions and queue their e-mails. Authors are not notified of their own comments."""
    notified_ids = set(comment.mentions.values_list("user_id", flat=True)) | {comment.author_id}
    mentions = Mention.objects.bulk_create(
        Mention(organization=comment.organization, comment=comment, user=user)
        for user in members
        if user.pk not in notified_ids
    )
    where = comment.subject.label
    for mention in mentions if settings.MAIL_WORKS and site else ():
        link = site.rstrip("/") + reverse("discussion:mention", args=[mention.pk])
        context = {"comment": comment, "organization": comment.organization, "where": where, "link": link}
        message_queue(
            to=mention.user.email,
            subject=f"{comment.shown_author} mentioned you in a comment on {where}",
            text=render_to_string("workspace/discussion/mention_mail.txt", context),
            member_of=comment.organization,
        )


def _check_rate(user: User) -> None:
    """Check how often the person writes. Raises ValidationError for the field text if too often."""
    invalid_if(counted(f"comments:{user.pk}", WINDOW) > MOST_IN_WINDOW, "text", TOO_OFTEN)


def _clean_text(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\x00", "").strip()
    invalid_if(not text, "text", "Write something first.")
    invalid_if(
        len(text) > MAX_TEXT,
        "text",
        f"A comment has at most {MAX_TEXT:,} characters; this one has {len(text):,}.",
    )
    return text


def star_set(*, subject: Subject, user: User, starred: bool) -> None:
    """Star a run or a period, or remove the star. Repeated and concurrent calls create only one star."""
    with write_transaction():
        if starred:
            Star.objects.bulk_create([Star(user=user, **subject.fields)], ignore_conflicts=True)
        else:
            Star.objects.filter(user=user, **subject.fields).delete()


def mention_read(*, mention: Mention) -> None:
    """Mark a mention as read. The time of the first call is kept."""
    if mention.read_at is None:
        with write_transaction():
            Mention.objects.filter(pk=mention.pk, read_at=None).update(read_at=timezone.now())


def mentions_read(*, organization: Organization, user: User) -> int:
    """Mark all mentions of a person in an organization as read; return how many were unread."""
    with write_transaction():
        return Mention.objects.filter(organization=organization, user=user, read_at=None).update(read_at=timezone.now())
