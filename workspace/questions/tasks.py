"""The Celery task that answers questions."""

from celery import shared_task

from workspace.questions.models import claims
from workspace.questions.work import ANSWERS

answer_next = shared_task(name=claims.task)(ANSWERS.run)
