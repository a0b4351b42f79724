"""Delete experiments and agents, and undo it within a day. Until then rows are only hidden, see accounts.deletions."""

from django.core.exceptions import ValidationError
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record
from accounts.services.deletions import row_hide, row_show
from infrastructure.text.formats import counted
from infrastructure.transactions import lock_rows, write_transaction
from runs.engine.lease import RELEASED
from runs.engine.writing.group_commit import group_commit
from runs.events import experiment_deleting
from runs.models import Agent, ExchangeState, Experiment, Instance, PauseCause, Run
from runs.models.runs import TRANSITIONS, StopRequest
from runs.services.agent_errors import TAKEN
from runs.services.agents import MODELS, free_slug, has_runs, locked_agents

USED = "Runs have used this agent, so it stays. Archive it, and launches no longer offer it."
PAUSED = "Paused when the experiment was deleted."


def experiment_delete(*, experiment: Experiment, actor: User | None = None) -> bool:
    """Hide an experiment with its runs. Workers lose their leases, and the runs that they play are paused.

    The month keeps all costs, including those of open calls. Returns False if it was already deleted.
    """
    with write_transaction():
        # Episodes add runs to experiments and take this lock too.
        Organization.objects.select_for_update(no_key=True).get(pk=experiment.organization_id)
        experiment_deleting(experiment)
        runs = runs_lock(experiment)
        unfinished_runs = runs.filter(deleted_at=None, state__in=TRANSITIONS["pause"].before)
        unfinished_runs.filter(stop_request=StopRequest.CANCEL).update(
            state=TRANSITIONS["cancel"].after, ended_at=Now(), wake_at=None, **RELEASED
        )
        unfinished_runs.update(
            state=TRANSITIONS["pause"].after, reason=PAUSED, pause_cause=PauseCause.PERSON, wake_at=None, **RELEASED
        )
        if not row_hide(row=experiment, actor=actor):
            return False
        runs.update(deleted_at=experiment.deleted_at, fence=F("fence") + 1)
        _record(experiment, actor, Action.EXPERIMENT_DELETED, f", {counted(runs.count(), 'run,runs')}")
    open_calls_close(experiment, with_lines=False)
    return True


def open_calls_close(experiment: Experiment, *, with_lines: bool = True) -> None:
    """Book the calls whose workers lost their leases, because the money may have been spent.

    with_lines: whether to book the lines of open batches too. After a deletion a worker still cancels and settles open
        batches, but after the removal for good it cannot.
    """
    runs = Run.with_deleted.filter(experiment=experiment, exchanges__state=ExchangeState.SENT).distinct()
    for run_id, fence in runs.values_list("id", "fence"):
        group_commit.close_orphans(run_id, fence, with_lines=with_lines)


def runs_lock(experiment: Experiment) -> QuerySet[Run]:
    """Lock the runs of an experiment before its removal for good, in the order in which a late reply locks them."""
    return lock_rows(Run.with_deleted.filter(experiment=experiment))


def experiment_undelete(*, experiment: Experiment, actor: User | None = None) -> bool:
    """Show an experiment and its runs again. Returns False if it is not deleted. Raises ValidationError if it was removed."""
    with write_transaction():
        runs_lock(experiment).update(deleted_at=None)
        if not row_show(row=experiment):
            return False
        _record(experiment, actor, Action.EXPERIMENT_UNDELETED)
    return True


def agent_delete(*, agent: Agent, actor: User | None = None) -> bool:
    """Hide an agent that no run has used. Returns False if it was already deleted. Raises ValidationError."""
    if agent.is_baseline or agent.imported:
        raise ValidationError(f"Only {MODELS} can be deleted.")
    with write_transaction():
        row = locked_agents().filter(pk=agent.pk).first()
        if row is None:
            return False
        if has_runs(row):
            raise ValidationError(USED)
        row_hide(row=row, actor=actor)
        _record(row, actor, Action.AGENT_DELETED)
    return True


def agent_undelete(*, agent: Agent, actor: User | None = None) -> bool:
    """Show an agent again, under a free slug. Returns False if it is not deleted.

    Raises ValidationError if another agent has taken its name.
    """
    with write_transaction():
        Organization.objects.select_for_update(no_key=True).get(pk=agent.organization_id)
        others = Agent.objects.filter(organization=agent.organization_id).exclude(pk=agent.pk)
        if others.filter(name__iexact=agent.name, imported=False).exists():
            raise ValidationError(f"{TAKEN} Rename that agent, then undo the deletion of {agent.name}.")
        if others.filter(slug=agent.slug).exists():
            Agent.with_deleted.filter(pk=agent.pk).update(slug=free_slug(agent))
        if not row_show(row=agent):
            return False
        _record(agent, actor, Action.AGENT_UNDELETED)
    agent.refresh_from_db()
    return True


def _record(row: Experiment | Agent, actor: User | None, action: Action, details: str = "") -> None:
    audit_record(organization=row.organization, actor=actor, action=action, subject=f"{row.name}{details}")


def organization_empty(*, organization: Organization) -> None:
    """Stop and delete all experiments, instances and agents for good, before the organization is deleted."""
    # Protected foreign keys determine this order.
    for experiment in Experiment.with_deleted.filter(organization=organization):
        experiment_delete(experiment=experiment)
        with write_transaction():
            runs_lock(experiment)
            experiment.delete()
    Instance.objects.filter(organization=organization).delete()
    Agent.with_deleted.filter(organization=organization).delete()
