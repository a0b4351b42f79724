"""Writes of questions: ask, cancel, resume, delete. Workers answer them, see `work`."""

from collections.abc import Collection, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now

from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record
from agents.tools import storable
from infrastructure.claims import JobState
from infrastructure.text.formats import counted, money
from infrastructure.transactions import write_transaction
from runs.launching.prices import unpriced_error
from runs.models import Agent, Experiment, Run
from workspace.questions.estimating import question_estimate
from workspace.questions.models import MOST_TEXT, Question, QuestionPart, Source, claims, without_others

SHORTEST_TEXT = 5
MOST_RUNS = 50
MOST_WAITING = 20


def question_ask(
    *,
    organization: Organization,
    user: User | None,
    text: str,
    runs: Sequence[Run],
    sources: Collection[str],
    agent: Agent | None,
    budget_nano: int | None,
) -> Question:
    """Have a worker answer a question over runs of the organization.

    agent: whose model answers; None for a search by likeness, which needs no budget
    Raises ValidationError with a sentence for each wrong field.
    """
    text = " ".join(storable(text).split())
    if errors := _errors(text, runs, sources) or _money_errors(organization, user, runs, sources, agent, budget_nano):
        raise ValidationError(errors)
    waiting = Question.objects.filter(organization=organization, state=JobState.WAITING).count()
    if waiting >= MOST_WAITING:
        raise ValidationError(f"{waiting} questions wait already. Cancel some, or come back when they are answered.")
    with write_transaction():
        question = Question.objects.create(
            organization=organization,
            created_by=user,
            text=text,
            number_of_runs=len(runs),
            sources=[source for source in Source.values if source in sources],
            agent=agent,
            agent_name=agent.name if agent else "",
            budget_nano=budget_nano if agent else None,
        )
        question.runs.set(runs)
        about = f"{counted(len(runs), 'run,runs')}, {agent.name if agent else 'without a model'}: {text}"
        audit_record(organization=organization, actor=user, action=Action.QUESTION_ASKED, subject=about)
        transaction.on_commit(claims.wake)
    return question


def _errors(text: str, runs: Sequence[Run], sources: Collection[str]) -> dict[str, str]:
    checks: list[tuple[str, object, str]] = [
        ("text", len(text) < SHORTEST_TEXT, "Write a question."),
        ("text", len(text) > MOST_TEXT, f"A question has at most {MOST_TEXT:,} characters; this has {len(text):,}."),
        ("runs", not runs, "Choose at least one run."),
        ("runs", len(runs) > MOST_RUNS, f"Choose at most {MOST_RUNS} runs; these are {len(runs)}."),
        ("sources", not sources or not {*sources} <= {*Source.values}, "Choose what is read."),
    ]
    return {field: sentence for field, is_wrong, sentence in checks if is_wrong}


def _money_errors(
    organization: Organization,
    user: User | None,
    runs: Sequence[Run],
    sources: Collection[str],
    agent: Agent | None,
    budget_nano: int | None,
) -> dict[str, str]:
    """Errors of the budget for answering by a model."""
    if agent is None:
        return {}
    if not budget_nano:
        return {"budget": "Set a budget in dollars. The question stops before a call that could exceed it."}
    unpriced = [] if agent.is_priced else [agent.name]
    if sentence := unpriced_error(unpriced=unpriced, organization=organization, user=user, budgets=(budget_nano,)):
        return {"budget": sentence}
    most = question_estimate(runs, sources, agent).most_call_nano
    if most is not None and most > budget_nano:
        return {"budget": f"One call may cost up to {money(most)}, so the budget must be at least that."}
    return {}


def question_cancel(*, question: Question) -> bool:
    """Cancel a question that is not answered; its worker stops within seconds. Returns False if it had ended."""
    waiting = Question.objects.filter(pk=question.pk, state=JobState.WAITING)
    return bool(waiting.update(state=JobState.CANCELLED, claim_until=None))


def question_resume(*, question: Question, budget_nano: int | None = None) -> bool:
    """Have a worker continue a failed question, or ask again about parts without a usable answer.

    budget_nano: the new budget; None keeps the old one
    Answers that were paid for are kept. Returns False if there is nothing to resume.
    """
    changes: dict[str, int] = {} if budget_nano is None or not question.is_by_model else {"budget_nano": budget_nano}
    with write_transaction():
        parts = QuestionPart.objects.filter(question=question).exclude(problem="")
        ended = Question.objects.filter(pk=question.pk, state__in=[JobState.FAILED, JobState.DONE])
        if not parts.exists():
            ended = ended.filter(state=JobState.FAILED)
        else:
            # The last query has to read the new answers too.
            ended.update(merged=None)
        resumed = ended.update(state=JobState.WAITING, problem="", result=None, asked_at=Now(), **changes)
        if resumed:
            parts.update(problem="")
        transaction.on_commit(claims.wake)
    return bool(resumed)


def question_delete(*, question: Question) -> None:
    with write_transaction():
        Question.objects.filter(pk=question.pk).delete()


def answers_erase(experiment: Experiment) -> None:
    """Erase quotes of removed runs, and questions without any run. A listener of runs.events.experiment_removed."""
    for question in Question.objects.filter(organization=experiment.organization_id):
        left = set(Run.with_deleted.filter(questions=question).values_list("pk", flat=True))
        if not left:
            question.delete()
        elif len(left) < question.number_of_runs and question.result is not None:
            result = without_others(question.result, left)
            Question.objects.filter(pk=question.pk).update(result=result, merged=None)


def questions_cancel_of(organization: Organization, user: User) -> None:
    """Cancel open questions of a former member, whose month would pay. A listener of accounts.hooks.member_removed."""
    waiting = Question.objects.filter(organization=organization, created_by=user, state=JobState.WAITING)
    waiting.update(state=JobState.CANCELLED, claim_until=None)
