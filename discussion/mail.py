"""E-mails about mentions, queued in the outbox of accounts."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.outbox import message_queue
from discussion.models import Mention
from discussion.subjects import Subject


def mentions_queue(mentions: Iterable[Mention], site: str) -> None:
    """Queue an e-mail for each mention. `site` is the address of this site, such as 'https://evals.example.org'."""
    if not settings.MAIL_WORKS or not site:
        return
    for mention in mentions:
        comment = mention.comment
        where = Subject(comment.run, comment.period_index).words
        link = site.rstrip("/") + reverse("runs:mention", args=[mention.pk])
        context = {"comment": comment, "organization": mention.organization, "where": where, "link": link}
        message_queue(
            to=mention.user.email,
            subject=f"{comment.shown_author} mentioned you in a comment on {where}",
            text=render_to_string("discussion/mention_mail.txt", context),
            member_of=mention.organization,
        )
