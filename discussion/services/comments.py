from __future__ import annotations

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services import audit_record
from discussion.mail import mail_mentions
from discussion.mentions import mark_mentions
from discussion.models import Comment, Mention
from discussion.places import Place
from infrastructure.text.rendering import render_note

MAX_TEXT = 10_000
NOT_YOURS = "Only its author changes a comment."


@transaction.atomic
def comment_create(*, place: Place, author: User, text: str, site: str = "") -> Comment:
    """Comment on a run or a period and tell the members it names. Raises ValidationError for the field text.

    `site` is this site's address, for the links in e-mails; without one none are sent.
    """
    comment = Comment(
        organization=place.thing.organization,
        author=author,
        author_name=author.shown_name,
        text=_text(text),
        **place.fields,
    )
    named = _named(comment.organization, comment.text)
    comment.mentioned = [user.username for user in named]
    comment.save()
    _tell(comment, named, site)
    return comment


@transaction.atomic
def comment_edit(*, comment: Comment, user: User, text: str, site: str = "") -> None:
    """Change one's own comment; who is named only now is told. Raises ValidationError for the field text."""
    if comment.author_id != user.pk:
        raise PermissionDenied(NOT_YOURS)
    text = _text(text)
    if text == comment.text:
        return
    named = _named(comment.organization, text)
    comment.text, comment.edited_at = text, timezone.now()
    comment.mentioned = [user.username for user in named]
    comment.save(update_fields=["text", "edited_at", "mentioned"])
    comment.mentions.exclude(user__in=named).delete()
    _tell(comment, named, site)


@transaction.atomic
def comment_delete(*, comment: Comment, actor: Membership) -> None:
    """Delete one's own comment or, as an owner, anybody's, which the audit log then tells."""
    own = comment.author_id == actor.user_id
    if not (own or actor.may_manage):
        raise PermissionDenied("Only its author or an owner of the organization deletes a comment.")
    where = Place(comment.run, comment.period_index).words
    if comment.delete()[0] and not own:
        audit_record(
            organization=actor.organization,
            actor=actor.user,
            action=Action.COMMENT_DELETED,
            subject=f"of {comment.shown_author} on {where}",
        )


def _tell(comment: Comment, named: list[User], site: str) -> None:
    """Make the mentions that there are not yet. Nobody is told of a comment of their own."""
    known = set(comment.mentions.values_list("user_id", flat=True)) | {comment.author_id}
    new = [
        Mention(organization=comment.organization, comment=comment, user=user) for user in named if user.pk not in known
    ]
    if new:
        Mention.objects.bulk_create(new)
        transaction.on_commit(lambda: mail_mentions(new, site), robust=True)


def _named(organization: Organization, text: str) -> list[User]:
    """The members that a text mentions."""
    if "@" not in text:
        return []
    members = User.objects.filter(memberships__organization=organization, is_active=True)
    by_name = {user.username: user for user in members}
    return [by_name[name] for name in mark_mentions(render_note(text), by_name).names]


def _text(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if not text:
        raise ValidationError({"text": "Write something first."})
    if len(text) > MAX_TEXT:
        raise ValidationError({"text": f"A comment has at most {MAX_TEXT:,} characters; this one has {len(text):,}."})
    return text
