from typing import Any

from allauth.account import views as allauth_views
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.guards import public
from accounts.views import organizations, person


def moved(name: str) -> Any:
    view: Any = RedirectView.as_view(pattern_name=name, query_string=True)
    return public(view)


pages = [
    path("login/", person.log_in_page, name="login"),
    path("logout/", allauth_views.logout, name="logout"),
    path("account/", person.account_page, name="account"),
    path("account/sessions/end/", person.sign_out_everywhere, name="account-sessions-end"),
    path("organization/", organizations.members_page, name="organization"),
    path("organization/members/<int:membership_id>/role/", organizations.member_role, name="member-role"),
    path("organization/members/<int:membership_id>/remove/", organizations.member_end, name="member-remove"),
    path("organization/leave/", organizations.organization_leave, name="organization-leave"),
    path("organization/invitations/", organizations.invitation_new, name="invitation-new"),
    path(
        "organization/invitations/<int:invitation_id>/renew/", organizations.invitation_renew, name="invitation-renew"
    ),
    path(
        "organization/invitations/<int:invitation_id>/revoke/", organizations.invitation_end, name="invitation-revoke"
    ),
    path("organization/settings/", organizations.organization_settings, name="organization-settings"),
    path("organization/delete/", organizations.organization_remove, name="organization-delete"),
    path("organization/audit/", organizations.audit_log, name="organization-audit"),
    path("organization/new/", organizations.organization_new, name="organization-new"),
    path("organization/switch/", organizations.organization_switch, name="organization-switch"),
    path("invitations/<str:token>/", person.invitation_page, name="invitation"),
]

urlpatterns = [
    path("", include((pages, "accounts"))),
    # The log-in and log-out addresses of django-allauth redirect to ours.
    path("account/login/", moved("accounts:login")),
    path("account/logout/", moved("accounts:logout")),
    path("account/sessions/", moved("accounts:account")),
    path("account/oidc/<str:provider_id>/login/", person.sign_on),
    path("account/email/", person.email_page),
    path("account/confirm-email/<str:key>/", person.confirm_address),
    path("account/", include("allauth.urls")),
    # These repeat the names of django-allauth, which redirects to the last pattern with a name.
    path("login/", person.log_in_page, name="account_login"),
    path("logout/", allauth_views.logout, name="account_logout"),
]
