"""The Celery application. The broker carries hints; the database is the truth."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")

app = Celery("econevals")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
