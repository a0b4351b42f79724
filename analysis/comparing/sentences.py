"""The results of comparisons as sentences. Pure functions."""

from analysis.comparing.comparison import Comparison
from environments.registry import LITMUS_TESTS
from infrastructure.text.formats import counted, difference_sentence, p_text
from stats.means import EXACT, LEVEL, MANY, RESAMPLES
from stats.paired import WILCOXON_FROM, Paired


def sentence(comparison: Comparison, hidden: int = 0, *, has_basis: bool = True) -> str:
    """The result as a sentence. It compares the second agent with the first, as tables and the API do.

    hidden: number of finished runs of the agents that the filters leave out
    has_basis: whether it names interval, p and number of instances
    """
    numbers, agents = comparison.paired, comparison.agents
    if numbers.difference is None:
        fitting = " that fits the filters" if hidden else ""
        return f"{agents.first} and {agents.second} have finished no instance in common{fitting}."
    instances = counted(numbers.n, "instance,instances")
    if numbers.zeros == numbers.n:
        same = f"{agents.first} and {agents.second} score the same on {'all ' if numbers.n > 1 else ''}{instances}."
        return f"{same}{_missing_note(comparison)}"
    answer = difference_sentence(
        agents.first, agents.second, numbers.difference, comparison.is_decided, comparison.environment in LITMUS_TESTS
    )
    notes = f"{_missing_note(comparison)}{_exploratory_note(comparison)}"
    basis = f" ({_basis(comparison, instances)})" if has_basis else ""
    return f"{answer}{basis}: {_verdict(comparison)}{notes}"


def _missing_note(comparison: Comparison) -> str:
    """What the instances could change whose runs ended without a score."""
    extremes = comparison.extremes
    if not extremes:
        return ""
    (low, low_p), (high, high_p) = extremes.worst, extremes.best
    ends = f"{low:+.1f} ({p_text(low_p)}) to {high:+.1f} points ({p_text(high_p)})".replace("-", "−")
    more = counted(extremes.instances, "more instance,more instances")
    verdict = "the verdict depends on them" if comparison.depends_on_missing else "the same verdict"
    return f" With {more} whose runs ended without a score the difference is {ends}: {verdict}."


def _exploratory_note(comparison: Comparison) -> str:
    if not comparison.added:
        return ""
    return (
        f" Exploratory: {comparison.added:,} of the {comparison.paired.n:,} instances were launched when others had "
        "finished, and the test does not allow for such a look."
    )


def _basis(comparison: Comparison, instances: str) -> str:
    numbers = comparison.paired
    interval = "95 % interval {:.1f} to {:.1f}".format(*numbers.interval).replace("-", "−") if numbers.interval else ""
    adjusted = f"{p_text(comparison.adjusted_p)} adjusted for {comparison.together} comparisons"
    parts = (interval, p_text(numbers.p), adjusted if comparison.together > 1 else "", instances)
    return ", ".join(filter(None, parts))


def _verdict(comparison: Comparison) -> str:
    numbers = comparison.paired
    if comparison.is_decided:
        return "evidence of a difference."
    if numbers.n - numbers.zeros < WILCOXON_FROM:
        return (
            f"too few instances for a verdict. The test needs at least {WILCOXON_FROM} on which they differ to find "
            "anything at the 5 % level."
        )
    if numbers.p is not None and numbers.p < LEVEL:
        return (
            f"no evidence of a difference after adjusting for {comparison.together} comparisons; alone it would be "
            "evidence."
        )
    if numbers.detectable is None:
        return "no evidence of a difference."
    return f"no evidence of a difference. One of {numbers.detectable:.1f} points would be found with 80 % power."


def method(numbers: Paired) -> str:
    """The method by which p was computed, as text."""
    flips = numbers.n - numbers.zeros
    if not flips:
        return "no instance differs"
    if flips <= EXACT:
        return f"exact, all {2**flips:,} flips of signs"
    return f"{RESAMPLES:,} random flips of signs" if flips <= MANY else "Student's t, since there are many instances"
