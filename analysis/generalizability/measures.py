"""The measures that an agent, a model or a maker can have. Pure, apart from the data file that comes with the program."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from analysis.base.benchmark_filters import DIFFICULTIES, environment_title
from analysis.base.litmus_filters import PARTS
from analysis.litmus.scores import litmus_test_of
from environments.registry import BENCHMARKS, LITMUS_TESTS, score_format
from games.registry import parts_of
from infrastructure.text.formats import number

FILE = Path(__file__).with_name("published.json")
OUTSIDE = "outside"
"""Start of the keys of outside columns, such as 'outside.3'."""


class Source(StrEnum):
    """Where the values of a measure come from. `selectors.READERS` has a function for each."""

    SCORE = "benchmark scores"
    METRIC = "metrics of benchmark runs"
    LITMUS = "litmus tests"
    LITMUS_METRIC = "metrics of litmus runs"
    RELEASE = "release dates"
    PRICE = "list prices"
    CONTEXT = "context windows"
    NOTES = "notes, as published"
    OUTSIDE = "outside columns"


BENCHMARK_SOURCES = (Source.SCORE, Source.METRIC)
LITMUS_SOURCES = (Source.LITMUS, Source.LITMUS_METRIC)


@dataclass(frozen=True)
class Measure:
    """A column that agents, models and makers can have.

    parts: what its reader needs to know, such as the environment and the difficulty
    bounded: whether its values have bounds
    digits: decimals in print
    """

    key: str
    title: str
    unit: str
    source: Source
    parts: tuple[str, ...] = ()
    bounded: bool = True
    digits: int = 2

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def text(self, value: float) -> str:
        return f"{value:.2f}" if self.source == Source.RELEASE else number(value, self.digits)


@cache
def measures() -> dict[str, Measure]:
    """All measures by key, without outside columns."""
    return {measure.key: measure for measure in (*_of_benchmarks(), *_of_litmus_tests(), *_of_models())}


def _of_benchmarks() -> Iterator[Measure]:
    for environment in BENCHMARKS:
        title = environment_title(environment)
        for level in DIFFICULTIES:
            key, parts = f"{environment}.{level}", (environment, level)
            yield Measure(key, f"{title} {level}", "points", Source.SCORE, parts, digits=1)
            for metric in parts_of(environment).metrics:
                name = f"{title} {level}: {metric.title.lower()}"
                yield Measure(
                    f"{key}.{metric.key}", name, metric.unit, Source.METRIC, (*parts, metric.key), digits=1
                )  # fmt: skip


def _of_litmus_tests() -> Iterator[Measure]:
    for test in LITMUS_TESTS:
        title, form = environment_title(test), score_format(test)
        for part in PARTS:
            column = litmus_test_of(test).column.replace("Litmus", "litmus score") if part == "litmus" else part
            unit, digits = (form.unit.strip(), form.digits) if part == "litmus" else ("", 2)
            yield Measure(
                f"{test}.{part}", f"{title}: {column.lower()}", unit, Source.LITMUS, (test, part), digits=digits
            )
        for metric in parts_of(test).metrics:
            name = f"{title}: {metric.title.lower()}"
            yield Measure(f"{test}.{metric.key}", name, metric.unit, Source.LITMUS_METRIC, (test, metric.key), digits=1)


def _of_models() -> Iterator[Measure]:
    million = "$ per million tokens"
    yield Measure("released", "Release date", "year", Source.RELEASE)
    for kind in ("input", "output"):
        yield Measure(f"{kind}_price", f"Price of {kind}", million, Source.PRICE, (kind,), bounded=False)
    yield Measure("context", "Context window", "tokens", Source.CONTEXT, bounded=False, digits=0)
    yield Measure("preference_share", "Notes that reason about preferences", "%", Source.NOTES, digits=1)
    yield Measure("longest_list", "Mean longest preference list", "entries", Source.NOTES, bounded=False)


@cache
def content() -> Any:
    """The content of published.json."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def published_notes(key: str) -> dict[str, float]:
    """A printed measure of notes by name of the model (table 2 of the newest paper)."""
    notes = content()["notes"]
    index = notes["columns"].index(key)
    return {model: row[index] for model, row in notes["rows"].items()}
