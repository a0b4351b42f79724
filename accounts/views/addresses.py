"""django-allauth's pages of e-mail addresses, without the ways around the proof of an address."""

from __future__ import annotations

from typing import Any

from allauth.account import views as allauth_views
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from accounts.guards import without_organization
from accounts.pages.requests import MemberRequest
from accounts.services import person_keep_address


class EmailPage(allauth_views.EmailView):
    def dispatch(self, request: MemberRequest, *args: Any, **options: Any) -> HttpResponse:
        if request.user.is_authenticated:
            person_keep_address(user=request.user)
        return super().dispatch(request, *args, **options)

    def _action_primary(self, request: MemberRequest, *args: Any, **options: Any) -> None:
        """An address is added only by following the link that was sent to it."""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        rows = {row.primary: row for row in EmailAddress.objects.filter(user=self.request.user)}
        providers = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
        context = {"present": rows.get(True), "wanted": rows.get(False), "single_sign_on": bool(providers)}
        return super().get_context_data(**options) | context


email_page = without_organization(EmailPage.as_view())


@without_organization
def confirm_address(request: MemberRequest, key: str) -> HttpResponse:
    """Ask for a log-in first: only then does the link prove that account and address belong together."""
    confirmation = EmailConfirmationHMAC.from_key(key)
    if confirmation and confirmation.email_address.user_id != request.user.pk:
        return render(request, "account/email_confirm.html", {"confirmation": confirmation}, status=403)
    return allauth_views.confirm_email(request, key=key)
