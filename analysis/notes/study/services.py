"""Writes of analyses: start, cancel, resume, delete. Workers compute them, see `work`."""

from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now

from accounts.models import Endpoint, Organization, Provider, User
from agents.tools import storable
from analysis.notes.models import NotesAnalysis, VectorBatch, claims, without_deleted
from analysis.notes.study.selectors import StudyFilter, scope_of
from infrastructure.claims import JobState
from infrastructure.money import nano
from infrastructure.transactions import write_transaction
from runs.models import Agent, Experiment, Run

MAX_NAME = 200
MOST_WAITING = 20


def analysis_start(
    *,
    organization: Organization,
    user: User | None,
    study_filter: StudyFilter,
    name: str = "",
    endpoint: Endpoint | None = None,
    model: str = "",
    price: Decimal | None = None,
    labels_by: Agent | None = None,
) -> NotesAnalysis:
    """Have a worker compute an analysis. price: dollars per million tokens of the endpoint's model.

    labels_by: the agent whose model names the clusters

    Raises ValidationError if there is nothing to read or too many analyses wait.
    """
    if endpoint is not None and endpoint.provider == Provider.ANTHROPIC:
        raise ValidationError({"endpoint": "This provider has no embeddings."})
    if endpoint is not None and not model.strip():
        raise ValidationError({"model": "Name the embedding model of the endpoint."})
    scope = scope_of(organization=organization, study_filter=study_filter)
    if not scope.notes:
        raise ValidationError(scope.sentence)
    waiting = NotesAnalysis.objects.filter(organization=organization, state=JobState.WAITING).count()
    if waiting >= MOST_WAITING:
        raise ValidationError(f"{waiting} analyses wait already. Cancel some, or come back when they are done.")
    analysis = NotesAnalysis.objects.create(
        organization=organization,
        created_by=user,
        name=storable(name).strip()[:MAX_NAME] or study_filter.title[:MAX_NAME],
        filter=study_filter.as_json(),
        endpoint=endpoint,
        model=storable(model).strip() if endpoint else "",
        price_nano=nano(price) if endpoint else None,
        labels_by=labels_by,
    )
    transaction.on_commit(claims.wake)
    return analysis


def analysis_cancel(*, analysis: NotesAnalysis) -> bool:
    """Cancel an analysis that is not finished; its worker stops within seconds. Returns False if it was finished."""
    with write_transaction():
        cancelled = NotesAnalysis.objects.filter(pk=analysis.pk, state=JobState.WAITING).update(
            state=JobState.CANCELLED, claim_until=None
        )
        if cancelled:
            VectorBatch.objects.filter(analysis=analysis).delete()
    return bool(cancelled)


def analysis_resume(*, analysis: NotesAnalysis) -> bool:
    """Have a worker continue a failed analysis.

    Paid vectors are not requested again. Returns False if it had not failed.
    """
    with write_transaction():
        failed = NotesAnalysis.objects.filter(pk=analysis.pk, state=JobState.FAILED)
        resumed = failed.update(state=JobState.WAITING, problem="", asked_at=Now())
    transaction.on_commit(claims.wake)
    return bool(resumed)


def analysis_delete(*, analysis: NotesAnalysis) -> None:
    with write_transaction():
        NotesAnalysis.objects.filter(pk=analysis.pk).delete()


def quotes_erase(experiment: Experiment) -> None:
    """Erase quotes of removed runs from stored results. A listener of runs.events.experiment_removed."""
    left = Run.with_deleted.filter(organization=experiment.organization_id)
    for analysis in NotesAnalysis.objects.filter(organization=experiment.organization_id).exclude(result=None):
        assert analysis.result is not None
        result = without_deleted(analysis.result, left)
        if result != analysis.result:
            NotesAnalysis.objects.filter(pk=analysis.pk).update(result=result, labels={})
