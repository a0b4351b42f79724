from __future__ import annotations

import secrets

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record


def owner_create(*, username: str, email: str) -> tuple[User, str]:
    """A user with a generated password, which is returned once and stored only as a hash."""
    password = secrets.token_urlsafe(12)
    return User.objects.create_user(username, email, password), password


def person_rename(*, user: User, full_name: str) -> None:
    """Raises ValidationError for the field full_name."""
    full_name = " ".join(full_name.split())
    if len(full_name) > 150 or not full_name.isprintable():
        raise ValidationError({"full_name": "A name has at most 150 characters."})
    user.first_name, _, user.last_name = full_name.partition(" ")
    user.save(update_fields=["first_name", "last_name"])


def person_sign_out_everywhere(*, user: User) -> None:
    """End every session of the person. The caller keeps its own with update_session_auth_hash."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])


@transaction.atomic
def person_note_failed_sign_ins(*, user: User, failures: int) -> None:
    """Record failed log-ins in the audit log of every organization of the person."""
    for organization in Organization.objects.filter(memberships__user=user):
        audit_record(
            organization=organization,
            actor=None,
            action=Action.SIGN_IN_FAILED,
            subject=f"{user.shown_name} ({user.email}): {failures} in a row",
        )
