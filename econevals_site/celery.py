"""The Celery application. Messages are only wake-ups; the database says what is to be done."""

import os

from celery import Celery
from kombu.transport.redis import Channel, Transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")


class WakeUpChannel(Channel):
    """A channel that restores no messages after its connection is lost.

    Kombu would try it on the lost connection. The error would end the worker with all its runs.
    """

    do_restore = False


Transport.Channel = WakeUpChannel

app = Celery("econevals")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
