"""The first steps of a person: what really happened decides which are done, and the run that is shown first."""

from dataclasses import dataclass

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When

from accounts.models import Membership, Organization
from environments.registry import EXAMPLE
from runs.findings.models import Finding, RunFindings
from runs.models import Experiment, PlayerClass, Run, RunState


@dataclass(frozen=True)
class FirstSteps:
    """has_seen_run, has_launched, has_model: whether each step is done. run, period: the run to open first, if any"""

    has_seen_run: bool
    has_launched: bool
    has_model: bool
    run: int | None
    period: int | None

    @property
    def are_done(self) -> bool:
        return self.has_seen_run and self.has_launched and self.has_model


def first_steps(*, membership: Membership) -> FirstSteps:
    """Viewers cannot launch, so an experiment of anybody counts for them."""
    organization, user = membership.organization, membership.user
    launched = Experiment.objects.without_games().filter(organization=organization, spec__imported__isnull=True)
    by_models = Run.objects.filter(
        organization=organization,
        agent__baseline="",
        agent__player_class=PlayerClass.SITE,
        imported=False,
        queries__gt=0,
    )
    run, period = _story(organization)
    return FirstSteps(
        user.has_opened_run,
        launched.filter(created_by=user).exists() if membership.may_edit else launched.exists(),
        by_models.exists(),
        run,
        period,
    )


def _story(organization: Organization) -> tuple[int | None, int | None]:
    """(run, period) to show first: a run of the example with a change and a finding, at the period that tells most."""
    finished = Run.objects.without_games().filter(organization=organization, state=RunState.FINISHED)
    dated = Finding.objects.filter(run=OuterRef("pk"), period__isnull=False)
    changed = RunFindings.objects.filter(run=OuterRef("pk")).exclude(changes=[])
    run = _newest(finished.filter(Exists(dated), Exists(changed))) or _newest(finished)
    if run is None:
        return None, None
    computed = RunFindings.objects.filter(run=run).first()
    changes = sorted(computed.changes if computed else [], key=lambda change: -change["size"])
    if changes:
        return run, int(changes[0]["period"])
    return run, Finding.objects.filter(run=run, period__isnull=False).values_list("period", flat=True).first()


def _newest(runs: QuerySet[Run]) -> int | None:
    """The newest run, of the example if there is one."""
    is_example = Case(When(instance__environment=EXAMPLE, then=Value(1)), default=Value(0))
    return (
        runs.annotate(is_example=is_example)
        .order_by(F("is_example").desc(), "-id")
        .values_list("id", flat=True)
        .first()
    )
