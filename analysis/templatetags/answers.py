"""A template tag that lists the pages of answers."""

from typing import Any

from django import template
from django.urls import reverse

from analysis.answers import ANSWERS
from analysis.answers.base import Answer
from analysis.base.filters import Filter

register = template.Library()


@register.inclusion_tag("analysis/_other_answers.html")
def other_answers(current: Answer, run_filter: Filter) -> dict[str, Any]:
    """A menu of the report, the saved leaderboards, and the other answers that need no named agents.

    Answers whose filter has all fields of this page keep its filters.
    """
    query = run_filter.query()
    return {
        "answers": [
            (answer.title, answer.question, f"{reverse(f'analysis:{answer.name}')}{f'?{query}' if keeps else ''}")
            for answer in ANSWERS.values()
            if answer.template and answer is not current and not answer.filter_class.OF_NAMED_AGENTS
            for keeps in [query and issubclass(answer.filter_class, type(run_filter))]
        ],
        "report": f"reports:{current.name}",
        "query": query,
    }
