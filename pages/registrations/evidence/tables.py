"""The tables of a registration as files, made from the evidence alone, so that another site makes the same bytes."""

import math
from collections.abc import Sequence

from infrastructure.money import usd
from infrastructure.text.tables import Column, Table, as_csv, typed
from pages.registrations.evidence.answering import Answer, answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.evidence.records import Evidence, EvidenceRun, runs_by
from runs.selectors.cells import difficulty_order, environment_order

DECIMALS = 6
"""Decimals of numbers in files. Another processor may round the last digits of a number differently."""


def files_of(evidence: Evidence) -> dict[str, str]:
    """The content of each table's CSV file by its name."""
    answers = answers_of(evidence)
    tables = {
        "answers": answers_table(answers),
        "deviations": deviations_table(deviations_of(evidence, answers)),
        "scores": scores_table(evidence),
        "runs": runs_table(evidence),
        "costs": costs_table(evidence),
    }
    return {f"tables/{name}.csv": as_csv(table) for name, table in tables.items()}


def answers_table(answers: Sequence[Answer]) -> Table:
    columns = [
        *typed(str, "question", "kind", "cells", "agents"),
        *typed(int, "instances", "planned"),
        _points("value", "registered-answers"),
        _points("low", "registered-answers"),
        _points("high", "registered-answers"),
        Column("p", digits=4, value_type=float, anchor="registered-answers"),
        Column("adjusted_p", digits=4, value_type=float, anchor="registered-answers"),
        Column("boundary", digits=4, value_type=float, anchor="registered-answers"),
        *typed(str, "verdict", "sentence"),
    ]
    rows = []
    for answer in answers:
        low, high = answer.interval or (None, None)
        numbers = map(_rounded, (answer.value, low, high, answer.p, answer.adjusted_p, answer.boundary))
        rows.append((
            answer.question, answer.kind, answer.cells, " and ".join(answer.agents), answer.instances, answer.planned,
            *numbers, answer.verdict, answer.sentence,
        ))  # fmt: skip
    return Table("Answers to the registered questions", columns, rows)


def deviations_table(deviations: Sequence[str]) -> Table:
    return Table("Deviations", typed(str, "deviation"), [(deviation,) for deviation in deviations])


def scores_table(evidence: Evidence) -> Table:
    """Mean scores of all finished runs by agent, variant and cell. It is exploratory."""
    columns = [
        *typed(str, "agent", "environment", "difficulty", "variant"),
        *typed(int, "runs", "finished"),
        _points("mean", "score-of-a-run"),
    ]
    rows = []
    by_cell = runs_by(evidence.runs, lambda run: (run.agent, run.environment, run.difficulty, run.variant))
    for (agent, environment, difficulty, variant), runs in sorted(by_cell.items(), key=lambda item: _order(item[0])):
        scores = [run.score for run in runs if run.score is not None]
        mean = 100 * math.fsum(scores) / len(scores) if scores else None
        rows.append((agent, environment, difficulty, variant, len(runs), len(scores), _rounded(mean)))
    return Table("Mean scores of finished runs", columns, rows)


def runs_table(evidence: Evidence) -> Table:
    columns = [
        *typed(int, "run", "launch"),
        *typed(str, "agent", "rival", "environment", "difficulty"),
        *typed(int, "seed"),
        *typed(str, "variant", "state"),
        *typed(int, "periods"),
        Column("score", digits=4, value_type=float, anchor="score-of-a-run"),
    ]
    rows = [
        (
            run.run, run.launch, run.agent, run.rival, run.environment, run.difficulty, run.seed, run.variant, run.state,
            run.periods_played, _rounded(run.score),
        )
        for run in evidence.runs
    ]  # fmt: skip
    return Table("Runs", columns, rows)


def costs_table(evidence: Evidence) -> Table:
    """Calls, tokens and booked dollars by launch and agent."""
    columns = [
        *typed(int, "launch"),
        *typed(str, "agent"),
        *typed(int, "runs", "calls", "input_tokens", "output_tokens"),
        Column("cost", unit="$", digits=4, value_type=float),
    ]
    rows = []
    for (launch, agent), runs in sorted(runs_by(evidence.runs, lambda run: (run.launch, run.agent)).items()):
        tokens = (_sum(runs, name) for name in ("calls", "input_tokens", "output_tokens"))
        rows.append((launch, agent, len(runs), *tokens, usd(_sum(runs, "cost_nano"))))
    return Table("Costs", columns, rows)


def _points(name: str, anchor: str) -> Column:
    return Column(name, unit="points", digits=1, value_type=float, anchor=anchor)


def _sum(runs: Sequence[EvidenceRun], name: str) -> int:
    return sum(int(getattr(run, name)) for run in runs)


def _order(cell: tuple[str, str, str, str]) -> tuple[int, int, str, str]:
    agent, environment, difficulty, variant = cell
    return environment_order(environment), difficulty_order(difficulty), agent, variant


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
