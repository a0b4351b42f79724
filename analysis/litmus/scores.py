"""The three scores of a litmus test, from run records (paper, sections 5 and 6, appendices I and J).

- Litmus: how an agent resolves a tradeoff.
- Competency: whether it can pursue one clear goal in the same setting.
- Reliability: whether the litmus score is a consistent tendency.

Only finished runs are scored; the others count in the N of "n of N". Several runs of an agent on one instance count as
their mean, except where runs pass or fail: there the runs that passed are counted.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analysis.base.published import PublishedLitmus
from analysis.base.table import RunRecord
from environments.declarations import LitmusTest
from environments.litmus import clamped, reliability
from environments.prompts.variants import prompt_title, variant_name
from environments.registry import ENVIRONMENTS, variant_of
from stats.joint import TOGETHER, means_interval, spread_interval
from stats.means import Interval, deviation_interval, mean_interval
from stats.summaries import Summary, instance_means, mean, summary

LEAST_COMPETENCY = LEAST_RELIABILITY = 0.8
"""A litmus score is greyed out if its competency or reliability is below the threshold. The thresholds are ours: the paper
states none, but marks 0.80 in table 5."""


@dataclass(frozen=True)
class LitmusScores:
    """An agent's three scores in one test.

    competency: if runs pass or fail, the mean is the share that passed and `solved` their number; `of` is 0 if no run
        was launched
    steadiness: 95 % interval of the reliability
    joint: intervals of litmus, competency and reliability, by name, that all contain their true values in 95 % of cases
    reasons: why the litmus score says little, a sentence each
    bound: a sentence about runs whose rate is at an end of its grid, with the bounds; empty if there are none
    """

    test: str
    litmus: Summary
    competency: Summary
    reliability: float | None
    reasons: tuple[str, ...] = ()
    bound: str = ""
    steadiness: Interval | None = None
    joint: Mapping[str, Interval | None] = field(default_factory=dict)

    @property
    def weak(self) -> str:
        return " ".join(self.reasons)

    @property
    def has_score(self) -> bool:
        return self.litmus.mean is not None

    def value(self, part: str) -> float | None:
        """The mean of one of the three scores, by name."""
        return {"litmus": self.litmus.mean, "competency": self.competency.mean, "reliability": self.reliability}[part]


def litmus_test_of(test: str) -> LitmusTest:
    """The declaration of a litmus test by its environment."""
    litmus = ENVIRONMENTS[test].litmus
    assert litmus is not None
    return litmus


def litmus_scores(test: str, runs: Iterable[RunRecord]) -> LitmusScores:
    """The scores of one agent in one test. `runs`: its runs in all variants of the paper or of one own prompt."""
    runs = list(runs)
    main = [run for run in runs if run.base == "main"]
    scored = [run for run in main if run.is_scored]
    litmus = _summary(main)
    parts = {
        name: [run for run in runs if run.base == name]
        for name, variant in ENVIRONMENTS[test].variants.items()
        if variant.is_competency
    }
    competency = _competency([_summary(part) for part in parts.values()], parts.values())
    metric = litmus_test_of(test).reliability_metric
    measured = [run for run in scored if metric and run.metrics.get(metric) is not None]
    steady_values = _by_instance(measured, [float(run.metrics[metric]) for run in measured])
    scores, instances = [run.score or 0.0 for run in scored], len({run.instance_id for run in scored})
    steady = mean(steady_values) if metric else reliability(scores)
    steadiness = mean_interval(steady_values) if metric else _steadiness(steady, scores, instances)
    # The interval needs independent scores, and those of one instance are not.
    spread = spread_interval(scores) if instances == len(scores) else None
    joint = {
        "litmus": means_interval([_scores(scored)], TOGETHER),
        "competency": means_interval([_scores(part) for part in parts.values()], TOGETHER),
        "reliability": means_interval([steady_values], TOGETHER) if metric else _reliabilities(spread),
    }
    takes = "a finished run" if metric else "two finished runs"
    reasons = [
        _too_low("Competency", competency.mean, LEAST_COMPETENCY, _unknown_competency(competency, parts, main)),
        _too_low("Reliability", steady, LEAST_RELIABILITY, f"Reliability is not known yet: it takes {takes}.")
        or _uncertain_reliability(steady, steadiness),
    ]
    weak = () if litmus.mean is None else tuple(filter(None, reasons))
    bounds = [str(bound) for run in scored if (bound := run.metrics.get("litmus_bound"))]
    return LitmusScores(test, litmus, competency, steady, weak, _bound_sentence(bounds, len(scored)), steadiness, joint)


def reported_scores(printed: PublishedLitmus) -> LitmusScores:
    """The scores printed in the paper, marked as weak by the same thresholds."""
    reasons = [
        _too_low("Competency", printed.competency.mean, LEAST_COMPETENCY, "Competency was not reported."),
        _too_low("Reliability", printed.reliability, LEAST_RELIABILITY, "Reliability was not reported."),
    ]
    weak = () if printed.litmus is None else tuple(filter(None, reasons))
    litmus = Summary(printed.litmus, None, 0, 0)
    return LitmusScores(printed.test, litmus, printed.competency, printed.reliability, weak)


def _bound_sentence(bounds: Sequence[str], runs: int) -> str:
    """A sentence about rates at an end of the grid. bounds: one for each such run, such as 'at least 19.4 %'"""
    if not bounds:
        return ""
    bounds_text = ", ".join(sorted(set(bounds)))
    if runs == 1:
        return f"The rate is at an end of the grid of 0 to 20 %, so only {bounds_text} is known."
    of = "all" if len(bounds) == runs else f"{len(bounds)} of"
    return f"The rates of {of} {runs} runs are at an end of the grid of 0 to 20 % ({bounds_text}), so the mean is not exact."


def _summary(runs: Sequence[RunRecord]) -> Summary:
    scored = [run for run in runs if run.is_scored]
    solved = sum(run.score == 1 for run in scored) if scored and _pass_or_fail(scored) else None
    return replace(summary(_scores(scored), of=len(runs), solved=solved), n=len(scored))


def _pass_or_fail(runs: Iterable[RunRecord]) -> bool:
    return all(variant_of(run.environment, run.variant).is_pass_or_fail for run in runs)


def _scores(runs: Iterable[RunRecord]) -> list[float]:
    """The scores of finished runs, one for each instance, or for each run if runs pass or fail."""
    scored = [run for run in runs if run.is_scored]
    scores = [run.score or 0.0 for run in scored]
    return scores if _pass_or_fail(scored) else _by_instance(scored, scores)


def _by_instance(runs: Sequence[RunRecord], values: Sequence[float]) -> list[float]:
    """The means over the runs of each instance."""
    return instance_means(np.array([run.instance_id for run in runs]), np.array(values)).tolist() if runs else []


def _competency(parts: Sequence[Summary], runs: Iterable[Sequence[RunRecord]]) -> Summary:
    """The mean of the variants' means; unknown if a variant has no finished run."""
    if len(parts) == 1:
        return parts[0]
    means = [part.mean for part in parts if part.mean is not None]
    errors = [part.standard_error for part in parts if part.standard_error is not None]
    complete = len(means) == len(parts)
    return Summary(
        mean=mean(means) if complete else None,
        standard_error=math.hypot(*errors) / len(errors) if complete and len(errors) == len(parts) else None,
        n=sum(part.n for part in parts),
        of=sum(part.of for part in parts),
        interval=means_interval(list(map(_scores, runs))),
    )


