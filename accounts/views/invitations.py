"""The page behind the link of an invitation."""

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.forms import NewAccountForm
from accounts.guards import public
from accounts.middleware import SESSION_KEY
from accounts.models import Invitation
from accounts.pages.form_pages import submit
from accounts.pages.requests import MemberRequest
from accounts.services.invitations import invitation_accept, invitation_accept_new, invitation_of


@public
@never_cache
@require_http_methods(["GET", "POST"])
def invitation_page(request: MemberRequest, token: str) -> HttpResponse:
    """Used, revoked, expired and invented links get the same answer."""
    invitation = invitation_of(token)
    if invitation is None:
        return render(request, "accounts/invitation_dead.html", status=403)
    if request.user.is_authenticated:
        if request.method == "POST":
            try:
                invitation_accept(invitation=invitation, user=request.user)
            except ValidationError as error:
                raise PermissionDenied(error.messages[0]) from None
            return _welcome(request, invitation)
        is_member = any(m.organization_id == invitation.organization_id for m in request.memberships)
        context = {"invitation": invitation, "is_member": is_member}
        return render(request, "accounts/invitation_accept.html", context)
    # The page does not say whether the address has an account, since the invitation's maker may be looking.
    form = NewAccountForm(request.POST if request.method == "POST" else None)
    if user := submit(form, invitation_accept_new, invitation=invitation):
        login(request, user, backend="accounts.sign_in.log_in.OnePerson")
        UserSession.objects.create_from_request(request)
        return _welcome(request, invitation)
    context = {"form": form, "invitation": invitation}
    return render(request, "accounts/invitation_new.html", context, status=422 if form.is_bound else 200)


def _welcome(request: MemberRequest, invitation: Invitation) -> HttpResponse:
    request.session[SESSION_KEY] = invitation.organization_id
    messages.success(request, f"Welcome to {invitation.organization.name}.")
    return redirect("home")
