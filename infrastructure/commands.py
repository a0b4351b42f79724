"""The base of management commands."""

from django.core.management.base import BaseCommand


class QuickCommand(BaseCommand):
    """A command without Django's system checks, which import every page and so take longer than most commands."""

    requires_system_checks: list[str] = []
