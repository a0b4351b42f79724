"""Single sign-on, with a page for a provider that does not answer."""

from __future__ import annotations

import logging

from allauth.socialaccount.providers.openid_connect import views as allauth_views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from requests.exceptions import RequestException

from accounts.guards import without_organization

logger = logging.getLogger("econevals.signing_in")


@login_not_required
@without_organization
def sign_on(request: HttpRequest, provider_id: str) -> HttpResponse:
    """django-allauth's view, with a page instead of a server error if the provider does not answer."""
    try:
        return allauth_views.login(request, provider_id)
    except RequestException as error:
        logger.error("The identity provider does not answer: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)
