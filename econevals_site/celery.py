"""The Celery application. Messages are only wake-ups; the database says what is to be done."""

import os

from celery import Celery
from kombu.transport.redis import Channel, Transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")


class WakeUpChannel(Channel):
    """A channel that neither restores nor acknowledges messages after its connection is lost.

    Kombu would try both on the lost connection. The error would end the worker with all its runs.
    """

    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        if self.connection is not None:
            super().basic_ack(delivery_tag, multiple)  # type: ignore[no-untyped-call]


Transport.Channel = WakeUpChannel

app = Celery("econevals")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
