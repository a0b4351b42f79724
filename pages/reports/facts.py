"""What every report says about itself."""

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from infrastructure.processes.code_version import code_version


def facts(made_by: str) -> list[tuple[str, SafeString]]:
    """By whom and when the report was made, and with which version of the code."""
    now = timezone.now()
    origin = format_html(
        'made on <time datetime="{}">{} UTC</time> by {} with EconEvals {}',
        *(f"{now:%Y-%m-%dT%H:%M:%SZ}", f"{now:%-d %B %Y, %H:%M}", made_by, code_version()),
    )
    return [("Report", origin)]
