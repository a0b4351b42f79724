"""The OpenAPI document and its page. Both are public."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.guards import without_organization
from api.protocol.describing import description


@login_not_required
@without_organization
@require_GET
def openapi(request: HttpRequest) -> JsonResponse:
    return JsonResponse(description())


@login_not_required
@without_organization
@require_GET
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
