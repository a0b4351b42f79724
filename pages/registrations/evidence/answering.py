"""The answers to the questions of a registration, and only to these. Pure functions over the evidence."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.base.matching import Match, Side
from analysis.comparing.comparison import Agents, Comparison
from analysis.comparing.sentences import sentence
from infrastructure.text.formats import counted
from pages.registrations.evidence.records import Evidence, EvidenceRun
from pages.registrations.evidence.staged import staged_result
from pages.registrations.file import QuestionIn
from pages.registrations.planning import Test, cells_of, tests_of
from stats.means import Interval, mean_interval
from stats.paired import holm, paired

EXPECTED_SIGNS = {"two-sided": 0, "second-higher": 1, "first-higher": -1}
DIRECTION_TEXTS = {
    "confirmed": "Confirmed: the difference has the registered direction.",
    "contradicted": "Contradicted: the difference has the other direction than registered.",
    "not confirmed": "Not confirmed.",
}


@dataclass(frozen=True)
class Answer:
    """One answer: of a test or of an estimate.

    agents: slugs; instances: number in the answer; planned: the registered number
    value: the difference of a comparison, second minus first, or a mean; interval: its 95 % interval; in points of 100
    p, adjusted_p: of a comparison; boundary: the largest p that decides a comparison in stages
    verdict: 'confirmed', 'contradicted' or 'not confirmed' for a registered direction, 'difference' or 'no evidence' for
        a two-sided comparison, 'estimate' for a mean
    sentence: the answer in words
    """

    question: str
    kind: str
    cells: str
    agents: tuple[str, ...]
    instances: int
    planned: int
    value: float | None
    interval: Interval | None
    p: float | None
    adjusted_p: float | None
    boundary: float | None
    verdict: str
    sentence: str

    @property
    def heading(self) -> str:
        """The name of the question and its cells."""
        return f"{self.question}, {self.cells}"


def answers_of(evidence: Evidence) -> list[Answer]:
    """The answers in the order of the questions.

    Holm's method adjusts over all registered comparisons. One without an instance in common counts with p = 1, because the
    number of tests was fixed before the first run.
    """
    compared = _compared(evidence)
    answers: list[Answer] = []
    for question in evidence.study.questions:
        if question.kind == "stages":
            answers.append(_staged(evidence, question))
        elif question.kind == "compare":
            answers += [next(compared) for _ in tests_of(question, cells_of(question))]
        else:
            answers += [_mean(evidence, test) for test in tests_of(question, cells_of(question))]
    return answers


def _compared(evidence: Evidence) -> Iterator[Answer]:
    """The answers of all comparisons, in the order of their questions."""
    questions = [question for question in evidence.study.questions if question.kind == "compare"]
    tests = [test for question in questions for test in tests_of(question, cells_of(question))]
    matches = [_matches(evidence, test) for test in tests]
    statistics = [paired([match.difference for match in pairs if match.is_pair]) for pairs in matches]
    p_values = [1.0 if numbers.p is None else numbers.p for numbers in statistics]
    is_holm = evidence.study.correction == "holm"
    adjusted = holm(p_values) if is_holm and p_values else p_values
    for test, pairs, numbers, p in zip(tests, matches, statistics, adjusted, strict=True):
        first, second = map(evidence.name_of, test.agents)
        together = len(tests) if is_holm else 1
        comparison = Comparison(Agents(0, 1, first, second), test.cells[0][0], pairs, numbers, p, together)
        verdict = verdict_of(test.question, numbers.difference, comparison.is_decided)
        yield Answer(
            question=test.question.name,
            kind=test.question.kind,
            cells=test.title,
            agents=test.agents,
            instances=numbers.n,
            planned=test.question.instances or 0,
            value=numbers.difference,
            interval=numbers.interval,
            p=numbers.p,
            adjusted_p=p if numbers.p is not None else None,
            boundary=None,
            verdict=verdict,
            sentence=" ".join(filter(None, (sentence(comparison), DIRECTION_TEXTS.get(verdict)))),
        )


def _matches(evidence: Evidence, test: Test) -> list[Match]:
    """The instances that one of the two agents finished, in the order of the cells and of their seeds."""
    matches = []
    for cell in test.cells:
        first, second = (evidence.scored(slug, test.question.variant, *cell) for slug in test.agents)
        for instance, runs in sorted((first | second).items(), key=lambda item: (item[1][0].seed, item[0])):
            matches.append(Match(*cell, runs[0].seed, _side(first.get(instance)), _side(second.get(instance))))
    return matches


def _side(runs: list[EvidenceRun] | None) -> Side | None:
    return Side(100 * _mean_score(runs), runs[0].run, len(runs)) if runs else None


def _mean_score(runs: list[EvidenceRun]) -> float:
    return math.fsum(run.score or 0.0 for run in runs) / len(runs)


def verdict_of(question: QuestionIn, difference: float | None, is_decided: bool) -> str:
    """The verdict of a two-sided test, with regard to the registered direction."""
    expected_sign = EXPECTED_SIGNS[question.direction]
    if not expected_sign:
        return "difference" if is_decided else "no evidence"
    if not is_decided or difference is None:
        return "not confirmed"
    return "confirmed" if difference * expected_sign > 0 else "contradicted"


def _mean(evidence: Evidence, test: Test) -> Answer:
    """The mean over instances, each with the mean of its runs."""
    (slug,) = test.agents
    scores = [
        _mean_score(runs)
        for cell in test.cells
        for _, runs in sorted(evidence.scored(slug, test.question.variant, *cell).items())
    ]
    mean = 100 * math.fsum(scores) / len(scores) if scores else None
    shares = mean_interval(scores) if scores else None
    interval = (100 * shares[0], 100 * shares[1]) if shares else None
    return Answer(
        question=test.question.name,
        kind=test.question.kind,
        cells=test.title,
        agents=test.agents,
        instances=len(scores),
        planned=test.question.instances or 0,
        value=mean,
        interval=interval,
        p=None,
        adjusted_p=None,
        boundary=None,
        verdict="estimate",
        sentence=_mean_sentence(evidence.name_of(slug), mean, interval, len(scores)),
    )


def _mean_sentence(name: str, mean: float | None, interval: Interval | None, number: int) -> str:
    if mean is None:
        return f"{name} has finished no registered instance."
    ends = f"95 % interval {interval[0]:.1f} to {interval[1]:.1f}" if interval else "no interval"
    return f"{name} scores {mean:.1f} points on average ({ends}, {counted(number, 'instance,instances')})."


def _staged(evidence: Evidence, question: QuestionIn) -> Answer:
    number = question.launch or 0
    result = staged_result(evidence, number)
    look = result.look
    verdict = verdict_of(question, look.difference, look.is_decided and not result.is_broken)
    launch = evidence.study.launches[number - 1]
    return Answer(
        question=question.name,
        kind=question.kind,
        cells=" + ".join(f"{environment} {difficulty}" for environment, difficulty in result.cells),
        agents=tuple(launch.agents),
        instances=look.n,
        planned=result.total,
        value=look.difference,
        interval=None,
        p=look.p,
        adjusted_p=None,
        boundary=look.boundary,
        verdict=verdict,
        sentence=" ".join(filter(None, (result.sentence(evidence), DIRECTION_TEXTS.get(verdict)))),
    )