def _unknown_competency(
    competency: Summary, parts: Mapping[str, Sequence[RunRecord]], main: Sequence[RunRecord]
) -> str:
    """The reason why a competency has no mean."""
    if any(run.rival_id is not None for run in main):
        return "Competency belongs to each agent alone, not to a market of two."
    own = main[0].own_prompt if main else ""
    missing = [
        prompt_title(variant_name(variant, own)) if own else variant.replace("_", " ")
        for variant, runs in parts.items()
        if not any(run.is_scored for run in runs)
    ]
    if competency.of:
        return f"Competency is not known yet: no {' or '.join(missing)} run has finished."
    # Imported agents cannot be launched: their competency is known from logs or not at all.
    lacking = "log was imported" if any(run.is_imported for run in main) else "run was launched"
    return f"Competency is not known: no {' or '.join(missing)} {lacking}."


def _steadiness(reliability: float | None, scores: Sequence[float], instances: int) -> Interval | None:
    """The 95 % interval of a reliability that is 1 minus the standard deviation of the runs' scores.

    Several runs on one instance may resemble each other, so the degrees of freedom are those of the instances.

    None for equal scores. None also if a score is 0 or 1, since the interval then contains the true value in far fewer
    than 95 % of cases.
    """
    if reliability is None or instances < 2 or min(scores) == max(scores) or min(scores) <= 0 or max(scores) >= 1:
        return None
    return _reliabilities(deviation_interval(1 - reliability, instances - 1))


def _reliabilities(spreads: Interval | None) -> Interval | None:
    """The interval of 1 minus a standard deviation, from that of the standard deviation."""
    return spreads and (clamped(1 - spreads[1]), clamped(1 - spreads[0]))


def _uncertain_reliability(reliability: float | None, steadiness: Interval | None) -> str:
    if reliability is None or steadiness is None or steadiness[0] >= LEAST_RELIABILITY:
        return ""
    low, high = steadiness
    interval = f"95 % interval {low:.{_digits(low, LEAST_RELIABILITY)}f} to {high:.2f}"
    return f"Reliability {reliability:.2f} ({interval}) may be below {LEAST_RELIABILITY:.2f}: too few runs."


def _too_low(name: str, value: float | None, least: float, unknown: str) -> str:
    if value is None:
        return unknown
    return f"{name} {value:.{_digits(value, least)}f} is below {least:.2f}." if value < least else ""


def _digits(value: float, least: float) -> int:
    """The number of decimals to print. 0.799 gets four, to avoid the sentence "0.80 is below 0.80"."""
    return 2 if round(value, 2) < least else 4
