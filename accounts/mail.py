"""Mails of the site itself. Mails about passwords and addresses are django-allauth's, with our templates."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import Invitation, User
from accounts.outbox import message_queue


def mail_works(request: HttpRequest) -> dict[str, bool]:
    """Context processor: whether this site can send e-mail."""
    return {"mail_works": settings.MAIL_WORKS}


def invitation_link(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[token]))


def mail_invitation(*, invitation: Invitation, link: str, inviter: User) -> None:
    """Queue the mail for a worker. The link appears in the mail only."""
    context = {"invitation": invitation, "link": link, "inviter": inviter}
    text = render_to_string("accounts/invitation_mail.txt", context)
    message_queue(to=invitation.email, subject=f"Invitation to {invitation.organization.name} on EconEvals", text=text)
