"""Findings: sentences about what happened in a run, from rules on its periods. No model is asked.

A rule reads a whole run and yields findings, none where it does not apply. Each environment lists its rules in the module
`findings` of its folder; rules that several environments share are in `shared_findings` and `changes.rules`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from environments.base import Instance, Outcomes

VERSION = 6
"""Increase it with every change of a rule, a threshold or a sentence. Stored findings are then computed again."""

LONGEST_SENTENCE = 300

MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)
"""What a rule raises on results that lack a value or hold one of another kind, as imported runs may."""


class NotApplicable(Exception):
    """Raised by a rule: no run on this instance, of this length or under this prompt could have given a finding."""


@dataclass(frozen=True)
class Finding:
    """One sentence about a run.

    period: index of the period in which it happened, None if it is about no single period
    seat: the seat that it is about, empty if it is about the whole run
    value: the number that the rule measured, for sorting and for programs
    rule: key of the rule, set by `findings_of`
    """

    sentence: str
    period: int | None = None
    value: float | None = None
    seat: str = ""
    rule: str = ""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run.

    periods: planned length of the run; it may have ended earlier
    notes: text by seat and period; every seat is a key, those of baselines without texts, because they write fixed ones
    """

    instance: Instance
    outcomes: Outcomes
    periods: int
    variant: str = "main"
    notes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """A rule raises NotApplicable where it can find nothing, so that the run does not count as one without a finding.

    key: stored with findings; title: label of filters and columns; is_problem: whether it counts as a mistake
    of_models: whether it is about what only models and people write, so that baselines have no share of it
    quotes_notes: whether its sentences hold words of notes, which pages without notes do not show
    """

    key: str
    title: str
    find: Callable[[FinishedRun], Iterable[Finding]]
    is_problem: bool = True
    of_models: bool = False
    quotes_notes: bool = False


@dataclass(frozen=True)
class Evaluation:
    """The findings of a run in the order of the rules, and the keys of the rules that do not apply to it.

    changes: the largest changes of the run, whether or not a rule names them, with the kind of change as their rule
    """

    findings: Sequence[Finding]
    inapplicable: Sequence[str]
    changes: Sequence[Finding] = ()


def apply_rules(rules: Sequence[Rule], run: FinishedRun) -> Evaluation:
    """A rule that meets a malformed value does not apply."""
    findings: list[Finding] = []
    inapplicable = []
    for rule in rules:
        try:
            rule_findings = [
                replace(finding, rule=rule.key, sentence=_clipped(finding.sentence)) for finding in rule.find(run)
            ]
        except (NotApplicable, *MALFORMED):
            inapplicable.append(rule.key)
            continue
        findings += [finding for finding in rule_findings if finding.value is None or math.isfinite(finding.value)]
    return Evaluation(findings, inapplicable)


def need(condition: bool) -> None:
    """Raises NotApplicable unless a rule's condition on instance, length or prompt holds."""
    if not condition:
        raise NotApplicable


def percent(share: float) -> str:
    """'83 %'; shares that would round to 100 % without reaching it are shown as '99.9 %'."""
    if 0.995 <= share < 1:
        return f"{min(share, 0.999) * 100:.1f} %"
    return f"{share * 100:,.0f} %".replace("-", "−")


def counted(number: int, noun: str) -> str:
    """'1 plan', '3 plans'"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def number(value: object) -> float:
    """A finite number. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("This is not a finite number.")
    return float(value)


def name(text: object) -> str:
    """A name from an instance or an action, short enough for a sentence."""
    full_name = str(text)
    return full_name if len(full_name) <= 40 else f"{full_name[:39]}…"


def _clipped(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[: LONGEST_SENTENCE - 1]}…"
