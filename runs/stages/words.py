"""Sentences about a comparison in stages, for pages, the API and the command line. Pure functions over rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from infrastructure.text.formats import DASH, counted, difference_sentence, money, p_text, percent, whole_percent
from runs.models import RunState
from runs.models.runs import ACTIVE
from runs.stages.models import ComparisonState, StagedComparison, StageLook
from runs.stages.selectors import Staged
from stats.designs.sequential import can_stop, sensible_sizes, spent

WAITS = {
    RunState.PAUSED: ("paused run", "resume or cancel"),
    RunState.STALLED: ("stalled run", "retry or cancel"),
    RunState.ERRORED: ("errored run", "retry or cancel"),
    RunState.FINISHED: ("unscored run", "the optimum is not proven yet"),
}


def sentence(staged: Staged, *, for_visitors: bool = False) -> str:
    """The present state of the comparison and its numbers in words.

    for_visitors: leave out names of members, dollars and what members may do
    """
    comparison, last = staged.comparison, staged.last
    if comparison.state == ComparisonState.PLAYING:
        return _playing(staged, for_visitors)
    if comparison.state == ComparisonState.CONTINUED:
        member = comparison.ended_by.shown_name if comparison.ended_by else "The command line"
        person = "A member" if for_visitors else member
        return f"{person} let all runs play in stage {comparison.stage}. No look stops the experiment any more."
    if last is None or last.difference is None:
        return "Ended without an instance that both agents finished."
    return f"{_ended(staged, last)}{_saved(comparison, for_visitors)}"


def _difference(comparison: StagedComparison, difference: float) -> str:
    return difference_sentence(
        comparison.first.name, comparison.second.name, difference, comparison.state == ComparisonState.DIFFERENT
    )


def boundary_words(boundary: float) -> str:
    """The largest p at which a stage stops the experiment, with as many decimals as `p_text` gives."""
    return f"{boundary:.4f}" if boundary else "none"


@dataclass(frozen=True)
class StageRow:
    """A stage in words, planned or with its result.

    instances: number of instances in the result; without a result, the number planned up to this stage
    """

    stage: int
    instances: int
    difference: str
    p: str
    boundary: str
    level: str
    waits: str
    look: StageLook | None

    @property
    def looked_at(self) -> datetime | None:
        return self.look.computed_at if self.look else None


def stage_rows(staged: Staged) -> list[StageRow]:
    comparison = staged.comparison
    looks = {look.stage: look for look in staged.looks}
    rows = []
    for stage, (size, level) in enumerate(zip(comparison.sizes, comparison.levels, strict=True), 1):
        instances = size * comparison.cells
        look = looks.get(stage)
        if look is not None:
            difference, p = DASH, DASH
            if look.difference is not None and look.p is not None:
                difference = f"{look.difference:+.1f}".replace("-", "−")
                p = p_text(look.p).removeprefix("p ").removeprefix("= ")
            numbers = (look.n, difference, p, boundary_words(look.boundary))
        else:
            numbers = (instances, DASH, DASH, DASH if can_stop(instances, level) else "none")
        open_stage = "playing" if stage == comparison.stage else "waits"
        waits = "" if look else open_stage if comparison.is_playing else "not taken"
        rows.append(StageRow(stage, *numbers, percent(level), waits, look))
    return rows


def _playing(staged: Staged, for_visitors: bool) -> str:
    comparison = staged.comparison
    of = f"Stage {comparison.stage} of {len(comparison.sizes)}"
    waits = [
        counted(number, f"{noun},{noun}s") + ("" if for_visitors else f" ({action})")
        for state, (noun, action) in WAITS.items()
        if (number := staged.pending[state])
    ]
    if waits and not any(staged.pending[state] for state in ACTIVE):
        return f"{of} waits for {' and '.join(waits)}."
    size = comparison.sizes[comparison.stage - 1] * comparison.cells
    text = f"{of}: both agents play {size} of {staged.total} instances."
    if waits:
        text += f" It will wait for {' and '.join(waits)}."
    last = staged.last
    if last and last.difference is not None and last.p is not None:
        text += f" So far {_difference(comparison, last.difference)} ({p_text(last.p)}): not decided."
    return text


def _ended(staged: Staged, last: StageLook) -> str:
    comparison = staged.comparison
    assert last.difference is not None and last.p is not None
    difference = _difference(comparison, last.difference)
    numbers = f"{p_text(last.p)}, boundary {boundary_words(last.boundary)}"
    instances = f"{'all' if last.n == staged.total else f'{last.n} of'} {staged.total} instances"
    if comparison.state == ComparisonState.DIFFERENT:
        return f"Decided after {instances}: {difference} ({numbers})."
    if comparison.state == ComparisonState.FUTILE:
        power = whole_percent(last.conditional_power or 0, 1)
        return (
            f"Stopped without a verdict after {instances}: {difference} so far ({numbers}). If the agents differed by the "
            f"planned {comparison.planned:g} points, the other instances would show it with a probability of {power}."
        )
    if comparison.state == ComparisonState.WITHDRAWN:
        return f"The later stages were cancelled after {instances}: {difference} ({numbers}): not decided."
    verdict = "no evidence of a difference" if last.boundary else "too few instances on which they differ for a verdict"
    return f"Not decided after {instances}: {difference} ({numbers}): {verdict}."


def _saved(comparison: StagedComparison, for_visitors: bool) -> str:
    if not comparison.saved_runs:
        return ""
    text = f" {counted(comparison.saved_runs, 'run was,runs were')} not played"
    costs = comparison.saved_nano and not for_visitors
    return f"{text}; about {money(comparison.saved_nano)} saved." if costs else f"{text}."


def advice(sizes: Sequence[int], cells: int) -> str:
    """A warning if some stages can never stop the experiment, with better stages. Empty if each stage can."""
    levels = spent(sizes)
    idle = [number for number, level in zip(sizes, levels, strict=True) if not can_stop(number * cells, level)]
    if not idle:
        return ""
    first = idle[0] * cells
    warning = (
        f"After {' and '.join(f'{number * cells}' for number in idle)} instances no difference can stop the experiment: "
        f"the smallest p of {first} instances is {2.0 ** (1 - first):.3g}, and {levels[sizes.index(idle[0])]:.2g} may be "
        "used there."
    )
    better = sensible_sizes(sizes[-1], cells)
    return f"{warning} Stages {', '.join(map(str, better))} can stop after each." if better else warning
