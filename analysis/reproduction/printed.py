"""The printed means that own runs can be compared with, from the tables of `analysis.base.published`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from analysis.base import published
from analysis.base.litmus_filters import STANDARD
from analysis.behaviour.published import printed_metrics
from environments.registry import BENCHMARKS, ENVIRONMENTS

SCORE = "score"
OTHER_RATES = "It counts all plans, ours those up to the first optimal one."
OTHER_COMPOUNDING = "Compounded annually, ours continuously."
PRINTED_AGAIN = "The newest paper prints this number too."


@dataclass(frozen=True)
class Printed:
    """A mean that a paper prints.

    name: of the model or of the baseline; baseline: its slug, empty for a model
    variants: the prompt variants of its runs; of several, a seed counts with the mean of its means
    measure: SCORE or the key of a metric, with a dot before the key of a nested one
    value: a share
    other: why our runs measure something else; empty if they can be compared
    """

    name: str
    baseline: str
    environment: str
    difficulty: str
    variants: tuple[str, ...]
    measure: str
    value: float
    source: str
    other: str = ""


@cache
def printed_numbers() -> tuple[Printed, ...]:
    return (*_benchmarks(), *_prompts(), *_metrics(), *_litmus(), *_horizons(), *_distances())


def _benchmarks() -> Iterator[Printed]:
    content = published.content()
    tables = (
        (content["benchmarks"]["table"], content["benchmarks"]["scores"]),
        (content["baselines"]["source"], content["baselines"]["scores"]),
        (_earlier("benchmarks"), content["earlier"]["benchmarks"]["scores"]),
    )
    for source, rows in tables:
        for row in rows:
            yield _row(row, row["environment"], row["difficulty"], ("main",), SCORE, row["score"] / 100, source)


def _prompts() -> Iterator[Printed]:
    """The scores under the main prompt are those of the benchmarks."""
    source = published.content()["prompts"]["table"]
    for row in published.prompt_scores():
        for measure in (SCORE, "exploration_rate"):
            if (measure, row.variant) != (SCORE, "main"):
                cell = (row.environment, row.difficulty, (row.variant,))
                yield Printed(row.llm, "", *cell, measure, getattr(row, measure), source)


def _metrics() -> Iterator[Printed]:
    source, rates = "EconAgentBench, table 3", published.content()["earlier"]["exploration"]
    for environment in BENCHMARKS:
        for (model, difficulty), metrics in printed_metrics(environment).items():
            for key, percent in metrics.items():
                if key != "exploration_rate":
                    yield Printed(model, "", environment, difficulty, ("main",), key, percent / 100, source)
    for row in rates["scores"]:
        cell = (rates["environment"], row["difficulty"], ("main",), "exploration_rate")
        value = row["exploration_percent"] / 100
        yield Printed(row["llm"], "", *cell, value, _earlier("exploration"), OTHER_RATES)


def _litmus() -> Iterator[Printed]:
    content = published.content()
    for source, rows, note in (
        (content["litmus"]["table"], content["litmus"]["scores"], ""),
        (content["baselines"]["litmus_source"], content["baselines"]["litmus"], ""),
        (_earlier("litmus"), content["earlier"]["litmus"]["scores"], PRINTED_AGAIN),
    ):
        for row in rows:
            test = ENVIRONMENTS[row["litmus_test"]]
            assert test.litmus is not None
            competencies = tuple(name for name, variant in test.variants.items() if variant.is_competency)
            competence = row.get("competency")
            if isinstance(competence, str):  # Runs that converged, as "2/3".
                hits, runs = map(int, competence.split("/"))
                competence = hits / runs
            rate = row.get("litmus_percent")
            values = (
                (("main",), SCORE, row.get("litmus") if rate is None else rate / 100),
                ((row["variant"],) if "variant" in row else competencies, SCORE, competence),
                (("main",), test.litmus.reliability_metric, row.get("reliability")),
            )
            for variants, measure, value in values:
                if measure and value is not None:
                    other = OTHER_COMPOUNDING if note and rate is not None else note
                    yield _row(row, row["litmus_test"], STANDARD, variants, measure, value, source, other)


def _horizons() -> Iterator[Printed]:
    content = published.content()
    tables = (
        (content["patience_by_horizon"]["table"], content["patience_by_horizon"], ""),
        (_earlier("patience_by_horizon"), content["earlier"]["patience_by_horizon"], OTHER_COMPOUNDING),
    )
    for source, table, other in tables:
        for row in table["scores"]:
            for key, value in (("rate", row["litmus_percent"] / 100), ("reliability", row["reliability"])):
                measure = f"by_horizon.{row['horizon']}.{key}"
                cell = (content["patience_by_horizon"]["litmus_test"], STANDARD, ("main",), measure)
                yield Printed(row["llm"], "", *cell, value, source, other)


def _distances() -> Iterator[Printed]:
    table = published.content()["earlier"]["frontier_distance"]
    for model, value in table["scores"].items():
        cell = (table["litmus_test"], STANDARD, ("main",), "frontier_distance")
        yield Printed(model, "", *cell, value, _earlier("frontier_distance"))


def _row(row: Any, *cell: Any) -> Printed:
    return Printed(row["llm"], row.get("baseline", ""), *cell)


def _earlier(table: str) -> str:
    name = published.content()["earlier"][table]["table"]
    return f"{name} of the earlier paper"
