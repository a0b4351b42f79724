from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs.selectors.home import home


def home_page(request: HttpRequest) -> HttpResponse:
    template = "runs/_home_live.html" if request.htmx else "runs/home.html"
    return render(request, template, {"home": home(organization=request.organization)})
