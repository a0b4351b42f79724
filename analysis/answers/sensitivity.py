"""How do scores depend on the prompt, the number of periods and the seed?"""

from collections.abc import Iterator

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.selectors import styles_of_agents
from analysis.figures.courses.sensitivity import sensitivity_figure
from analysis.sensitivity.conditions import Sensitivity, sentences
from analysis.sensitivity.selectors import SensitivityFilter, sensitivity_of
from environments.prompts.variants import prompt_title
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Column, typed


def _rows(result: Sensitivity) -> Iterator[tuple[object, ...]]:
    for row in result.rows:
        yield (
            *row.column, row.agent.full_name, prompt_title(row.condition.variant), row.condition.periods,
            len(row.scores), row.runs, row.mean, *(row.interval or (None, None)), row.seeds, row.repeats,
        )  # fmt: skip


def _differences(result: Sensitivity) -> Iterator[tuple[object, ...]]:
    for row in result.rows:
        if (test := row.against) is not None and test.n:
            yield (
                *row.column, row.agent.full_name, prompt_title(row.condition.variant), row.condition.periods,
                test.n, test.difference, *(test.interval or (None, None)), test.p, row.adjusted_p,
            )  # fmt: skip


def _figure(organization: Organization, run_filter: SensitivityFilter, link: RunLink) -> PlotlyFigure:
    return sensitivity_figure(sensitivity_of(organization, run_filter), styles_of_agents(organization=organization))


SCORES, DIFFERENCES, POINTS = "scores-by-condition", "differences-between-conditions", "points"
CONDITION = [*typed(str, "environment", "difficulty", "agent", "prompt"), Column("periods", value_type=int)]
SENSITIVITY = Answer(
    name="sensitivity",
    title="Sensitivity of scores",
    question="How do scores depend on the prompt, the number of periods and the seed?",
    filter_class=SensitivityFilter,
    read=sensitivity_of,
    sentences=sentences,
    tables={
        "sensitivity": AnswerTable(
            "mean scores by agent, prompt and number of periods",
            "Scores by condition",
            [
                *CONDITION,
                *typed(int, "instances", "runs"),
                Column("mean", unit=POINTS, digits=1, value_type=float, anchor=SCORES),
                Column("low", "95 % interval from", POINTS, digits=1, value_type=float),
                Column("high", "to", POINTS, digits=1, value_type=float),
                Column(
                    "seeds", "SD between seeds", POINTS, digits=1, value_type=float, anchor=SCORES,
                    description="Standard deviation between instances, each the mean of its runs.",
                ),
                Column(
                    "repeats", "SD between repeats", POINTS, digits=1, value_type=float, anchor=SCORES,
                    description="Standard deviation between runs of the same instance, pooled over instances.",
                ),
            ],
            _rows,
            file="table",
        ),
        "sensitivity-differences": AnswerTable(
            "differences from the main prompt and number of periods, on common instances",
            "Differences from the main condition, on instances played under both",
            [
                *CONDITION,
                Column("instances", value_type=int),
                Column("difference", unit=POINTS, digits=1, value_type=float, anchor=DIFFERENCES),
                Column("low", "95 % interval from", POINTS, digits=1, value_type=float),
                Column("high", "to", POINTS, digits=1, value_type=float),
                Column("p", "p", digits=3, value_type=float, description="Two-sided p of the sign-flip test."),
                Column("p_holm", "p, Holm", digits=3, value_type=float, description="By Holm's method over all rows."),
            ],
            _differences,
            file="differences",
        ),
    },
    figures={
        "sensitivity": AnswerFigure(
            "mean scores by prompt and number of periods", _figure, "Mean score by condition, pale dots are instances",
            file="figure", anchor=SCORES,
        )
    },
)  # fmt: skip
