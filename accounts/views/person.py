"""Pages of an invitation and of a person's account.

Pages of django-allauth are wrapped, so that nobody can get around the proof of an address.
"""

import logging
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from allauth.account import views as allauth_views
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from allauth.socialaccount.providers.openid_connect import views as openid_views
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from requests.exceptions import RequestException

from accounts.forms import NewAccountForm, PersonForm
from accounts.guards import public, without_organization
from accounts.middleware import SESSION_KEY
from accounts.models import Invitation
from accounts.pages.requests import MemberRequest, posted, submit
from accounts.services import people

logger = logging.getLogger("econevals.signing_in")


def _identity_providers() -> list[dict[str, Any]]:
    return settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]


def leads_to_provider(view: Any) -> Any:
    """Decorator that allows the forms of a page to redirect to the identity provider.

    Browsers apply the directive form-action also to redirects. A provider may redirect to further addresses of its own,
    so every https address is allowed.
    """

    @wraps(view)
    def respond(request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        response = view(request, *args, **options)
        issuers = [urlsplit(app["settings"]["server_url"]) for app in _identity_providers()]
        if issuers:
            response._csp_update = {"form-action": ["https:", *(f"{url.scheme}://{url.netloc}" for url in issuers)]}
        return response

    return respond


@leads_to_provider
@public
def sign_on(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Call django-allauth's view. If the provider does not answer, show a page with status 503 instead of an error."""
    try:
        return openid_views.login(request, provider_id)
    except RequestException as error:
        logger.error("The identity provider does not answer: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)


class EmailPage(allauth_views.EmailView):
    def dispatch(self, request: MemberRequest, *args: Any, **options: Any) -> HttpResponse:
        if request.user.is_authenticated:
            people.person_keep_address(user=request.user)
        return super().dispatch(request, *args, **options)

    def _action_primary(self, request: MemberRequest, *args: Any, **options: Any) -> None:
        """Do nothing. An address becomes the current one only when its owner follows the link that was sent to it."""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        rows = {row.primary: row for row in EmailAddress.objects.filter(user=self.request.user)}
        context = {"present": rows.get(True), "wanted": rows.get(False), "single_sign_on": bool(_identity_providers())}
        return super().get_context_data(**options) | context


log_in_page = leads_to_provider(allauth_views.login)
email_page = without_organization(EmailPage.as_view())


@without_organization
def confirm_address(request: MemberRequest, key: str) -> HttpResponse:
    """Confirm a new address. A log-in to its account is required, so that the link proves that both belong together."""
    confirmation = EmailConfirmationHMAC.from_key(key)
    if confirmation and confirmation.email_address.user_id != request.user.pk:
        return render(request, "account/email_confirm.html", {"confirmation": confirmation}, status=403)
    return allauth_views.confirm_email(request, key=key)


@without_organization
@require_http_methods(["GET", "POST"])
def account_page(request: MemberRequest) -> HttpResponse:
    form = PersonForm(posted(request), initial={"full_name": request.user.get_full_name()})
    submit(form, people.person_rename, user=request.user)
    if form.is_valid():
        messages.success(request, "Saved your name.")
        return redirect("accounts:account")
    sessions = UserSession.objects.purge_and_list(request.user)
    for session in sessions:
        session.browser = browser_of(session.user_agent)
    factors = set(Authenticator.objects.filter(user=request.user).values_list("type", flat=True))
    context = {
        "form": form,
        "has_two_factor": Authenticator.Type.TOTP in factors,
        "has_recovery_codes": Authenticator.Type.RECOVERY_CODES in factors,
        "sessions": sorted(sessions, key=lambda session: session.created_at, reverse=True),
    }
    return render(request, "accounts/account.html", context, status=422 if form.is_bound else 200)


@without_organization
@require_POST
def sign_out_everywhere(request: MemberRequest) -> HttpResponse:
    """End every session except this one, which gets a new key."""
    people.person_sign_out_everywhere(user=request.user)
    update_session_auth_hash(request, request.user)
    UserSession.objects.filter(user=request.user).delete()
    UserSession.objects.create_from_request(request)
    messages.success(request, "Every other browser was signed out.")
    return redirect("accounts:account")


@public
@never_cache
@require_http_methods(["GET", "POST"])
def invitation_page(request: MemberRequest, token: str) -> HttpResponse:
    """Show or accept an invitation. Used, revoked, expired and invented links all get the same answer."""
    invitation = people.invitation_of(token)
    if invitation is None:
        return render(request, "accounts/invitation_dead.html", status=403)
    if request.user.is_authenticated:
        if request.method == "POST":
            try:
                people.invitation_accept(invitation=invitation, user=request.user)
            except ValidationError as error:
                raise PermissionDenied(error.messages[0]) from None
            return _welcome(request, invitation)
        is_member = any(m.organization_id == invitation.organization_id for m in request.memberships)
        return render(request, "accounts/invitation_accept.html", {"invitation": invitation, "is_member": is_member})
    # The page does not say whether the address has an account, because its reader may be the person who invites.
    form = NewAccountForm(posted(request))
    if user := submit(form, people.invitation_accept_new, invitation=invitation):
        login(request, user, backend="accounts.sign_in.log_in.OnePerson")
        UserSession.objects.create_from_request(request)
        return _welcome(request, invitation)
    return render(
        request,
        "accounts/invitation_new.html",
        {"form": form, "invitation": invitation},
        status=422 if form.is_bound else 200,
    )


def _welcome(request: MemberRequest, invitation: Invitation) -> HttpResponse:
    request.session[SESSION_KEY] = invitation.organization_id
    messages.success(request, f"Welcome to {invitation.organization.name}.")
    return redirect("home")


# The first match counts: Edge and Opera contain Chrome, and Chrome contains Safari.
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(user_agent: str) -> str:
    """Return a text such as 'Firefox on macOS'; the start of the User-Agent if the browser is unknown."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if not browser:
        return user_agent[:60] or "Unknown browser"
    return f"{browser} on {system}" if system else browser
