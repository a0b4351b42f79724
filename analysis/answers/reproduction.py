"""Do our runs agree with the printed numbers?"""

from collections.abc import Iterator

from analysis.answers.base import Answer, AnswerTable
from analysis.reproduction.agreement import Reproduction, sentences
from analysis.reproduction.printed import Printed, printed_numbers
from analysis.reproduction.selectors import ReproductionFilter, reproduction_by_filter
from infrastructure.text.tables import Column, typed

METHOD = "agreement-with-printed-numbers"
OF_100 = "× 100"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _agreements(reproduction: Reproduction) -> Iterator[tuple[object, ...]]:
    for each in reproduction.agreements:
        test, (low, high) = each.test, each.test.interval or (None, None)
        yield (
            *_cell(each.printed), each.agent, _percent(test.mean), test.n, _percent(each.printed.value),
            _percent(test.difference), _percent(low), _percent(high), test.p, test.adjusted_p, each.printed.source,
            test.reason or None,
        )  # fmt: skip


def _cell(printed: Printed) -> tuple[str, str, str, str]:
    return (
        printed.environment, printed.difficulty, " and ".join(printed.variants), printed.measure.replace(".", ", ")
    )  # fmt: skip


def _missing(reproduction: Reproduction) -> Iterator[tuple[object, ...]]:
    for each in reproduction.missing:
        yield each.source, ", ".join(each.names), each.numbers, each.reason


def _printed(numbers: tuple[Printed, ...]) -> Iterator[tuple[object, ...]]:
    for printed in numbers:
        yield *_cell(printed), printed.name, _percent(printed.value), printed.source, printed.other or None


CELL = [
    *typed(str, "environment", "difficulty"),
    Column("prompt", description="Prompt variants of the runs."),
    Column("measure", description="The score of the runs, or one of their metrics."),
]
SOURCE = Column("source", description="The table of the newest paper, or another paper and its table.")
REPRODUCTION = Answer(
    name="reproduction",
    title="Agreement with printed numbers",
    question="Do our runs agree with the numbers that the papers print?",
    filter_class=ReproductionFilter,
    read=reproduction_by_filter,
    sentences=sentences,
    tables={
        "agreement": AnswerTable(
            "own means beside the printed mean of the same model or baseline",
            "Own means against printed ones",
            [
                *CELL,
                Column("agent"),
                Column("mean", "Own mean", OF_100, digits=1, value_type=float, anchor=METHOD),
                Column("instances", value_type=int),
                Column("printed", unit=OF_100, digits=1, value_type=float),
                Column("difference", unit="points", digits=1, value_type=float),
                Column("low", "95 % interval from", "points", digits=1, value_type=float),
                Column("high", "to", "points", digits=1, value_type=float),
                Column(
                    "p", "p", digits=3, value_type=float, description="Two-sided; the printed mean counts as exact."
                ),
                Column(
                    "p_holm", "p, Holm", digits=3, value_type=float, description="p by Holm's method over the table."
                ),
                SOURCE,
                Column(
                    "note", description="Why there is no test: too few values, all equal, or all but two at a bound."
                ),
            ],
            _agreements,
        ),
        "not-reproduced": AnswerTable(
            "printed numbers without a comparable run, by source and reason",
            "Printed numbers without own runs",
            [
                SOURCE,
                Column("names", "Models or baselines"),
                Column("numbers", value_type=int),
                Column("reason", description="What is needed, or why the number cannot be compared."),
            ],
            _missing,
        ),
        "printed": AnswerTable(
            "the printed numbers of the papers",
            "Printed numbers",
            [
                *CELL,
                Column("printed_name", "Model or baseline"),
                Column("printed", unit=OF_100, digits=1, value_type=float),
                SOURCE,
                Column("note", description="Why our runs measure something else."),
            ],
            _printed,
            read=lambda owner, run_filter: printed_numbers(),
        ),
    },
)
