"""The Celery application. The broker carries hints; the database is the truth."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport.redis import Channel, Transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")


class HintChannel(Channel):
    """A channel whose messages are hints: none is worth a word over a connection that is gone.

    The library would put unread messages back and acknowledge others on the lost connection, fail, and end the worker
    with all runs in play.
    """

    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        if self.connection is not None:
            super().basic_ack(delivery_tag, multiple)


Transport.Channel = HintChannel

app = Celery("econevals")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
