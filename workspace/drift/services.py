"""Writes of watches: create, pause, resume and delete them, and mark their notices as seen."""

from typing import Any

from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Organization, User
from environments.registry import LITMUS_TESTS
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.prices import unpriced_error
from runs.services.experiments import PreparedLaunch, launch_prepare
from stats.designs.replays import fewest_instances
from workspace.drift.models import LOOKS, Interval, Notice, Watch, WatchState
from workspace.drift.rounds import budget_error, may_launch


def watch_prepare(
    *, plan: LaunchPlan, organization: Organization, user: User | None, interval: str, budget_nano: int | None
) -> PreparedLaunch:
    """Check the plan of every round. Raises LaunchError with a sentence for each wrong field."""
    if errors := _plan_errors(plan, interval):
        raise LaunchError(errors)
    watches = Watch.objects.filter(organization=organization, agent=plan.agents[0], interval=interval)
    # Compared here, because SQLite also compares the order of the keys.
    if plan.as_spec() in watches.exclude(state=WatchState.ENDED).values_list("spec", flat=True):
        raise LaunchError({"interval": "The agent has such a watch already."})
    prepared = launch_prepare(plan=plan, organization=organization)
    spender: dict[str, Any] = {"organization": organization, "user": user, "budgets": (budget_nano,)}
    if sentence := (
        budget_error(prepared, budget_nano) or unpriced_error(unpriced=prepared.estimate.unpriced, **spender)
    ):
        raise LaunchError({"budget": sentence})
    return prepared


def watch_create(
    *, organization: Organization, user: User | None, plan: LaunchPlan, interval: str, budget_nano: int | None
) -> Watch:
    """Store a watch whose plan `watch_prepare` has checked. The sweep launches its baseline within a minute."""
    return Watch.objects.create(
        organization=organization,
        agent=plan.agents[0],
        spec=plan.as_spec(),
        interval=interval,
        budget_nano=budget_nano,
        due_at=timezone.now(),
        created_by=user,
    )


def _plan_errors(plan: LaunchPlan, interval: str) -> dict[str, str]:
    checks: list[tuple[str, object, str]] = [
        ("agents", len(plan.agents) != 1, "A watch has one agent."),
        (
            "environments",
            set(plan.environments) & set(LITMUS_TESTS),
            "A watch compares benchmark scores, so it has no litmus test.",
        ),
        ("variants", len(plan.variants) != 1, "A watch has one prompt variant."),
        ("rival", plan.rival, "A watch has no rival, since a change of the rival would look like one of the agent."),
        ("interval", interval not in Interval.values, "A round is launched every month or every week."),
    ]
    errors = {field: sentence for field, is_wrong, sentence in checks if is_wrong}
    if "interval" not in errors and len(plan.runs) < (fewest := fewest_instances(LOOKS[Interval(interval)])):
        errors["seeds"] = (
            f"{counted(len(plan.runs), 'instance is,instances are')} too few: a round {Interval(interval).label.lower()} "
            f"needs at least {fewest}, or no change of the score could be told from chance."
        )
    return errors


def watch_pause(*, watch: Watch) -> None:
    Watch.objects.filter(pk=watch.pk, state=WatchState.ACTIVE).update(state=WatchState.PAUSED, reason="")


def watch_resume(*, watch: Watch, user: User | None) -> None:
    """Resume a paused watch. The next sweep launches a round that became due meanwhile.

    If the watch's creator is gone or may no longer launch, it continues in the name of `user`.
    """
    is_orphan = watch.created_by is None or not may_launch(watch.organization, watch.created_by)
    Watch.objects.filter(pk=watch.pk, state=WatchState.PAUSED).update(
        state=WatchState.ACTIVE, reason="", **({"created_by": user} if is_orphan else {})
    )


def watch_delete(*, watch: Watch) -> None:
    """Delete a watch with its rounds and notices. The experiments of its rounds stay, and runs in play continue."""
    watch.delete()


def notices_see(*, watch: Watch, user: User | None, after_baseline: int | None = None) -> int:
    """Mark the open notices of a watch as seen. Returns how many there were.

    after_baseline: number of the baseline to replace: the next rounds are due at once and become the new baseline.
        Ignored if this is no longer the current baseline.
    """
    with write_transaction():
        seen = Notice.objects.filter(watch=watch, seen_at=None).update(seen_at=Now(), seen_by=user)
        if after_baseline is not None:
            Watch.objects.filter(pk=watch.pk, baseline=after_baseline).update(
                baseline=F("baseline") + 1, due_at=timezone.now()
            )
    return seen


def watches_remove(organization: Organization) -> None:
    """Delete all watches, so that none launches while the organization is emptied. A listener of organization_deleting."""
    Watch.objects.filter(organization=organization).delete()


def watches_pause_of(organization: Organization, user: User) -> None:
    """Pause the watches of a former member, since their runs count as that person's spending.

    A listener of accounts.hooks.member_removed.
    """
    Watch.objects.filter(organization=organization, created_by=user, state=WatchState.ACTIVE).update(
        state=WatchState.PAUSED, reason="Who made this watch is no longer a member.", created_by=None
    )
