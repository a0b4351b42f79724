"""Messages about what happened in experiments and runs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string
from django.urls import reverse

from discussion.models import Mention
from discussion.places import Place

logger = logging.getLogger("econevals.mail")


def mail_mentions(mentions: Sequence[Mention], site: str) -> None:
    """Tell people of a comment that names them. `site` is the address of this site, as 'https://evals.example.org'.

    Mail that cannot be sent is only logged: the mention stands on their page in any case.
    """
    if not settings.MAIL_WORKS or not site:
        return
    messages = [_message(mention, site.rstrip("/")) for mention in mentions if mention.user.email]
    try:
        with get_connection() as connection:
            connection.send_messages(messages)
    except (SMTPException, OSError):
        logger.exception("People who were mentioned could not be told by e-mail.")


def _message(mention: Mention, site: str) -> EmailMessage:
    comment = mention.comment
    where = Place(comment.run, comment.period_index).words
    link = site + reverse("runs:mention", args=[mention.pk])
    context = {"comment": comment, "organization": mention.organization, "where": where, "link": link}
    subject = " ".join(f"{comment.shown_author} mentioned you in a comment on {where}".split())
    return EmailMessage(subject, render_to_string("discussion/mention_mail.txt", context), None, [mention.user.email])
