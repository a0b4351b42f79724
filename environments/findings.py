"""Findings: sentences about what happened in a run, found by fixed rules without a language model.

A rule reads a whole run and yields findings; it may also not apply to the run. Each environment lists its rules in the
module `findings` of its folder. Rules that several environments share are in `shared_findings` and `changes.rules`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from environments.base import Instance, Outcomes

VERSION = 6
"""Increase it with every change of a rule, a threshold or a sentence. Stored findings are then computed again."""

LONGEST_SENTENCE = 300

MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)
"""Exceptions that a rule may raise if a value is missing or of the wrong type, as in some imported runs."""


class NotApplicable(Exception):
    """Raised by a rule that cannot find anything in runs with this instance, length or prompt."""


@dataclass(frozen=True)
class Finding:
    """One sentence about a run.

    period: index of the period in which it happened, None if the finding is not about a single period
    seat: the seat that the finding is about, empty for the whole run
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
    notes: text by seat and period. Every seat is a key; seats of baselines have no texts, because theirs are fixed
    """

    instance: Instance
    outcomes: Outcomes
    periods: int
    variant: str = "main"
    notes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def notes_by_seat(self) -> Iterator[tuple[str, str, Mapping[int, str]]]:
        """Yield the seat of findings about notes, words for it such as ' in seat 0', and the texts by period.

        Seat and words are empty if only one seat has notes.
        """
        for seat, texts in sorted(self.notes.items()):
            yield (seat, f" in {seat.replace('_', ' ')}", texts) if len(self.notes) > 1 else ("", "", texts)


@dataclass(frozen=True)
class Rule:
    """A rule that finds findings in a run.

    key: stored with findings; title: label of filters and columns; is_problem: whether a finding counts as a mistake
    find: yields the findings; raises NotApplicable if the run should not count as a run without a finding
    of_models: whether it concerns texts that only models and people write, so that it does not count for baselines
    quotes_notes: whether its sentences quote notes; pages that do not show notes leave them out
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

    changes: the largest changes of the run, also those that no rule reports; their `rule` is the kind of change
    """

    findings: Sequence[Finding]
    inapplicable: Sequence[str]
    changes: Sequence[Finding] = ()


def apply_rules(rules: Sequence[Rule], run: FinishedRun) -> Evaluation:
    """Apply rules to a run. A rule that fails on a malformed value does not apply."""
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
    """Raise NotApplicable if a rule's condition on instance, length or prompt is false."""
    if not condition:
        raise NotApplicable


def percent(share: float) -> str:
    """Format a share, such as '83 %'. A share below 1 that would round to 100 % becomes '99.9 %'."""
    if 0.995 <= share < 1:
        return f"{min(share, 0.999) * 100:.1f} %"
    return f"{share * 100:,.0f} %".replace("-", "−")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as '1 plan' or '3 plans'."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def number(value: object) -> float:
    """Check and return a finite number. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("This is not a finite number.")
    return float(value)


def name(text: object) -> str:
    """Shorten a name from an instance or an action for use in a sentence."""
    full_name = str(text)
    return full_name if len(full_name) <= 40 else f"{full_name[:39]}…"


def _clipped(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[: LONGEST_SENTENCE - 1]}…"
