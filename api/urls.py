from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from accounts.guards import public
from api import views
from api.mcp.views import mcp
from api.site import api


def answering_head(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view answer HEAD like GET; the server drops the body.

    `request.sent_method` keeps the method of the request, which downloads read.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        sent = request.sent_method = request.method  # type: ignore[attr-defined]
        request.method = "GET" if sent == "HEAD" else sent
        try:
            return view(request, *args, **kwargs)
        finally:
            request.method = sent

    return answer


operations, _app, _namespace = api.urls
for pattern in operations:
    # Access depends on the token alone; a session in the same browser does not matter.
    assert pattern.callback is not None
    pattern.callback = public(answering_head(pattern.callback))

pages = [
    path("account/tokens/", views.personal_page, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", views.personal_revoke, name="token-revoke"),
    path("organization/tokens/", views.organization_page, name="organization-tokens"),
    path("organization/tokens/<int:token_id>/revoke/", views.organization_revoke, name="organization-token-revoke"),
    path("api/v1/openapi.json", views.openapi, name="openapi"),
    path("api/v1/docs", views.docs, name="docs"),
    path("mcp", mcp, name="mcp"),
]

urlpatterns = [
    path("", include((pages, "api"))),
    path("api/v1/", include((operations, _app), namespace=_namespace)),
]
