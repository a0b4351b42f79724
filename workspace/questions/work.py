"""The part of a question that a worker does: read the transcripts in parts, ask a model about each, join the answers."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models.functions import Now

from agents.llm import ProviderFatal, Reply
from agents.providers.client import Client
from infrastructure.claims import Claim, ClaimLost, JobState
from infrastructure.transactions import write_transaction
from runs.engine.exceptions import OverBudget
from runs.engine.jobs import Job, JobFailed
from runs.engine.players import connected_llm
from runs.models import Agent, Note, Run
from runs.services.job_calls import JobBudgetSpent
from runs.services.job_queries import agent_query, settle_and_store
from stats.texts import TooLittleText, likeness, paragraphs_of
from workspace.questions.asking import (
    MergedAnswerIn,
    PartAnswerIn,
    UnusableAnswer,
    checked_part,
    checked_whole,
    merging_request,
    part_request,
    read_answer,
)
from workspace.questions.estimating import part_characters
from workspace.questions.models import Question, QuestionPart, Result, Source, claims, without_others
from workspace.questions.texts import longest_text, stretches_of, texts_of

SECONDS = 300.0
"""Total time of one query."""
MOST_PASSAGES = 20
"""Paragraphs that the search by likeness shows."""
MOST_PARAGRAPHS = 100_000


def _step(claim: Claim) -> None:
    question = claims.mine(claim).select_related("agent__endpoint__organization").first()
    if question is None:
        raise ClaimLost
    try:
        result = _answered(question, claim) if question.is_by_model else _alike(question, claim)
    except TooLittleText:
        raise JobFailed("The notes of these runs have no words to compare with the question.") from None
    except (ProviderFatal, OverBudget, JobBudgetSpent) as error:
        raise JobFailed(error.reason) from error
    with write_transaction():
        # Runs may have been removed since they were read.
        left = set(Run.with_deleted.filter(questions=question).values_list("pk", flat=True))
        stored = without_others(result, left) if len(left) < question.number_of_runs else result
        claims.finish(claim, state=JobState.DONE, result=stored, answered_at=Now())


def _fail(claim: Claim, problem: str) -> None:
    """Store the problem. Answers of parts are kept, since a failed question may be resumed."""
    claims.finish(claim, state=JobState.FAILED, problem=problem)


ANSWERS = Job("question", claims, _step, _fail, advice="Choose fewer runs.")


def _answered(question: Question, claim: Claim) -> Result:
    """The answer by the model. Answers that were paid for are stored and not requested again."""
    agent = question.agent
    if agent is None:
        raise JobFailed(f"The agent {question.agent_name} was deleted. Ask the question again with another agent.")
    if not question.parts.exists():
        _divide(question, claim, agent)
    llm = connected_llm(agent, timeout_seconds=SECONDS)
    related = question.parts.select_related("run__instance", "run__agent", "run__rival", "run__prompts")
    parts = list(related.filter(run__deleted_at=None))
    for index, part in enumerate(parts):
        if part.answer is None and not part.problem:
            _ask_about(question, claim, part, llm, (index, len(parts)))
    answers = [part.answer for part in parts if part.answer is not None]
    if not answers:
        raise JobFailed(parts[0].problem if parts else "These runs have no texts of the chosen kinds.")
    whole = answers[0] if len(answers) == 1 else _joined(question, claim, llm, answers)
    return whole | {
        "quotes": sum(answer["quotes"] for answer in answers),
        "dropped": sum(answer["dropped"] for answer in answers),
        "cut": sum(part.cut for part in parts),
        "models": sorted({model for answer in (*answers, whole) for model in answer["models"]}),
    }


def _divide(question: Question, claim: Claim, agent: Agent) -> None:
    """Store the parts of a question: consecutive periods of one run each, as many as fit into a query."""
    runs = list(question.runs.select_related("instance", "agent", "rival", "prompts").order_by("pk"))
    stretches = []
    for index, run in enumerate(runs):
        claims.store_progress(claim, index, len(runs), stage="Reading transcripts")
        stretches += stretches_of(run, question.sources, part_characters(agent))
    rows = [
        QuestionPart(question=question, number=number, run_id=each.run, first=each.first, last=each.last, cut=each.cut)
        for number, each in enumerate(stretches)
    ]
    with write_transaction():
        if not claims.mine(claim).exists():
            raise ClaimLost
        QuestionPart.objects.bulk_create(rows)


def _ask_about(question: Question, claim: Claim, part: QuestionPart, llm: Client, progress: tuple[int, int]) -> None:
    """Ask about a part, and store its answer, or why it cannot be used."""
    assert question.agent is not None
    longest = longest_text(part_characters(question.agent))
    texts = list(texts_of(part.run, question.sources, part.first, part.last, longest))
    request = part_request(question.text, texts)
    still_wanted = partial(claims.store_progress, claim, *progress, stage="Asking about the transcripts")
    call, reply = agent_query(question.payer, question.agent, llm, request, still_wanted)
    try:
        part.answer = checked_part(read_answer(reply, PartAnswerIn), texts) | _model(reply)
    except UnusableAnswer as error:
        part.problem = str(error)
    row = QuestionPart.objects.filter(pk=part.pk)
    settle_and_store(call, claims, claim, partial(row.update, answer=part.answer, problem=part.problem))


def _joined(question: Question, claim: Claim, llm: Client, answers: Sequence[Result]) -> Result:
    """The findings of all parts, joined by one more query. If its answer cannot be used, they are listed one by one."""
    assert question.agent is not None
    findings, left_out = _fitting(answers, part_characters(question.agent))
    merged = question.merged
    if merged is None:
        still_wanted = partial(claims.store_progress, claim, 0, 1, stage="Joining the answers")
        request = merging_request(question.text, findings)
        call, reply = agent_query(question.payer, question.agent, llm, request, still_wanted)
        try:
            merged = checked_whole(read_answer(reply, MergedAnswerIn), findings) | _model(reply)
        except UnusableAnswer as error:
            merged = {"problem": str(error)} | _model(reply)
        settle_and_store(call, claims, claim, partial(claims.mine(claim).update, merged=merged))
    return {"answer": "", "findings": findings} | merged | {"left_out": left_out}


def _fitting(answers: Sequence[Result], characters: int) -> tuple[list[dict[str, Any]], int]:
    """Findings of all parts that fit into one query, first those at the top of each part; and how many do not fit."""
    most = max((len(answer["findings"]) for answer in answers), default=0)
    in_turn = [answer["findings"][rank] for rank in range(most) for answer in answers if rank < len(answer["findings"])]
    fitting, size = 0, 0
    for finding in in_turn:
        size += len(finding["claim"]) + sum(len(quote["text"]) + 100 for quote in finding["quotes"])
        if size > characters:
            break
        fitting += 1
    return in_turn[:fitting], len(in_turn) - fitting


def _model(reply: Reply) -> dict[str, Any]:
    return {"models": [reply.model] if reply.model else []}


def _alike(question: Question, claim: Claim) -> Result:
    """Without a model: the paragraphs of the notes whose words are most like those of the question."""
    runs = question.runs.order_by("pk").values_list("pk", flat=True)
    claims.store_progress(claim, 0, 2, stage="Reading notes")
    notes: Any = Note.objects.filter(run__in=runs).order_by("run", "period_index", "seat", "order")
    rows = notes.values_list("run", "period_index", "text")
    passages = {text: (run, period) for run, period, note in rows for text in paragraphs_of(note)}
    texts = list(passages)[:MOST_PARAGRAPHS]
    if not texts:
        raise JobFailed("None of these runs has notes to search.")
    claims.store_progress(claim, 1, 2, stage="Comparing words")
    alike = likeness(question.text, texts)
    best = sorted((index for index, value in enumerate(alike) if value > 0), key=lambda index: -alike[index])
    quotes = [
        {"run": passages[text][0], "period": passages[text][1], "source": str(Source.NOTES), "text": text}
        for text in (texts[index] for index in best[:MOST_PASSAGES])
    ]
    findings = [{"claim": "", "quotes": [quote]} for quote in quotes]
    return {"answer": "", "findings": findings, "quotes": len(quotes), "dropped": 0, "cut": 0, "models": []}
