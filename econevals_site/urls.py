from django.urls import include, path

from dashboard.views.home import home_page

urlpatterns = [
    path("", home_page, name="home"),
    path("", include("accounts.urls")),
    path("", include("guides.urls")),
    path("", include("dashboard.urls")),
    path("", include("analysis.urls")),
    path("", include("notes.urls")),
    path("", include("instances.urls")),
    path("", include("reports.urls")),
    path("", include("play.urls")),
    path("", include("sharing.urls")),
    path("", include("api.urls")),
]

handler400 = "accounts.views.bad_request"
handler403 = "accounts.views.forbidden"
handler404 = "accounts.views.not_found"
handler500 = "accounts.views.server_error"
