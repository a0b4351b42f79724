"""Does one agent play differently under other conditions?"""

from collections.abc import Iterator
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerTable
from analysis.base.benchmark_filters import environment_title
from analysis.conditions.contrasts import sentences
from analysis.conditions.selectors import BY, Conditions, ConditionsFilter, conditions_of
from environments.prompts.variants import prompt_title
from infrastructure.text.tables import Column, typed

METHOD = "conditions-of-one-agent"
OF_100 = "× 100"


def _contrasts(conditions: Conditions) -> Iterator[tuple[object, ...]]:
    for each in conditions.contrasts:
        low, high = each.interval or (None, None)
        means = (100 * mean for mean in each.means)
        ends = (None if end is None else 100 * end for end in (low, high))
        yield (
            each.cell.environment, each.cell.difficulty or None, each.cell.name, each.cell.measure,
            prompt_title(each.first), prompt_title(each.second), 100 * each.difference, *ends,
            each.p, each.adjusted_p, *means, *each.counts,
            each.is_paired, each.reason or None,
        )  # fmt: skip


def _printed(conditions: Conditions) -> Iterator[tuple[object, ...]]:
    for row in conditions.printed:
        yield row.environment, row.difficulty, row.llm, row.variant, 100 * row.score, 100 * row.exploration_rate


def _context(organization: Organization, table_filter: ConditionsFilter, query: QueryDict) -> dict[str, Any]:
    conditions = conditions_of(organization, table_filter)
    names = [name for name in CONDITIONS.own_tables if name != "printed-prompts" or conditions.printed]
    content = CONDITIONS.content(conditions, names, lambda name: "")
    return {
        "sentences": content.sentences,
        "figures": content.figures,
        "tables": content.tables,
        "choices": [(label, table_filter.query(by=by), by == table_filter.by) for by, label in BY.items()],
    }


CONDITIONS = Answer(
    name="conditions",
    title="Conditions of one agent",
    question="Does an agent play differently under another prompt, generator, difficulty, length or effort?",
    filter_class=ConditionsFilter,
    read=conditions_of,
    sentences=lambda conditions: sentences(conditions.contrasts, BY[conditions.by].lower(), environment_title),
    template="analysis/conditions.html",
    context=_context,
    public=("conditions", "printed-prompts"),
    tables={
        "conditions": AnswerTable(
            "differences between two conditions of an agent",
            "The second condition against the first",
            [
                *typed(str, "environment", "difficulty", "agent"),
                Column("measure", description="The score of the runs, or one of their metrics."),
                *typed(str, "first", "second"),
                Column("difference", unit="points", digits=1, value_type=float, anchor=METHOD),
                Column("low", "95 % interval from", "points", digits=1, value_type=float),
                Column("high", "to", "points", digits=1, value_type=float),
                Column("p", "p", digits=3, value_type=float),
                Column(
                    "p_holm", "p, Holm", digits=3, value_type=float, description="p by Holm's method over the measure."
                ),
                Column("first_mean", unit=OF_100, digits=1, value_type=float),
                Column("second_mean", unit=OF_100, digits=1, value_type=float),
                Column("first_instances", value_type=int),
                Column("second_instances", value_type=int),
                Column("paired", value_type=bool, description="Whether the same instances were played under both."),
                Column(
                    "note", description="Why there is no test: too few values, all equal, or all but two at a bound."
                ),
            ],
            _contrasts,
        ),
        "printed-prompts": AnswerTable(
            "printed scores and exploration rates of one model under three prompts",
            "Table 9 of the paper, published",
            [
                *typed(str, "environment", "difficulty", "model", "prompt"),
                Column("score", unit=OF_100, digits=1, value_type=float),
                Column("exploration_rate", unit="%", digits=0, value_type=float),
            ],
            _printed,
        ),
    },
)
