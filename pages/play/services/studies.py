"""Writes of studies and their open links, and the seeds of their games."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import URLValidator
from django.db import IntegrityError
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.secrets import token_hash
from accounts.services.audit import audit_record
from agents.tools import storable
from environments.registry import ENVIRONMENTS
from infrastructure.transactions import write_transaction
from pages.play.models import LABEL, Study
from pages.play.payoff import is_skill
from pages.play.services.games import HUMAN, with_form_fields
from runs.episodes.services.opening import Harness, practice_prepare
from runs.launching.plan import LaunchError, parse_seeds
from runs.models import Run
from runs.services.control import runs_control


def seed_at(seeds: str, index: int) -> int:
    """The seed of a study's game `index`, counted from 0. Raises LaunchError for the field seeds.

    seeds: such as '0-2', assigned to the games in turn; if empty, the seed is `index`
    """
    if not seeds.strip():
        return index
    seed_list = parse_seeds(seeds)
    return seed_list[index % len(seed_list)]


SECRET_BYTES = 24
"""Bytes of a link's secret, which are 192 random bits."""

NO_EDITOR = "Only editors and owners can change studies. Ask one of them."
WRONG = {
    "rate": "The score of this game is not better or worse, so only a fee can be paid: the rate must be 0.",
    "completion_url": "The address must begin with https:// and a site; {label} may stand after the site only.",
    "fee": "Fee and rate are at least 0.",
}
"""Sentences about fields of a study."""


def secret_new() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def study_create(*, actor: Membership, **values: Any) -> Study:
    """Create a study; `values` are fields of Study. Raises ValidationError by field, and PermissionDenied."""
    editor_check(actor)
    study = Study(organization=actor.organization, created_by=actor.user, **values)
    study.name, study.title = study.name.strip(), study.title.strip()
    study.consent = storable(study.consent).strip()
    if len(ENVIRONMENTS[study.environment].seats_of(study.variant)) == 1:
        study.rival = ""
    _check(study)
    try:
        with write_transaction():
            study.save()
            study_record(actor, Action.STUDY_CREATED, study)
    except IntegrityError:
        raise ValidationError({"name": "Another study has this name."}) from None
    return study


def _check(study: Study) -> None:
    """Check the study. Raises ValidationError by field."""
    is_wrong = {
        "rate": study.rate and not is_skill(study.environment, study.variant),
        "completion_url": study.completion_url and not _is_address(study.completion_url),
        "fee": min(study.fee, study.rate) < 0,
    }
    errors: dict[str, Any] = {field: sentence for field, sentence in WRONG.items() if is_wrong[field]}
    try:
        practice_prepare(
            organization=study.organization,
            harness=Harness(HUMAN, study.player_name),
            rival=study.rival or None,
            environments=(study.environment,),
            difficulties=(study.difficulty,),
            seeds=(seed_at(study.seeds, 0),),
            variants=(study.variant,),
            periods=study.periods,
        )
    except LaunchError as error:
        errors = dict(error.errors) | errors
    except ValidationError as error:
        errors = with_form_fields(error).message_dict | errors
    if errors:
        raise ValidationError(errors)


def _is_address(text: str) -> bool:
    """Whether the text is an https address whose host does not depend on the participant."""
    try:
        URLValidator(schemes=["https"])(text.replace(LABEL, "label"))
    except ValidationError:
        return False
    return LABEL not in urlsplit(text).netloc


def study_fault(*, study: Study) -> str:
    """The reason why no game of the study can begin now, such as an archived design; empty if one can."""
    try:
        _check(study)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def study_close(*, actor: Membership, study: Study) -> None:
    """Close the study, so that nobody can begin any more. Games that have begun continue."""
    editor_check(actor)
    with write_transaction():
        now = timezone.now()
        if Study.objects.filter(pk=study.pk).exclude(closes_at__lte=now).update(closes_at=now):
            study_record(actor, Action.STUDY_CLOSED, study)


def study_reopen(*, actor: Membership, study: Study) -> None:
    """Let participants begin again, and remove the closing date."""
    with recorded(actor, Action.STUDY_REOPENED, study):
        Study.objects.filter(pk=study.pk).update(closes_at=None)


def study_delete(*, actor: Membership, study: Study) -> None:
    """Delete the study with its links, labels and consents.

    Games in play are cancelled; runs stay in their experiment.
    """
    with recorded(actor, Action.STUDY_DELETED, study):
        runs_control(
            runs=Run.objects.filter(episode__seats__in=study.participants.exclude(seat=None).values("seat")),
            action="cancel",
            user=actor.user,
        )
        study.delete()


def open_link_create(*, actor: Membership, study: Study) -> str:
    """Create a link by which anybody can begin; return its secret, which is shown only once.

    An earlier link stops working.
    """
    secret = secret_new()
    with recorded(actor, Action.STUDY_LINKS, study, ", open link"):
        Study.objects.filter(pk=study.pk).update(open_hash=token_hash(secret))
    return secret


def open_link_revoke(*, actor: Membership, study: Study) -> None:
    """Revoke the open link. Participants who have joined by it have links of their own."""
    with recorded(actor, Action.STUDY_LINKS_REVOKED, study, ", open link"):
        Study.objects.filter(pk=study.pk).update(open_hash="")


@contextmanager
def recorded(actor: Membership, action: Action, study: Study, more: str = "") -> Iterator[None]:
    """Let an editor change a study in one transaction, with a line in the audit log. Raises PermissionDenied."""
    editor_check(actor)
    with write_transaction():
        yield
        study_record(actor, action, study, more)


def editor_check(actor: Membership) -> None:
    """Check that the actor is an editor or owner now, since roles can change. Raises PermissionDenied otherwise."""
    now = Membership.objects.filter(pk=actor.pk).first()
    if now is None or not now.may_edit:
        raise PermissionDenied(NO_EDITOR)


def study_record(actor: Membership, action: Action, study: Study, more: str = "") -> None:
    audit_record(organization=actor.organization, actor=actor.user, action=action, subject=f"{study.name}{more}")


def open_links_revoke_of(organization: Organization, user: User) -> None:
    """Revoke the open links that a former member knows. A listener of accounts.hooks.member_removed."""
    Study.objects.filter(organization=organization, created_by=user).exclude(open_hash="").update(open_hash="")
