"""Writes of designs. A design that a run uses is frozen, since its runs are compared as runs of one difficulty."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Organization, User
from environments.base import InvalidSettings
from environments.generation import MOST_SLUG
from environments.registry import GENERATION
from infrastructure.text.slugs import ascii_slug
from infrastructure.transactions import write_transaction
from runs.models import Design
from runs.models.designs import MOST_NAME
from runs.selectors.designs import is_used

FROZEN = "Runs use this design, so it no longer changes. Duplicate it to change the copy."
IN_USE = "Runs use this design, so it stays. Archive it, and launches no longer offer it."
NO_SLUG = "A name needs a letter or a digit."
TAKEN = "Another design has this name, or one that is written alike."


def slug_of(name: str) -> str:
    """'Tight budget, 2' to 'TIGHT-BUDGET-2'."""
    return ascii_slug(name.replace("_", "-"), "design").upper()[:MOST_SLUG].strip("-")


def design_create(
    *, organization: Organization, user: User | None, environment: str, name: str, settings: Mapping[str, Any]
) -> Design:
    """Raises ValidationError for `environment`, `name` and each wrong setting by its own name."""
    if environment not in GENERATION:
        raise ValidationError({"environment": f"There is no environment {environment[:40]!r}."})
    values = _checked(environment, name, settings)
    return _saved(Design(organization=organization, environment=environment, created_by=user, **values))


def design_change(*, design: Design, name: str, settings: Mapping[str, Any]) -> None:
    """Change a design that no run uses. Raises ValidationError, as `design_create` does."""
    values = _checked(design.environment, name, settings)
    with write_transaction():
        _locked(design, FROZEN)
        for field, value in values.items():
            setattr(design, field, value)
        _saved(design)


def design_archive(*, design: Design, archived: bool) -> None:
    """Stop or go on offering the design to launches. Its runs and their instances stay as they are."""
    design.archived_at = timezone.now() if archived else None
    design.save(update_fields=["archived_at"])


def design_delete(*, design: Design) -> None:
    """Delete a design that no run uses. Raises ValidationError."""
    with write_transaction():
        _locked(design, IN_USE)
        design.delete()


def _checked(environment: str, name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a design. Raises ValidationError."""
    errors: dict[str, str] = {}
    name = " ".join(name.split())
    if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
        errors["name"] = f"A name has 1 to {MOST_NAME} characters."
    elif not slug_of(name):
        errors["name"] = NO_SLUG
    try:
        checked = GENERATION[environment].checked(settings)
    except InvalidSettings as error:
        raise ValidationError(errors | error.errors) from None
    if errors:
        raise ValidationError(errors)
    return {"name": name, "slug": slug_of(name), "settings": checked}


def _locked(design: Design, sentence: str) -> None:
    """Raises ValidationError if a run uses the design. No launch can begin to use it until the transaction ends."""
    Design.objects.select_for_update(no_key=True).filter(pk=design.pk).first()
    if is_used(design):
        raise ValidationError(sentence)


def _saved(design: Design) -> Design:
    """The unique constraint decides if two people save the same name at once."""
    try:
        with transaction.atomic():
            design.save()
    except IntegrityError:
        raise ValidationError({"name": TAKEN}) from None
    return design
