"""Write operations for designs and own prompts.

A design that a run uses is frozen, because its runs are compared as runs of one difficulty.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record
from agents.tools import storable
from environments.base import InvalidSettings
from environments.generation import MOST_SLUG
from environments.prompts.own import text_errors
from environments.registry import ENVIRONMENTS, GENERATION, variant_names
from infrastructure.text.slugs import ascii_slug
from infrastructure.transactions import write_transaction
from runs.models import Design, PromptVariant, Run
from runs.models.instances import MOST_NAME
from runs.saving import save_unique, set_values
from runs.selectors.designs import is_used

FROZEN = "Runs use this design, so it no longer changes. Duplicate it to change the copy."
IN_USE = "Runs use this design, so it stays. Archive it, and launches no longer offer it."
TAKEN = "Another design has this name, or one that is written alike."


def slug_of(name: str) -> str:
    """The slug of a name: 'Tight budget, 2' gives 'TIGHT-BUDGET-2'."""
    return ascii_slug(name.replace("_", "-"), "design").upper()[:MOST_SLUG].strip("-")


def design_create(
    *, organization: Organization, user: User | None, environment: str, name: str, settings: Mapping[str, Any]
) -> Design:
    """Create a design. Raises ValidationError for `environment`, `name` and each wrong setting by its own name."""
    if environment not in GENERATION:
        raise ValidationError({"environment": f"There is no environment {environment[:40]!r}."})
    values = _checked(environment, name, settings)
    design = Design(organization=organization, environment=environment, created_by=user, **values)
    save_unique(design, {"name": TAKEN})
    return design


def design_change(*, design: Design, name: str, settings: Mapping[str, Any]) -> None:
    """Change a design that no run uses. Raises ValidationError, as `design_create` does."""
    values = _checked(design.environment, name, settings)
    with write_transaction():
        _locked(design, FROZEN)
        set_values(design, values)
        save_unique(design, {"name": TAKEN})


def design_archive(*, design: Design, archived: bool) -> None:
    """Archive a design, so that launches no longer offer it, or restore it. Its runs and their instances stay."""
    design.archived_at = timezone.now() if archived else None
    design.save(update_fields=["archived_at"])


def design_delete(*, design: Design) -> None:
    """Delete a design that no run uses. Raises ValidationError."""
    with write_transaction():
        _locked(design, IN_USE)
        design.delete()


def _checked(environment: str, name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Check a design and return its columns. Raises ValidationError."""
    errors: dict[str, str] = {}
    name = " ".join(name.split())
    if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
        errors["name"] = f"A name has 1 to {MOST_NAME} characters."
    elif not slug_of(name):
        errors["name"] = "A name needs a letter or a digit."
    try:
        checked = GENERATION[environment].checked(settings)
    except InvalidSettings as error:
        raise ValidationError(errors | error.errors) from None
    if errors:
        raise ValidationError(errors)
    return {"name": name, "slug": slug_of(name), "settings": checked}


def _locked(design: Design, sentence: str) -> None:
    """Lock the design, so that no launch can begin to use it. Raises ValidationError if a run uses it."""
    Design.objects.select_for_update(no_key=True).filter(pk=design.pk).first()
    if is_used(design):
        raise ValidationError(sentence)


MOST_PROMPT_NAME, MOST_PROMPT_SLUG = 100, 30
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
RESERVED = {"paper", "published", *variant_names()}
"""Reserved slugs: a name such as 'main+published' would look like a variant of the paper."""

USED = "Runs have used this prompt, so it stays as it is. Duplicate it to change the copy."
GONE = "This prompt does not exist any more. What you wrote is below; save it as a new prompt."


