from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from econevals_site.fonts import build_fonts


class Command(BaseCommand):
    help = "Build the fonts and collect the static files that pages are served with."
    requires_system_checks: list[str] = []

    def handle(self, **options: Any) -> None:
        build_fonts(settings.DATA_DIR / "fonts")
        call_command("collectstatic", interactive=False, verbosity=0)
