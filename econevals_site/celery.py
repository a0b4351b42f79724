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
app.conf.update(
    task_ignore_result=True,
    accept_content=["json"],
    task_serializer="json",
    worker_prefetch_multiplier=1,
    # Messages only wake workers up, so a lost one need not be delivered again.
    task_acks_late=False,
    # Kombu would write acknowledgements to the broker. While the broker refuses writes, as on a full disk, each failed
    # acknowledgement would count against the worker's prefetch limit for ever. At the limit a worker receives nothing.
    broker_transport_options={"ack_emulation": False},
    # Workers wait for a missing broker without a limit.
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    worker_hijack_root_logger=False,
)
app.autodiscover_tasks()
