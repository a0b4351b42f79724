"""Answers of the accounts part that do not follow from the guards of its views; see tests/security/site_map.py.

302 for a person who is not signed in leads to the log-in, 403 is a sentence, 404 is the same page for foreign and absent.
"""


def everybody(get, post=""):
    """The same to all, signed in or not."""
    return {"get": " ".join([get] * 6), "post": " ".join([post or get] * 6)}


def people(get, post=""):
    """The same to all who are signed in; the others are sent to the log-in."""
    return {"get": " ".join(["302", *[get] * 5]), "post": " ".join(["302", *[post or get] * 5])}


GUESTS = {"get": "200 302 302 302 302 302", "post": "200 302 302 302 302 302"}
MOVED = {"get": "302 301 301 301 301 403", "post": "302 301 301 301 301 403"}

ROWS = {
    # Views of allauth, which checks people itself. Without single sign-on, nothing is to be found under oidc.
    "login/": GUESTS,
    "logout/": people("200", "302"),
    "account/inactive/": everybody("200", "405"),
    "account/signup/": GUESTS,
    "account/reauthenticate/": people("200"),
    "account/confirm-email/": everybody("200", "405"),
    r"account/^confirm-email/(?P<key>[-:\w]+)/$": people("200", "404"),
    "account/password/change/": people("200"),
    "account/password/set/": everybody("302"),
    "account/password/reset/": everybody("200"),
    "account/password/reset/done/": everybody("200", "405"),
    r"account/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": everybody("200"),
    "account/password/reset/key/done/": everybody("200", "405"),
    "account/login/code/confirm/": everybody("302"),
    "account/2fa/": people("200", "405"),
    "account/2fa/authenticate/": everybody("302"),
    "account/2fa/reauthenticate/": everybody("302"),
    "account/2fa/totp/activate/": everybody("302"),
    "account/2fa/totp/deactivate/": people("404"),
    "account/2fa/recovery-codes/": people("404", "405"),
    "account/2fa/recovery-codes/generate/": everybody("302"),
    "account/2fa/recovery-codes/download/": people("404"),
    "account/3rdparty/": people("200"),
    "account/3rdparty/signup/": everybody("302"),
    "account/3rdparty/login/cancelled/": everybody("200", "405"),
    "account/3rdparty/login/error/": people("401", "405"),
    "account/oidc/^(?P<provider_id>[^/]+)/login/": everybody("404"),
    "account/oidc/^(?P<provider_id>[^/]+)/login/callback/": everybody("404"),
    # Redirects, and views that wrap those of allauth.
    **dict.fromkeys(("account/login/", "account/logout/", "account/sessions/"), everybody("302")),
    **{f"account/social/{page}/": MOVED for page in ("login/cancelled", "login/error", "signup", "connections")},
    "account/oidc/<str:provider_id>/login/": everybody("404"),
    "account/email/": {"post": "302 302 302 302 302 302"},
    "account/confirm-email/<str:key>/": {"post": "302 404 404 404 404 404"},
    "account/": {"post": "302 302 302 302 302 302"},
    # Forms of other pages, which are shown again where something is missing.
    "organization/invitations/": {"post": "302 403 403 422 422 403"},
    "organization/delete/": {"post": "302 403 403 422 422 403"},
    # The answer shows the new link once.
    "organization/invitations/<int:invitation_id>/renew/": {"post": "302 403 403 200 404 403"},
    "organization/switch/": {"post": "302 404 404 404 404 403"},
    # Members may not join again.
    "invitations/<str:token>/": {"post": "422 403 403 403 302 302"},
}


def ids(owner):
    """Values for the placeholders of the rows: rows of the organization of `owner`, a membership."""
    from accounts.models import Membership, User
    from accounts.services import invitation_create

    organization = owner.organization
    user = User.objects.create_user(f"otto-{organization.pk}", f"otto-{organization.pk}@example.org")
    member = Membership.objects.create(organization=organization, user=user, role="viewer")
    invitation, token = invitation_create(actor=owner, email=f"new-{organization.pk}@example.org", role="viewer")
    return {
        "<int:membership_id>": member.pk,
        "<int:invitation_id>": invitation.pk,
        "<str:token>": token,
        "<str:provider_id>": "sso",
        "<str:key>": "made-up",
        "^(?P<provider_id>[^/]+)": "sso",
        r"^confirm-email/(?P<key>[-:\w]+)/$": "confirm-email/made-up/",
        "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "password/reset/key/1-made-up/",
    }
