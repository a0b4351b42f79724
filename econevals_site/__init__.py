"""The site: settings, URLs, Celery, the embedded services, the web process and the static files."""

from econevals_site.celery import app as celery_app
from infrastructure.broker import refuse_foreign_servers

refuse_foreign_servers()

__all__ = ["celery_app"]
