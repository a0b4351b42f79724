"""Database reads of questions, always within one organization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.models import Organization
from infrastructure import claims
from infrastructure.text.formats import counted
from infrastructure.text.tables import Table, typed
from runs.launching.plan import format_seeds
from runs.models import Run
from runs.models.instances import SEALED
from runs.selectors.experiments import WITHOUT_BULK, run_title
from runs.services.job_calls import job_billed
from workspace.questions.models import Question, Result, Source

COLUMNS = [*typed(int, "finding"), *typed(str, "claim"), *typed(int, "run", "period"), *typed(str, "source", "quote")]


def questions_of(*, organization: Organization) -> QuerySet[Question]:
    """Questions, newest first, without their results."""
    rows = Question.objects.filter(organization=organization).select_related("created_by")
    return rows.defer("result", "merged").order_by("-id")


def question_or_404(*, organization: Organization, question_id: int) -> Question:
    rows = Question.objects.select_related("created_by", "agent")
    return get_object_or_404(rows, organization=organization, pk=question_id)


def askable_runs(*, organization: Organization) -> QuerySet[Run]:
    """Runs with a whole period whose instance is not sealed, newest first."""
    rows = Run.objects.filter(organization=organization, periods_played__gt=0)
    rows = rows.exclude(instance__content_hash__startswith=SEALED)
    return rows.select_related("instance", "agent", "rival", "prompts").order_by("-id")


def runs_by_number(*, organization: Organization, numbers: Sequence[int]) -> list[Run]:
    """The runs with these ids. Raises ValidationError for the field runs if one cannot be asked about."""
    rows = list(askable_runs(organization=organization).filter(pk__in=numbers))
    if missing := sorted(set(numbers) - {run.pk for run in rows}):
        listed = ", ".join(map(str, missing[:10])) + (" and others" if len(missing) > 10 else "")
        raise ValidationError({"runs": f"No run here with a whole period in the open has the number {listed}."})
    return rows


@dataclass(frozen=True)
class ShownQuote:
    """A quote with its run. where: the address of its period"""

    run: int
    title: str
    period: int
    source: str
    text: str
    where: str


@dataclass(frozen=True)
class ShownFinding:
    claim: str
    quotes: list[ShownQuote]


def findings_of(question: Question) -> list[ShownFinding]:
    """The findings of the answer with their quotes. One query."""
    result = question.result_left
    if result is None:
        return []
    numbers = {quote["run"] for finding in result["findings"] for quote in finding["quotes"]}
    related = Run.objects.select_related("instance", "agent", "rival").defer(*WITHOUT_BULK)
    titles = {run.pk: run_title(run) for run in related.filter(pk__in=numbers)}
    return [
        ShownFinding(finding["claim"], [_shown(quote, titles) for quote in finding["quotes"]])
        for finding in result["findings"]
    ]


def _shown(quote: dict[str, Any], titles: dict[int, str]) -> ShownQuote:
    tab = "notes" if quote["source"] == Source.NOTES else "transcript"
    where = f"{reverse('dashboard:period', args=[quote['run'], quote['period']])}?tab={tab}"
    label = str(Source(quote["source"]).label)
    return ShownQuote(quote["run"], titles.get(quote["run"], ""), quote["period"], label, quote["text"], where)


def limits_of(question: Question, result: Result) -> list[str]:
    """Sentences on what the answer leaves out."""
    parts = question.parts.aggregate(all=Count("id"), failed=Count("id", filter=~Q(problem="")))
    dropped, cut, left_out = (result.get(name, 0) for name in ("dropped", "cut", "left_out"))
    gone = question.number_of_runs - question.runs.count()
    checks = {
        f"{dropped} of {counted(result['quotes'], 'quote was,quotes were')} not in the transcript and "
        f"{'is' if dropped == 1 else 'are'} not shown.": dropped,
        f"{parts['failed']} of {counted(parts['all'], 'part,parts')} of the transcripts brought no usable answer.": parts[
            "failed"
        ],
        "The answers of the parts could not be joined, so they are listed one by one.": result.get("problem"),
        f"{counted(left_out, 'finding,findings')} of single parts did not fit into the last query.": left_out,
        f"Of {counted(cut, 'long text,long texts')} only the beginning was read.": cut,
        f"{counted(gone, 'run was,runs were')} deleted since; what was said about all runs, and with their quotes, is "
        "gone.": gone,
    }
    return [sentence for sentence, applies in checks.items() if applies]


def can_ask_again(question: Question) -> bool:
    """Whether parts of an answered question have no usable answer."""
    return not question.is_working and question.parts.exclude(problem="").exists()


def again_query(question: Question) -> str:
    """The query string of the form for another question about the same runs."""
    numbers = format_seeds(question.runs.values_list("pk", flat=True))
    return urlencode({"runs": numbers, "sources": question.sources}, doseq=True)


def billed(question: Question) -> dict[str, int]:
    """The calls, tokens and cost of a question, as in `job_billed`."""
    return job_billed(question.organization_id, question.payer.job)


def waiting_reason(question: Question) -> str:
    """Why a question does not make progress, as a sentence; empty if it does."""
    return claims.waiting_reason(question, "question", "questions") if question.is_working else ""


def version_of(question: Question, cost: int) -> str:
    """A text that changes with everything that the page shows of an open question."""
    progress = (question.state, question.stage, question.done, question.fence, cost, len(waiting_reason(question)))
    return ".".join(map(str, progress)).replace(" ", "-")


def quotes_table(question: Question) -> Table:
    """One row for each quote."""
    result = question.result_left or {"findings": []}
    rows = [
        (number, finding["claim"], quote["run"], quote["period"], quote["source"], quote["text"])
        for number, finding in enumerate(result["findings"], 1)
        for quote in finding["quotes"]
    ]
    return Table(f"Question {question.pk}: {question.text}", COLUMNS, rows)


def question_json(question: Question) -> dict[str, Any]:
    """The question with its answer as one JSON object."""
    result = question.result_left
    return {
        "id": question.pk,
        "question": question.text,
        "state": question.state,
        "problem": question.problem,
        "runs": list(question.runs.order_by("pk").values_list("pk", flat=True)),
        "reads": question.sources,
        "agent": question.agent_name,
        "is_by_model": question.is_by_model,
        "answered_at": question.answered_at and question.answered_at.isoformat(),
        "result": result and result | {"limits": limits_of(question, result)},
    }
