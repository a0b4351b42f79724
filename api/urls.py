from django.urls import include, path

from accounts.guards import public
from api import views
from api.mcp.views import mcp
from api.site import api

operations, _app, _namespace = api.urls
for pattern in operations:
    # The token decides about access; a session in the same browser does not matter.
    assert pattern.callback is not None
    pattern.callback = public(pattern.callback)

urlpatterns = [
    path("account/tokens/", views.personal_page, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", views.personal_revoke, name="token-revoke"),
    path("organization/tokens/", views.organization_page, name="organization-tokens"),
    path("organization/tokens/<int:token_id>/revoke/", views.organization_revoke, name="organization-token-revoke"),
    path("api/v1/openapi.json", views.openapi, name="api-openapi"),
    path("api/v1/docs", views.docs, name="api-docs"),
    path("mcp", mcp, name="mcp"),
    path("api/v1/", include((operations, _app), namespace=_namespace)),
]
