"""The Celery application. Messages only wake workers up; the database holds the work."""

import os

from celery import Celery
from kombu.transport.redis import Channel, Transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")


class WakeUpChannel(Channel):
    """A channel that does not restore messages after its connection is lost.

    Kombu would try to restore them through the lost connection, and the error would end the worker with all its runs.
    """

    do_restore = False


Transport.Channel = WakeUpChannel

app = Celery("econevals")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
