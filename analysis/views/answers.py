"""What several views answer with: files to keep, addresses of runs."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse


def run_url(run_id: int) -> str:
    return reverse("runs:run", args=[run_id])


def file(text: str, name: str, content_type: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(
        text, content_type=f"{content_type}; charset=utf-8", headers={"Content-Disposition": disposition}
    )
