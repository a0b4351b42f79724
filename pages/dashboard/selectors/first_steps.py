"""The first steps of a person: what really happened decides which are done, and the run that is shown first."""

from dataclasses import dataclass

from django.db.models import Case, Exists, F, OuterRef, Value, When

from accounts.models import Membership, Organization
from environments.registry import EXAMPLE
from runs.findings.models import Finding
from runs.models import Experiment, PlayerClass, Run, RunState


@dataclass(frozen=True)
class FirstSteps:
    """has_seen_run, has_launched, has_model: whether each step is done.

    run, period: the finished run to open first, if any
    experiment: without such a run, the newest experiment, where runs will finish
    """

    has_seen_run: bool
    has_launched: bool
    has_model: bool
    run: int | None
    period: int | None
    experiment: int | None

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
        None if run else launched.order_by("-id").values_list("id", flat=True).first(),
    )


def _story(organization: Organization) -> tuple[int | None, int | None]:
    """(run, period) to show first: the newest run with a finding of a period and a change, of the example if possible.

    The period is that of the largest change; None if no run has both.
    """
    finished = Run.objects.without_games().filter(organization=organization, state=RunState.FINISHED)
    dated = Exists(Finding.objects.filter(run=OuterRef("pk"), period__isnull=False))
    telling = finished.filter(dated, findings_computed__isnull=False).exclude(findings_computed__changes=[])
    for runs in (telling, finished):
        is_example = Case(When(instance__environment=EXAMPLE, then=Value(1)), default=Value(0))
        newest = runs.annotate(is_example=is_example).order_by(F("is_example").desc(), "-id")
        if row := newest.values_list("id", "findings_computed__changes").first():
            largest = max(row[1] or [], key=lambda change: change["size"], default=None)
            return row[0], int(largest["period"]) if largest else None
    return None, None
