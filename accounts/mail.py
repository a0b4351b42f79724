"""Messages of our own; those about passwords and addresses are django-allauth's, with our words."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import Invitation, User

logger = logging.getLogger("econevals.signing_in")


def mail_works(request: HttpRequest) -> dict[str, bool]:
    """For templates, of which some are rendered by django-allauth's views: whether this site can send e-mail."""
    return {"mail_works": settings.MAIL_WORKS}


def invitation_link(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[token]))


def mail_invitation(*, invitation: Invitation, link: str, inviter: User) -> bool:
    """Whether it went out; otherwise the owner hands the link over."""
    if not settings.MAIL_WORKS:
        return False
    context = {"invitation": invitation, "link": link, "inviter": inviter}
    text = render_to_string("accounts/invitation_mail.txt", context)
    subject = " ".join(f"Invitation to {invitation.organization.name} on EconEvals".split())
    try:
        send_mail(subject, text, None, [invitation.email])
    except (SMTPException, OSError):
        logger.exception("An invitation could not be sent.")
        return False
    return True
