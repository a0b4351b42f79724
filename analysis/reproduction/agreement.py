"""Comparisons of means with printed ones, and their sentences. Pure functions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.base.benchmark_filters import environment_title
from analysis.reproduction.printed import SCORE, Printed
from infrastructure.text.formats import counted, p_text
from stats.means import LEVEL
from stats.one_sample import OneSample, one_samples

Key = tuple[int, str, str, str, str]
"""Agent, environment, difficulty, prompt variant, measure."""
Values = Mapping[Key, Mapping[int, float]]
"""Means of an agent's runs by instance, as shares."""


@dataclass(frozen=True)
class Agreement:
    """The mean of an agent over its instances against a printed mean."""

    agent: str
    printed: Printed
    test: OneSample

    @property
    def is_decided(self) -> bool:
        return self.test.adjusted_p is not None and self.test.adjusted_p < LEVEL

    @property
    def sentence(self) -> str:
        test, side = self.test, "higher" if self.test.difference > 0 else "lower"
        interval = ""
        if test.interval:
            interval = ", 95 % interval {:.1f} to {:.1f}".format(*(100 * end for end in test.interval))
        measure = "" if self.printed.measure == SCORE else f", {self.printed.measure.replace('_', ' ')}"
        return (
            f"{self.agent} on {environment_title(self.printed.environment)} {self.printed.difficulty}{measure}: "
            f"{100 * test.mean:.1f} over {counted(test.n, 'instance,instances')}, {100 * self.printed.value:.1f} printed, "
            f"{abs(100 * test.difference):.1f} points {side}{interval.replace('-', '−')}, "
            f"{p_text(test.adjusted_p)} adjusted."
        )


@dataclass(frozen=True)
class Missing:
    """The printed numbers of one source that no own run can be compared with for the same reason."""

    source: str
    names: Sequence[str]
    numbers: int
    reason: str


@dataclass(frozen=True)
class Reproduction:
    agreements: Sequence[Agreement]
    missing: Sequence[Missing]


def reproduction_of(
    printed_numbers: Iterable[Printed], agents: Mapping[str, Sequence[tuple[int, str]]], values: Values
) -> Reproduction:
    """Compare every printed number with the agents that have its name, and adjust all p values together.

    agents: (id, name) of the own agents by printed name
    """
    samples: list[tuple[str, Printed, list[float]]] = []
    missing: dict[tuple[str, str], list[str]] = defaultdict(list)
    for printed in printed_numbers:
        matched = [] if printed.other else agents.get(printed.name, ())
        own = [(name, numbers) for pk, name in matched if (numbers := _values_of(pk, printed, values))]
        samples += [(name, printed, numbers) for name, numbers in own]
        if not own:
            missing[printed.source, printed.other or _needed(printed)].append(printed.name)
    tests = one_samples([(numbers, printed.value) for _, printed, numbers in samples])
    return Reproduction(
        [Agreement(name, printed, test) for (name, printed, _), test in zip(samples, tests, strict=True)],
        [
            Missing(source, list(dict.fromkeys(names)), len(names), reason)
            for (source, reason), names in missing.items()
        ],
    )


def _values_of(agent: int, printed: Printed, values: Values) -> list[float]:
    """The value of each instance that the agent finished under all variants of the printed number."""
    by_variant = [
        values.get((agent, printed.environment, printed.difficulty, variant, printed.measure), {})
        for variant in printed.variants
    ]
    shared = set.intersection(*map(set, by_variant))
    return [fmean(of_variant[instance] for of_variant in by_variant) for instance in sorted(shared)]


def _needed(printed: Printed) -> str:
    return "Needs finished runs of this baseline." if printed.baseline else "Needs finished runs of this model."


EXACT = (
    "A printed mean counts as exact, although it is itself a mean of 12 or so runs whose error is not printed: where it "
    "differs by chance, p is too small. Two sets of 12 runs of one agent on other instances have p below 0.05 in 7 to 19 % "
    "of cases."
)
NOTHING = (
    "No finished run here has a printed counterpart yet. The command launch --preset paper plays the experiments of the "
    "paper with the baselines, of which the paper prints Knuth's heuristic and two greedy ones."
)
MOST_SENTENCES = 5


def sentences(reproduction: Reproduction) -> list[str]:
    """The comparison in words: how many means differ, which ones, and what p does not allow for."""
    if not reproduction.agreements:
        return [NOTHING]
    tested = [each for each in reproduction.agreements if each.test.p is not None]
    decided = [each for each in tested if each.is_decided]
    without = len(reproduction.agreements) - len(tested)
    start = f"{counted(len(reproduction.agreements), 'own mean has,own means have')} a printed counterpart. "
    if tested:
        start += (
            f"{counted(len(decided), 'differs,differ') if decided else 'None differs'} from it by more than chance at the "
            f"5 % level after Holm's method over {counted(len(tested), 'test,tests')}"
        )
        start += f"; {counted(without, 'has,have')} no test." if without else "."
    else:
        start += "None of them has a test: each rests on too few values, or all its values are equal."
    return [start, *(each.sentence for each in decided[:MOST_SENTENCES]), *([EXACT] if tested else [])]
