"""An answered question over one run."""

from workspace.questions.models import Question


def question_of(run, **changes):
    quote = {"run": run.pk, "period": 0, "source": "notes", "text": "A word."}
    result = {
        "answer": "It does.", "findings": [{"claim": "A word is there.", "quotes": [quote]}], "quotes": 1, "dropped": 0,
        "cut": 0, "models": ["house-1"],
    }  # fmt: skip
    values = {
        "organization": run.organization, "text": "Is there a word?", "number_of_runs": 1, "sources": ["notes"],
        "agent_name": "house", "budget_nano": 10**9, "state": "done", "result": result,
    }  # fmt: skip
    question = Question.objects.create(**values | changes)
    question.runs.set([run])
    return question
