"""Facts of the replies in a round, such as the model that answered. They need no statistical test."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infrastructure.text.formats import p_text, whole_percent
from runs.models import Agent, Exchange, Experiment
from runs.models.records import ANSWERED
from stats.designs.replays import Replayed, replayed
from workspace.drift.models import NoticeKind

FACTS = (NoticeKind.MODEL, NoticeKind.TIER, NoticeKind.UPSTREAM)
"""Facts that are compared. Each is the name of a field of a reply."""

VERBS = {NoticeKind.MODEL: "answered", NoticeKind.TIER: "was the tier of", NoticeKind.UPSTREAM: "was the upstream of"}
MOST_NAMED, MOST_LETTERS = 3, 100

Facts = Mapping[str, Mapping[str, Any]]
"""For example {"model": {"gpt-6-2026-11-17": {"runs": {"17": 120}, "first": [17, 0]}}}. `runs` has
the number of calls by run; `first` is the (run, period) of the first call."""


def facts_of(experiment: Experiment, agent: Agent) -> dict[str, dict[str, Any]]:
    """The facts of an agent's replies in an experiment, as `Facts`. Takes one query per run.

    A fact that the provider does not name is left out.
    """
    values_by_fact: dict[str, dict[str, Any]] = {fact: {} for fact in FACTS}
    for run_id in experiment.runs.order_by("id").values_list("id", flat=True):
        rows: Any = Exchange.objects.filter(run=run_id, agent=agent, state__in=ANSWERED).order_by("period_index", "id")
        for period, reply in rows.values_list("period_index", "reply").iterator():
            for fact in FACTS:
                # Replies stored by earlier versions have no upstream.
                if value := printable((reply or {}).get(fact, "")):
                    row = values_by_fact[fact].setdefault(value, {"runs": Counter(), "first": [run_id, period]})
                    row["runs"][str(run_id)] += 1
    return values_by_fact


def printable(text: str) -> str:
    """A provider's text on one line, with unprintable characters replaced, since terminals and chats print it too."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text[:MOST_LETTERS])


def calls_by_value(facts: Facts, fact: str) -> Counter[str]:
    """The number of calls in a round, by value of a fact."""
    return Counter({value: sum(row["runs"].values()) for value, row in facts.get(fact, {}).items()})


@dataclass(frozen=True)
class Answers:
    """The facts of a round. instances: the instance of each run, by the run's id as text"""

    facts: Facts
    instances: Mapping[str, Any]

    def shares(self, fact: str, value: str) -> dict[Any, float]:
        """For each instance, the share of its calls with this value."""
        calls: Counter[Any] = Counter()
        of_value: Counter[Any] = Counter()
        for name, row in self.facts.get(fact, {}).items():
            for run, number in row["runs"].items():
                if run in self.instances:
                    calls[self.instances[run]] += number
                    of_value[self.instances[run]] += number if name == value else 0
        return {instance: of_value[instance] / number for instance, number in calls.items()}


def new_values(fact: NoticeKind, baseline: Sequence[Answers], new: Answers, seen: Collection[str]) -> str:
    """A sentence on values of a fact that the baseline does not have; empty if there are none.

    seen: values of earlier rounds, which are not reported again

    If the baseline has several values, the provider's router may choose a rare one by chance. Then
    the result is empty, and only `mixture_change` reports changes.
    """
    before, now = _calls(baseline, fact), _calls([new], fact)
    fresh = [value for value in now if value not in before and value not in seen]
    if len(before) != 1 or not fresh:
        return ""
    listed_values = " and ".join(
        "{}, first in run {}, period {}".format(value, *new.facts[fact][value]["first"]) for value in fresh[:MOST_NAMED]
    )
    more = f" and {len(fresh) - MOST_NAMED} more" if len(fresh) > MOST_NAMED else ""
    return f"New {fact.label.lower()}: {listed_values}{more}; the baseline has only {next(iter(before))}."


def mixture_change(fact: NoticeKind, baseline: Sequence[Answers], new: Answers, looks: int) -> str:
    """A sentence on a changed share of the baseline's most frequent value; empty if it may be due to chance.

    The test is that of `score_change`. Its observations are the shares of each instance, since the
    calls of one run are not independent.
    """
    before, now = _calls(baseline, fact), _calls([new], fact)
    if len(before) < 2 or not now:
        return ""
    usual = before.most_common(1)[0][0]
    result = replayed_by_key([answers.shares(fact, usual) for answers in baseline], new.shares(fact, usual), looks)
    if not result.is_changed:
        return ""
    percents = [whole_percent(calls[usual], calls.total()) for calls in (now, before)]
    return f"{usual} {VERBS[fact]} {percents[0]} of the calls, in the baseline {percents[1]} ({p_text(result.p)})."


def replayed_by_key(baseline: Sequence[Mapping[Any, float]], new: Mapping[Any, float], looks: int) -> Replayed:
    """Compare the observations of a round with those of the baseline's rounds, each by the same keys."""
    return replayed([[values[key] for values in baseline if key in values] for key in new], list(new.values()), looks)


def _calls(rounds: Iterable[Answers], fact: str) -> Counter[str]:
    return sum((calls_by_value(round_answers.facts, fact) for round_answers in rounds), Counter())
