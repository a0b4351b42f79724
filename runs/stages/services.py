"""Write operations for comparisons in stages. A look (the result after a stage) and its effects are one transaction."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Avg, Count, Exists, OuterRef, Q
from django.db.models.functions import Now

from accounts.models import User
from infrastructure.transactions import write_transaction
from runs.launching.plan import LaunchPlan
from runs.models import Experiment, Run, RunState
from runs.services.control import stage_resume, stages_cancel, waiting_runs
from runs.stages.models import ComparisonState, StagedComparison, StageLook
from runs.stages.selectors import PENDING, differences_of
from stats.designs import sequential

KIND = ("agent", "instance__environment", "instance__difficulty")
UNPRICED = Q(agent__baseline="") & (Q(agent__input_price=None) | Q(agent__output_price=None))


def comparison_create(experiment: Experiment, plan: LaunchPlan) -> None:
    """Store the comparison of a launch in stages. Listener of events.experiment_launched, in the launch's transaction."""
    if not plan.stages:
        return
    first, second = plan.agents
    StagedComparison.objects.create(
        experiment=experiment,
        first=first,
        second=second,
        sizes=list(plan.stages),
        levels=sequential.spent(plan.stages),
        seeds=list(plan.seeds),
        cells=plan.cells,
        planned=plan.points,
    )


def looks_after_commit(run_ids: Sequence[int]) -> None:
    """Take the looks that become due when these runs end. Listener of events.runs_stopped.

    Looks are taken after the commit. Before it, two last runs that end at the same moment do not see each other's end.
    """
    if run_ids and StagedComparison.objects.filter(state=ComparisonState.PLAYING).exists():
        transaction.on_commit(looks_take, robust=True)


def looks_take() -> None:
    """Take every look that is due. The sweep calls this too, in case the process that had to take a look was killed."""
    pending = Run.objects.filter(PENDING, experiment=OuterRef("experiment"))
    playing = StagedComparison.objects.filter(
        ~Exists(pending), state=ComparisonState.PLAYING, experiment__deleted_at=None
    )
    for number, stage in list(playing.values_list("id", "stage")):
        look_take(comparison_id=number, stage=stage)


def look_take(*, comparison_id: int, stage: int) -> bool:
    """Compute the result after a stage whose runs have ended. Then start the next stage or end the comparison.

    Returns False if another process has done it, or if runs of the stage have not ended.
    """
    rows = StagedComparison.objects.filter(pk=comparison_id, stage=stage, state=ComparisonState.PLAYING)
    with write_transaction():
        # The update locks the row. A second process waits here and then finds another stage or state.
        if not rows.update(stage=stage):
            return False
        comparison = rows.select_related("experiment").get()
        pending = Run.objects.filter(PENDING, experiment=comparison.experiment_id)
        if comparison.experiment.deleted_at or pending.exists():
            return False
        differences_by_stage = differences_of(comparison)
        differences = [difference for stage_differences in differences_by_stage for difference in stage_differences]
        stage_look = sequential.look(
            differences,
            [sum(map(len, differences_by_stage[:number])) for number in range(1, stage + 1)],
            comparison.levels[:stage],
            planned=comparison.planned or 0,
            # Instances of ended stages without two scores are left out, because they will not get a difference any more.
            total=len(differences) + (comparison.sizes[-1] - comparison.sizes[stage - 1]) * comparison.cells,
        )
        StageLook.objects.create(comparison=comparison, stage=stage, **vars(stage_look))
        if stage_look.is_decided:
            _end(comparison, ComparisonState.DIFFERENT)
        elif comparison.is_last:
            _end(comparison, ComparisonState.UNDECIDED)
        elif stage_look.is_futile:
            _end(comparison, ComparisonState.FUTILE)
        elif not waiting_runs(comparison.experiment_id).exists():
            _end(comparison, ComparisonState.WITHDRAWN)
        else:
            rows.update(stage=stage + 1)
            stage_resume(experiment=comparison.experiment, seeds=comparison.seeds_of(stage + 1))
    return True


def comparison_continue(*, experiment: Experiment, user: User | None) -> int:
    """Let all stages play without further looks. Returns the number of queued runs.

    Raises ValidationError if the experiment has no stages or they have ended.
    """
    with write_transaction():
        if not StagedComparison.objects.filter(experiment=experiment, state=ComparisonState.PLAYING).update(
            state=ComparisonState.CONTINUED, ended_at=Now(), ended_by=user
        ):
            raise ValidationError("No run of this experiment waits for a later stage.")
        return stage_resume(experiment=experiment)


def _end(comparison: StagedComparison, state: ComparisonState) -> None:
    saved_nano = _saved_nano(comparison.experiment_id)
    decided = f"the comparison was decided at stage {comparison.stage}"
    futile = f"after stage {comparison.stage} the planned difference could hardly be found any more"
    why = futile if state == ComparisonState.FUTILE else decided
    saved_runs = stages_cancel(experiment=comparison.experiment, reason=f"Not played: {why}.")
    StagedComparison.objects.filter(pk=comparison.pk).update(
        state=state, ended_at=Now(), saved_runs=saved_runs, saved_nano=saved_nano
    )


def _saved_nano(experiment_id: int) -> int | None:
    """The expected cost of the waiting runs, from the mean cost of finished runs of the same kind.

    None if a mean is not known.
    """
    waiting = waiting_runs(experiment_id).order_by()
    if waiting.filter(UNPRICED).exists():
        return None
    finished = Run.objects.filter(experiment=experiment_id, state=RunState.FINISHED).order_by()
    means = {tuple(kind): cost for *kind, cost in finished.values_list(*KIND).annotate(Avg("cost_nano"))}
    numbers = {tuple(kind): number for *kind, number in waiting.values_list(*KIND).annotate(Count("id"))}
    is_known = means.keys() >= numbers.keys()
    return round(sum(number * means[kind] for kind, number in numbers.items())) if is_known else None
