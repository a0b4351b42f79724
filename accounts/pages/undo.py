"""The message after a deletion that can be undone."""

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse

from accounts.deletions import Deletable


def report_deleted(request: HttpRequest, sentence: str, kind: str, *rows: Deletable) -> None:
    """Show a sentence with the button Undo. `kind` is a key of accounts.deletions.kinds."""
    messages.success(
        request, sentence, extra_tags=reverse("dashboard:undelete", args=[kind, ",".join(str(row.pk) for row in rows)])
    )