def prompt_create(
    *,
    organization: Organization,
    user: User | None,
    environment: str,
    base: str,
    slug: str,
    name: str,
    texts: Mapping[str, str],
) -> PromptVariant:
    """Create an own prompt variant. Missing texts are copied from the built-in variant.

    Raises ValidationError with a sentence for each wrong field; a text's field is 'texts.NAME'.
    """
    if environment not in ENVIRONMENTS:
        raise ValidationError({"environment": f"There is no environment {environment[:60]!r}."})
    if base not in ENVIRONMENTS[environment].variants:
        variants = ", ".join(ENVIRONMENTS[environment].variants)
        raise ValidationError({"base": f"There is no built-in variant {base[:60]!r} here; there are {variants}."})
    made = PromptVariant(organization=organization, environment=environment, base=base, created_by=user)
    _fill(made, slug, name, ENVIRONMENTS[environment].prompt_set.texts(base) | dict(texts))
    with write_transaction():
        _save(made, user, Action.PROMPT_SAVED)
    return made


def prompt_change(
    *, prompt: PromptVariant, user: User | None, slug: str, name: str, texts: Mapping[str, str]
) -> PromptVariant:
    """Change an own variant that no run has used. Raises ValidationError as `prompt_create`."""
    with write_transaction():
        row = _unused(prompt)
        built_in = ENVIRONMENTS[row.environment].prompt_set.texts(row.base)
        _fill(row, slug, name, {key: row.texts.get(key, text) for key, text in built_in.items()} | dict(texts))
        _save(row, user, Action.PROMPT_CHANGED)
    return row


def prompt_archive(*, prompt: PromptVariant, archived: bool) -> None:
    """Hide an own variant from launches, or offer it again. Its runs and their scores stay."""
    prompt.archived_at = timezone.now() if archived else None
    prompt.save(update_fields=["archived_at"])


def prompt_delete(*, prompt: PromptVariant, user: User | None) -> None:
    """Delete an own variant that no run has used. Raises ValidationError."""
    with write_transaction():
        row = _unused(prompt)
        _record(row, user, Action.PROMPT_DELETED)
        row.delete()


def _unused(prompt: PromptVariant) -> PromptVariant:
    """The row, locked so that no launch can begin to use it. Raises ValidationError if it is used or deleted."""
    row = PromptVariant.objects.select_for_update(no_key=True).filter(pk=prompt.pk).first()
    if row is None:
        raise ValidationError(GONE)
    # Runs that were deleted within a day count, because the deletion can be undone.
    if Run.with_deleted.filter(prompts=row).exists():
        raise ValidationError(USED)
    return row


def _fill(row: PromptVariant, slug: str, name: str, texts: Mapping[str, str]) -> None:
    """Set the fields of the row. Raises ValidationError."""
    row.slug, row.name = slug.strip(), " ".join(storable(name).split())
    row.texts = {key: storable(text).replace("\r\n", "\n").strip() for key, text in texts.items()}
    errors: dict[str, str] = {}
    if not SLUG.fullmatch(row.slug) or len(row.slug) > MOST_PROMPT_SLUG:
        errors["slug"] = f"A slug has 1 to {MOST_PROMPT_SLUG} small letters, digits and hyphens, such as concise-2."
    elif row.slug in RESERVED:
        errors["slug"] = f"{row.slug} is reserved, because {row.variant} would pass for a prompt of the paper."
    if not 1 <= len(row.name) <= MOST_PROMPT_NAME or not row.name.isprintable():
        errors["name"] = f"A name has 1 to {MOST_PROMPT_NAME} characters."
    prompts = ENVIRONMENTS[row.environment].prompt_set
    errors |= {f"texts.{key}": sentence for key, sentence in text_errors(prompts, row.base, row.texts).items()}
    if errors:
        raise ValidationError(errors)
    row.version = row.prompt_set.version


def _save(row: PromptVariant, user: User | None, action: Action) -> None:
    save_unique(row, {"slug": f"There is a prompt {row.variant} of this environment already."})
    _record(row, user, action)


def _record(row: PromptVariant, user: User | None, action: Action) -> None:
    audit_record(
        organization=row.organization,
        actor=user,
        action=action,
        subject=f"{row.variant} of {row.environment}, version {row.version}",
    )
