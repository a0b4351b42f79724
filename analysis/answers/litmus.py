"""How do agents resolve the tradeoffs of the litmus tests?"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable
from analysis.answers.figures import litmus as figures
from analysis.base.benchmark_filters import environment_title
from analysis.base.leaderboard import NO_LINKS, member_links
from analysis.base.litmus_filters import PARTS, LitmusFilter
from analysis.base.table import RunRecord
from analysis.litmus import page
from analysis.litmus.leaderboard import facts, row_cells
from analysis.litmus.page import LitmusPage
from analysis.litmus.rates import horizon_labels
from analysis.litmus.runs import litmus_page, litmus_rows, records_of
from analysis.litmus.scores import litmus_test_of
from analysis.litmus.table import LitmusRow
from environments.registry import LITMUS_TESTS
from infrastructure.text.tables import Column, Printed, Table, typed
from runs.selectors.experiments import experiment_or_404


def _scores(rows: Iterable[LitmusRow]) -> Iterator[tuple[object, ...]]:
    """Unrounded. Rates are shares a year."""
    for row in rows:
        for scores in filter(None, row.scores):
            yield (
                row.name, row.kind.value, scores.test,
                scores.litmus.mean, scores.litmus.standard_error, scores.litmus.n, scores.litmus.of,
                scores.competency.mean, scores.competency.n, scores.competency.of, scores.reliability,
                *(scores.steadiness or (None, None)), scores.weak, row.own_prompt,
                *(scores.litmus.interval or (None, None)), *(scores.competency.interval or (None, None)),
                *(end for part in PARTS for end in scores.joint.get(part) or (None, None)),
            )  # fmt: skip


def _as_on_the_page(rows: Sequence[LitmusRow]) -> Table:
    """Three scores for each test that has a score."""
    indices = [index for index in range(len(LITMUS_TESTS)) if any(row.scores[index] for row in rows)]
    heads = [
        Column(
            f"{test}.{part}",
            litmus_test_of(test).column if part == "litmus" else part,
            group=environment_title(test),
            value_type=float,
        )
        for test in (LITMUS_TESTS[index] for index in indices)
        for part in PARTS
    ]
    lines = [
        (
            row.full_name,
            *(Printed(cell.text, cell.small) for index in indices for cell in row_cells(row, row.scores[index])),
        )
        for row in rows
    ]
    return Table("Litmus scores by agent", [Column("agent", "Agent"), *heads], lines)


def _runs(records: Iterable[RunRecord]) -> Iterator[tuple[object, ...]]:
    for run in records:
        metrics = (run.metrics[key] for key in page.PARETO)
        yield (run.run_id, run.player, run.environment, run.variant, run.seed, run.state, run.score, *metrics)


def _page(organization: Organization, litmus_filter: LitmusFilter) -> LitmusPage:
    return litmus_page(organization, litmus_filter, NO_LINKS)[1]


def _read(organization: Organization, litmus_filter: LitmusFilter) -> list[LitmusRow]:
    return litmus_rows(records_of(organization=organization, litmus_filter=litmus_filter), litmus_filter)


def _context(organization: Organization, litmus_filter: LitmusFilter, query: QueryDict) -> dict[str, Any]:
    experiment = litmus_filter.experiment and experiment_or_404(
        organization=organization, experiment_id=litmus_filter.experiment
    )
    leaderboard, content = litmus_page(organization, litmus_filter, member_links(litmus_filter))
    return {
        "leaderboard": leaderboard,
        "page": content,
        "experiment": experiment or None,
        "facts": facts(litmus_filter),
    }


INTERVALS = [
    Column(name, value_type=float, description=description)
    for part, description in (
        *((part, "95 % interval of this mean alone.") for part in ("litmus", "competency")),
        *((f"joint_{part}", "All three joint intervals contain their true values in 95 % of cases.") for part in PARTS),
    )
    for name in (f"{part}_low", f"{part}_high")
]


LITMUS = Answer(
    name="litmus",
    title="Litmus tests",
    question="How do agents resolve the tradeoffs of the litmus tests?",
    filter_class=LitmusFilter,
    read=_read,
    template="analysis/litmus.html",
    context=_context,
    tables={
        "litmus": AnswerTable(
            "litmus, competency and reliability, a row for each agent and test",
            "Litmus scores by agent",
            [
                *typed(str, "agent", "row", "test"),
                *typed(float, "litmus", "litmus_standard_error"),
                *typed(int, "litmus_runs_scored", "litmus_runs_launched"),
                Column("competency", value_type=float),
                *typed(int, "competency_runs_scored", "competency_runs_launched"),
                *typed(float, "reliability", "reliability_low", "reliability_high"),
                *typed(str, "weak_because", "own_prompt"),
                *INTERVALS,
            ],
            _scores,
            arranged=_as_on_the_page,
            file="table",
        ),
        "litmus-runs": AnswerTable(
            "runs of the litmus tests in all states",
            "Litmus runs",
            [
                Column("run", value_type=int),
                *typed(str, "agent", "test", "variant"),
                Column("seed", value_type=int),
                Column("state"),
                *typed(float, "score", *page.PARETO),
            ],
            _runs,
            read=lambda owner, litmus_filter: records_of(
                organization=owner, litmus_filter=litmus_filter, metrics=page.PARETO
            ),
            file="runs",
        ),
        "litmus-standings": AnswerTable(
            "means of efficiency and equality by agent",
            "Efficiency against equality",
            [
                Column("agent"),
                Column("runs", value_type=int),
                *typed(float, "litmus", "distance_from_line", "share_of_frontier"),
            ],
            lambda content: [
                (row.agent, row.runs, row.litmus, row.distance, row.frontier_share) for row in content.means
            ],
            read=_page,
            file="standings",
        ),
        "litmus-rates": AnswerTable(
            "rates a year of patient choices by horizon",
            "Patience rates by horizon",
            [
                *typed(str, "agent", "source"),
                *(Column(label, unit="rate a year", value_type=float) for label in horizon_labels()),
            ],
            lambda content: [
                (agent, "published" if is_published else "own", *(Printed(*cell) for cell in cells))
                for agent, is_published, cells in content.rates
            ],
            read=_page,
            file="rates",
        ),
        "litmus-name-tests": AnswerTable(
            "tests of users' names",
            "Tests of users' names",
            [
                *typed(str, "compared", "effect", "statistic"),
                Column("p", digits=3, value_type=float),
                Column("p_holm", "p, Holm", digits=3, value_type=float),
                Column("in_words"),
            ],
            lambda content: [
                (line.subject, line.effect, line.statistic, line.p, line.adjusted_p, line.verdict)
                for line in content.tests
            ],
            read=_page,
            file="name-tests",
        ),
    },
    figures={
        "pareto": AnswerFigure(
            "Revenue against equality of pay, with the frontier.",
            figures.pareto,
            "Efficiency against equality, each dot is one run",
        ),
        "patience": AnswerFigure(
            "Choice curves of one agent's latest finished run.",
            figures.patience,
            "Choices of more money later, by horizon",
        ),
        "reliability-curve": AnswerFigure(
            "Reliability of every yearly rate, a line for each agent's latest finished run.",
            figures.reliability,
            "Reliability by rate",
        ),
        "names": AnswerFigure(
            "Litmus rates by the name that the prompt tells.", figures.names, "Does the user's name matter?"
        ),
        "markets": AnswerFigure(
            "Prices of markets of two between the Nash price and the collusive one.",
            figures.markets,
            "Average prices of two sellers, each dot is one run",
        ),
    },
)
