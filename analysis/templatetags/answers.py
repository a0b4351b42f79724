"""A template tag that lists the pages of answers."""

from django import template
from django.urls import reverse

from analysis.answers import ANSWERS
from analysis.answers.base import Answer
from analysis.base.filters import Filter

register = template.Library()


@register.inclusion_tag("analysis/_answer_links.html")
def answer_links(current: Answer, run_filter: Filter) -> dict[str, list[tuple[str, str, str]]]:
    """The links of `other_answers` without a menu of their own."""
    return other_answers(current, run_filter)


@register.inclusion_tag("analysis/_other_answers.html")
def other_answers(current: Answer, run_filter: Filter) -> dict[str, list[tuple[str, str, str]]]:
    """A menu of the other answers that need no named agents: title, question and address.

    Answers whose filter has all fields of this page keep its filters.
    """
    query = run_filter.query()
    return {
        "answers": [
            (answer.title, answer.question, f"{reverse(f'analysis:{answer.name}')}{f'?{query}' if keeps else ''}")
            for answer in ANSWERS.values()
            if answer.template and answer is not current and not answer.filter_class.OF_NAMED_AGENTS
            for keeps in [query and issubclass(answer.filter_class, type(run_filter))]
        ]
    }
