"""The Celery task that plays measurements."""

from celery import shared_task

from pages.instances.measuring import MEASUREMENTS

measure_next = shared_task(name=MEASUREMENTS.claims.task)(MEASUREMENTS.run)
