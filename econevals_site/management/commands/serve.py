from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import CommandParser

from econevals_site.serving.server import DeadlineProtocol
from infrastructure.commands import QuickCommand


class Command(QuickCommand):
    help = "Run the web process, which `up` and the container image start."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.PORT)

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        DeadlineProtocol.behind_proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0
        uvicorn.run(
            "econevals_site.asgi:application",
            host=host,
            port=port,
            http=DeadlineProtocol,
            ws="none",
            lifespan="off",
            # Django reads the headers of proxies, as ECONEVALS_PROXIES and SECURE_PROXY_SSL_HEADER allow.
            proxy_headers=False,
            # Longer than a proxy keeps an idle connection. If we closed one while the proxy sends a request on it, a
            # person would get a 502.
            timeout_keep_alive=75,
            # Requests are not logged, because addresses of invitations and password links are secrets.
            access_log=False,
            log_level="warning",
        )
