"""What every address of the accounts part answers to everybody, by GET and by POST without a body.

302 for a person who is not signed in leads to the log-in, 403 is a sentence, 404 is the same page for foreign and absent.
"""

from typing import Any

ROWS: dict[str, tuple[str, str]] = {
    "login/": ("200 302 302 302 302 302", "200 302 302 302 302 302"),
    "logout/": ("302 200 200 200 200 200", "302 302 302 302 302 302"),
    "account/": ("302 200 200 200 200 200", "302 302 302 302 302 302"),
    "account/sessions/end/": ("302 405 405 405 405 405", "302 302 302 302 302 302"),
    "account/login/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/logout/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/sessions/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/inactive/": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "account/signup/": ("200 302 302 302 302 302", "200 302 302 302 302 302"),
    "account/reauthenticate/": ("302 200 200 200 200 200", "302 200 200 200 200 200"),
    "account/email/": ("302 200 200 200 200 200", "302 302 302 302 302 302"),
    "account/confirm-email/": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "account/password/change/": ("302 200 200 200 200 200", "302 200 200 200 200 200"),
    "account/password/set/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/password/reset/": ("200 200 200 200 200 200", "200 200 200 200 200 200"),
    "account/login/code/confirm/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/confirm-email/<str:key>/": ("302 200 200 200 200 200", "302 404 404 404 404 404"),
    "account/^confirm-email/(?P<key>[-:\\w]+)/$": ("302 200 200 200 200 200", "302 404 404 404 404 404"),
    "account/password/reset/key/done/": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "account/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": (
        "200 200 200 200 200 200",
        "200 200 200 200 200 200",
    ),
    "account/password/reset/done/": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "account/2fa/": ("302 200 200 200 200 200", "302 405 405 405 405 405"),
    "account/2fa/authenticate/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/2fa/reauthenticate/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/2fa/totp/activate/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/2fa/totp/deactivate/": ("302 404 404 404 404 404", "302 404 404 404 404 404"),
    "account/2fa/recovery-codes/": ("302 404 404 404 404 404", "302 405 405 405 405 405"),
    "account/2fa/recovery-codes/generate/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/2fa/recovery-codes/download/": ("302 404 404 404 404 404", "302 404 404 404 404 404"),
    "account/3rdparty/login/cancelled/": ("200 200 200 200 200 200", "405 405 405 405 405 405"),
    "account/3rdparty/login/error/": ("302 401 401 401 401 401", "302 405 405 405 405 405"),
    "account/3rdparty/signup/": ("302 302 302 302 302 302", "302 302 302 302 302 302"),
    "account/3rdparty/": ("302 200 200 200 200 200", "302 200 200 200 200 200"),
    "account/social/login/cancelled/": ("302 301 301 301 301 403", "302 301 301 301 301 403"),
    "account/social/login/error/": ("302 301 301 301 301 403", "302 301 301 301 301 403"),
    "account/social/signup/": ("302 301 301 301 301 403", "302 301 301 301 301 403"),
    "account/social/connections/": ("302 301 301 301 301 403", "302 301 301 301 301 403"),
    "account/oidc/^(?P<provider_id>[^/]+)/login/": ("404 404 404 404 404 404", "404 404 404 404 404 404"),
    "account/oidc/^(?P<provider_id>[^/]+)/login/callback/": ("404 404 404 404 404 404", "404 404 404 404 404 404"),
    "account/oidc/<str:provider_id>/login/": ("404 404 404 404 404 404", "404 404 404 404 404 404"),
    "organization/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "organization/members/<int:membership_id>/role/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/members/<int:membership_id>/remove/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/leave/": ("302 405 405 405 405 403", "302 302 302 302 302 403"),
    "organization/invitations/": ("302 403 403 405 405 403", "302 403 403 422 422 403"),
    "organization/invitations/<int:invitation_id>/renew/": ("302 403 403 405 405 403", "302 403 403 200 404 403"),
    "organization/invitations/<int:invitation_id>/revoke/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/settings/": ("302 403 403 200 200 403", "302 403 403 422 422 403"),
    "organization/delete/": ("302 403 403 405 405 403", "302 403 403 422 422 403"),
    "organization/audit/": ("302 403 403 200 200 403", "302 403 403 405 405 403"),
    "organization/new/": ("302 200 200 200 200 403", "302 422 422 422 422 403"),
    "organization/switch/": ("302 405 405 405 405 403", "302 404 404 404 404 403"),
    "invitations/<str:token>/": ("200 200 200 200 200 200", "422 403 403 403 302 302"),
}


def ids(owner: Any) -> dict[str, Any]:
    """What stands for the placeholders of the rows: rows of the organization of `owner`, a membership."""
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
