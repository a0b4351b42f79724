"""The three scores of a litmus test, from plain run records (paper, sections 5 and 6, appendices I and J).

- Litmus: how an agent resolves a tradeoff.
- Competency: whether it can pursue one clear goal in the same setting.
- Reliability: whether the litmus score is a consistent tendency.

Only finished runs are scored; the others count in n of N.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.records import RunRecord
from analysis.statistics import Scores, Summary, summary
from environments.declarations import LitmusTest
from environments.litmus import reliability
from environments.registry import ENVIRONMENTS, variant_of

LEAST_COMPETENCY = LEAST_RELIABILITY = 0.8
"""A litmus score is greyed out below these thresholds of ours. The paper names none; its table 5 marks 0.80."""


@dataclass(frozen=True)
class LitmusScores:
    """An agent's three scores in one test.

    competency: `solved` counts converged runs if it is a share of runs; `of` is 0 if no run was launched
    weak: the reason why the litmus score says little; empty if there is none
    bound: the bound of a rate at an end of its grid, such as 'at least 19.4 %'
    """

    test: str
    litmus: Summary
    competency: Summary
    reliability: float | None
    weak: str
    bound: str = ""

    @property
    def is_known(self) -> bool:
        return self.litmus.mean is not None


def declared(test: str) -> LitmusTest:
    """What the environment declares about the test."""
    litmus = ENVIRONMENTS[test].litmus
    assert litmus is not None
    return litmus


def litmus_scores(test: str, runs: Iterable[RunRecord]) -> LitmusScores:
    """The scores of one agent from its runs of one test, in all variants."""
    runs = list(runs)
    main = [run for run in runs if run.variant == "main"]
    litmus = _summary(main)
    competencies = [name for name, variant in ENVIRONMENTS[test].variants.items() if variant.is_competency]
    parts = {variant: [run for run in runs if run.variant == variant] for variant in competencies}
    competency = _competency(parts)
    steady = _reliability(test, main)
    weak = ""
    if litmus.mean is not None:
        mixed = any(run.rival_id is not None for run in main)
        imported = any(run.is_imported for run in main)
        reasons = [_low_competency(competency, parts, mixed=mixed, imported=imported), _low_reliability(steady, test)]
        weak = " ".join(filter(None, reasons))
    bounds = {str(run.metrics.get("litmus_bound") or "") for run in main if run.is_scored}
    return LitmusScores(test, litmus, competency, steady, weak, ", ".join(sorted(filter(None, bounds))))


def reported_weakness(competency: float | None, steady: float | None) -> str:
    """The reason why a published score says little."""
    reasons = [
        "Competency was not reported." if competency is None else _below("Competency", competency, LEAST_COMPETENCY),
        "Reliability was not reported." if steady is None else _below("Reliability", steady, LEAST_RELIABILITY),
    ]
    return " ".join(filter(None, reasons))


def _summary(runs: Sequence[RunRecord]) -> Summary:
    scored = [run for run in runs if run.is_scored]
    counted = scored and all(variant_of(run.environment, run.variant).is_pass_or_fail for run in scored)
    solved = sum(run.score == 1 for run in scored) if counted else None
    return summary(Scores(tuple(run.score or 0.0 for run in scored), of=len(runs), solved=solved))


def _competency(parts: Mapping[str, Sequence[RunRecord]]) -> Summary:
    """The mean of the variants' means; unknown if one of them has no finished run."""
    summaries = [_summary(runs) for runs in parts.values()]
    if len(summaries) == 1:
        return summaries[0]
    means = [part.mean for part in summaries if part.mean is not None]
    errors = [part.standard_error for part in summaries if part.standard_error is not None]
    complete = len(means) == len(summaries)
    return Summary(
        mean=math.fsum(means) / len(means) if complete else None,
        standard_error=math.hypot(*errors) / len(errors) if complete and len(errors) == len(summaries) else None,
        n=sum(part.n for part in summaries),
        of=sum(part.of for part in summaries),
    )


def _reliability(test: str, main: Sequence[RunRecord]) -> float | None:
    """The mean of the runs' own reliabilities if the test has them, else 1 - sd of the runs' litmus scores."""
    scored = [run for run in main if run.is_scored]
    metric = declared(test).reliability_metric
    if metric:
        known = [float(run.metrics[metric]) for run in scored if run.metrics.get(metric) is not None]
        return math.fsum(known) / len(known) if known else None
    return reliability([run.score or 0.0 for run in scored])


def _low_competency(
    competency: Summary, parts: Mapping[str, Sequence[RunRecord]], *, mixed: bool, imported: bool
) -> str:
    if competency.mean is not None:
        return _below("Competency", competency.mean, LEAST_COMPETENCY)
    if mixed:
        return "Competency belongs to each agent alone, not to a market of two."
    if competency.of == 0:
        return _no_competency_runs(parts, imported)
    named = _named(variant for variant, runs in parts.items() if not any(run.is_scored for run in runs))
    return f"Competency is not known yet: no {named} run has finished."


def _no_competency_runs(parts: Iterable[str], imported: bool) -> str:
    """Imported agents cannot be launched: their competency is known from logs or not at all."""
    if imported:
        return f"Competency is not known: no {_named(parts)} log was imported."
    return f"Competency is not known: no {_named(parts)} run was launched."


def _named(variants: Iterable[str]) -> str:
    return " or ".join(variant.replace("_", " ") for variant in variants)


def _low_reliability(steady: float | None, test: str) -> str:
    if steady is not None:
        return _below("Reliability", steady, LEAST_RELIABILITY)
    takes = "a finished run" if declared(test).reliability_metric else "two finished runs"
    return f"Reliability is not known yet: it takes {takes}."


def _below(name: str, value: float, least: float) -> str:
    # Avoids "0.80 is below 0.80" for 0.799.
    digits = 2 if round(value, 2) < least else 4
    return f"{name} {value:.{digits}f} is below {least:.2f}." if value < least else ""
