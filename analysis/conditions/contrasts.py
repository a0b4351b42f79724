"""Comparisons of the conditions of one agent, and their sentences. Pure functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from environments.generation import difficulty_title
from environments.prompts.variants import prompt_title
from infrastructure.text.formats import counted, p_text
from stats.means import LEVEL, ROUNDING, Interval
from stats.paired import holm, paired
from stats.unpaired import unpaired

SCORE = "score"


@dataclass(frozen=True)
class Cell:
    """What is compared under several conditions. difficulty: empty if difficulties are the conditions

    name: of the agent, or of the model whose agents are the conditions
    """

    name: str
    environment: str
    difficulty: str
    measure: str


Values = Mapping[Cell, Mapping[str, Mapping[int, float]]]
"""Shares by cell, condition and instance."""


@dataclass(frozen=True)
class Contrast:
    """The second condition against the first, both with their means over n instances; shares.

    is_paired: whether the same instances were played under both; then both numbers of instances are those in common
    interval: 95 % of the difference of the means; reason: why there is none
    adjusted_p: p adjusted by Holm's method over all contrasts in the same measure
    """

    cell: Cell
    first: str
    second: str
    is_paired: bool
    counts: tuple[int, int]
    means: tuple[float, float]
    interval: Interval | None
    p: float | None
    reason: str = ""
    adjusted_p: float | None = None

    @property
    def difference(self) -> float:
        return self.means[1] - self.means[0]

    @property
    def is_decided(self) -> bool:
        return self.adjusted_p is not None and self.adjusted_p < LEVEL


def contrasts(values: Values, order: Callable[[str], object], *, is_paired: bool) -> list[Contrast]:
    """Compare every condition of a cell with its first one.

    order: the key by which the conditions of a cell are sorted
    """
    made = []
    for cell, by_condition in values.items():
        first, *others = sorted(by_condition, key=order)  # type: ignore[arg-type]
        for second in others:
            own = by_condition[first], by_condition[second]
            contrast = (_paired if is_paired else _unpaired)(cell, first, second, *own)
            made += [contrast] if contrast else []
    for measure in {contrast.cell.measure for contrast in made}:
        tested = [index for index, each in enumerate(made) if each.cell.measure == measure and each.p is not None]
        for index, p in zip(tested, holm([made[index].p or 0.0 for index in tested]), strict=True):
            made[index] = replace(made[index], adjusted_p=p)
    return made


def _paired(
    cell: Cell, first: str, second: str, own: Mapping[int, float], other: Mapping[int, float]
) -> Contrast | None:
    """None without an instance in common."""
    shared = sorted(own.keys() & other.keys())
    if not shared:
        return None
    numbers = paired([other[instance] - own[instance] for instance in shared])
    means = tuple(sum(of[instance] for instance in shared) / len(shared) for of in (own, other))
    reason = "" if numbers.interval else "too few"
    counts = (len(shared), len(shared))
    return Contrast(
        cell, first, second, True, counts, (means[0], means[1]), numbers.interval,
        numbers.p if numbers.interval else None, reason,
    )  # fmt: skip


def _unpaired(cell: Cell, first: str, second: str, own: Mapping[int, float], other: Mapping[int, float]) -> Contrast:
    groups = list(own.values()), list(other.values())
    numbers = unpaired(*groups)
    counts = (len(own), len(other))
    means = (sum(groups[0]) / counts[0], sum(groups[1]) / counts[1])
    return Contrast(cell, first, second, False, counts, means, numbers.interval, numbers.p, numbers.reason)


MOST_SENTENCES = 5
NOT_PAIRED = "Not paired, because the instances differ."


def sentences(contrasts: Sequence[Contrast], by: str, title: Callable[[str], str]) -> list[str]:
    """The comparison in words. by: what the conditions are, such as prompt; title: of an environment"""
    if not contrasts:
        return [
            f"No agent here has finished runs that differ in {by}. Launch one both ways, or compare something else."
        ]
    scores = [contrast for contrast in contrasts if contrast.cell.measure == SCORE]
    tested = [contrast for contrast in scores if contrast.p is not None]
    decided = [contrast for contrast in tested if contrast.is_decided]
    start = f"{counted(len(scores), 'comparison,comparisons')} of scores by {by}: "
    if tested:
        start += (
            f"{len(decided):,} of {counted(len(tested), 'test finds,tests find')} a difference after Holm's method."
        )
    else:
        start += "none has a test, since each has too few instances or scores that hardly vary."
    notes = [] if contrasts[0].is_paired else [NOT_PAIRED]
    return [start, *notes, *_sentences(decided[:MOST_SENTENCES] or tested[:MOST_SENTENCES], title)]


def _sentences(contrasts: Iterable[Contrast], title: Callable[[str], str]) -> Iterable[str]:
    for contrast in contrasts:
        low, high = (100 * end for end in contrast.interval or (0.0, 0.0))
        first, second = prompt_title(contrast.first), prompt_title(contrast.second)
        side = "higher" if contrast.difference > 0 else "lower"
        difficulty = f" {difficulty_title(contrast.cell.difficulty)}" if contrast.cell.difficulty else ""
        verdict = "evidence of a difference" if contrast.is_decided else "no evidence of a difference"
        where = f"{contrast.cell.name} on {title(contrast.cell.environment)}{difficulty} scores"
        if abs(contrast.difference) < ROUNDING:
            yield f"{where} the same under {second} as under {first}."
            continue
        yield (
            (
                f"{where} {abs(100 * contrast.difference):.1f} points {side} under {second} than under "
                f"{first} (95 % interval {low:.1f} to {high:.1f}, {p_text(contrast.p)}, "
                f"{p_text(contrast.adjusted_p)} adjusted): {verdict}."
            )
            .replace("interval -", "interval −")
            .replace("to -", "to −")
        )
