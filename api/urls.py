from django.contrib.auth.decorators import login_not_required
from django.urls import include, path

from accounts.guards import without_organization
from api.site import api
from api.views import docs, tokens

operations, _app, _namespace = api.urls
for pattern in operations:
    # The token decides about access; a session in the same browser does not matter.
    assert pattern.callback is not None
    pattern.callback = without_organization(login_not_required(pattern.callback))

urlpatterns = [
    path("account/tokens/", tokens.personal_page, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", tokens.personal_revoke, name="token-revoke"),
    path("organization/tokens/", tokens.organization_page, name="organization-tokens"),
    path("organization/tokens/<int:token_id>/revoke/", tokens.organization_revoke, name="organization-token-revoke"),
    path("api/v1/openapi.json", docs.openapi, name="api-openapi"),
    path("api/v1/docs", docs.docs, name="api-docs"),
    path("api/v1/", include((operations, _app), namespace=_namespace)),
]
