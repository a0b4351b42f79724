"""The Celery task that works on proofs."""

from celery import shared_task

from runs.proofs.work import PROOFS

prove_next = shared_task(name=PROOFS.claims.task)(PROOFS.run)
