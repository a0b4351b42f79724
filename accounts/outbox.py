"""The outbox: every e-mail of the site is queued as a Notice in the database and sent by a worker.

No request waits for a mail server, and no response time shows whether an account exists. A failed message is tried again
for a day. Messages are encrypted, because they hold links with secrets and the rows get into backups.
"""

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.core.mail import send_mail
from django.db.models import F
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone

from accounts import hooks
from accounts.models import Membership, Notice, Organization, User
from accounts.secrets import KeyUnreadable, seal_text, unseal_text
from accounts.selectors import person_of_address
from accounts.services.people import person_keep_address, person_note_failed_sign_ins
from accounts.sign_in.reset_links import mailed_links, reset_link
from infrastructure.processes.lookout import Lookout

logger = logging.getLogger("econevals.mail")

RETRY_AFTER = timedelta(minutes=5)
"""Time until a message is tried again if sending failed or the sending process died."""

GIVEN_UP_AFTER = timedelta(days=1)
"""Age at which a message is deleted, because its links have expired. This includes messages that were never tried, as
when no worker ran or a backup was restored."""

AT_ONCE = 20


def mail_works(request: HttpRequest) -> dict[str, bool]:
    """Context processor that tells templates whether this site can send e-mail."""
    return {"mail_works": settings.MAIL_WORKS}


def message_queue(*, to: str, subject: str, text: str, member_of: Organization | None = None) -> None:
    """Queue an e-mail. With `member_of` it is dropped if the address belongs to no member at the time of sending."""
    if settings.MAIL_WORKS and to:
        # Without line breaks, so that a name in the subject cannot add headers.
        content: dict[str, Any] = {"subject": " ".join(subject.split()), "text": text}
        _queue(Notice.Kind.MESSAGE, recipient=to, organization=member_of and member_of.pk, **content)


def reset_queue(*, email: str, site: str) -> None:
    """Queue a mail with a link to reset a password. Unknown addresses cause the same work, so timing tells nothing.

    site: start of the link, such as https://evals.example.org
    """
    if settings.MAIL_WORKS:
        _queue(Notice.Kind.PASSWORD_RESET, recipient=email, site=site.rstrip("/"))


def failed_log_ins_queue(*, person: User | None, failures: int) -> None:
    """Queue a note of failed log-ins for the audit log. Unknown accounts (`person` is None) cause the same work."""
    # The typed name is not stored, because it may be a password.
    _queue(Notice.Kind.FAILED_LOG_INS, person=person.pk if person else None, failures=failures)


def notices_send() -> int:
    """Send the notices that are due; return the number sent."""
    due = Notice.objects.filter(due_at__lte=timezone.now()).order_by("due_at", "id")
    return sum(_send(pk) for pk in list(due.values_list("id", flat=True)[:AT_ONCE]))


def _look() -> None:
    notices_send()
    for queue_messages in hooks.messages_queueing:
        queue_messages()


sender = Lookout("The outbox", _look)


@worker_ready.connect
def _begin(**kwargs: object) -> None:
    sender.start()


def _queue(kind: Notice.Kind, *, recipient: str = "", **content: Any) -> None:
    Notice.objects.create(kind=kind, recipient=recipient, sealed=seal_text(json.dumps(content)))


def _send(pk: int) -> bool:
    if not Notice.objects.filter(pk=pk, due_at__lte=timezone.now()).update(
        due_at=timezone.now() + RETRY_AFTER, attempts=F("attempts") + 1
    ):
        return False
    notice = Notice.objects.get(pk=pk)
    if timezone.now() - notice.created_at > GIVEN_UP_AFTER:
        logger.error("A message (%s) could not be sent for a day and is given up.", notice.kind)
        notice.delete()
        return False
    try:
        SENDERS[notice.kind](notice.recipient, **json.loads(unseal_text(notice.sealed)))
    except KeyUnreadable:
        logger.error("A message (%s) is lost: its secret is gone from ECONEVALS_KEY_SECRETS.", notice.kind)
    except Exception:  # every kind, because one message must not hold up the others
        logger.exception("A message (%s) could not be sent; it is tried again.", notice.kind)
        return False
    notice.delete()
    return True


def _message(recipient: str, subject: str, text: str, organization: int | None = None) -> None:
    members = Membership.objects.filter(organization=organization, user__email=recipient, user__is_active=True)
    if organization is None or members.exists():
        send_mail(subject, text, None, [recipient])


def _password_reset(recipient: str, site: str) -> None:
    user = person_of_address(recipient)
    if user is None or not user.is_active:
        return
    person_keep_address(user=user)
    context = {"user": user, "username": user.username, "password_reset_url": reset_link(site, user, mailed_links)}
    subject, text = (
        render_to_string(f"account/email/password_reset_key_{part}.txt", context).strip()
        for part in ("subject", "message")
    )
    _message(user.email, subject, text)


def _failed_log_ins(recipient: str, person: int | None, failures: int) -> None:
    if person and (user := User.objects.filter(pk=person).first()):
        person_note_failed_sign_ins(user=user, failures=failures)


SENDERS: dict[str, Callable[..., None]] = {
    Notice.Kind.MESSAGE: _message,
    Notice.Kind.PASSWORD_RESET: _password_reset,
    Notice.Kind.FAILED_LOG_INS: _failed_log_ins,
}
