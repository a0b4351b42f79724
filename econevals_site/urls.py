from django.urls import include, path

from pages.dashboard.views.home import home_page

urlpatterns = [
    path("", home_page, name="home"),
    path("", include("accounts.urls")),
    path("", include("pages.navigation.urls")),
    path("", include("pages.guides.urls")),
    path("", include("workspace.discussion.urls")),
    path("", include("workspace.spending.urls")),
    path("", include("runs.stages.urls")),
    path("", include("workspace.drift.urls")),
    path("", include("workspace.questions.urls")),
    path("", include("workspace.transfer.urls")),
    path("", include("runs.findings.urls")),
    path("organization/webhooks/", include("workspace.webhooks.urls")),
    path("", include("pages.dashboard.urls")),
    path("", include("analysis.urls")),
    path("", include("analysis.notes.urls")),
    path("", include("pages.instances.urls")),
    path("", include("pages.reports.urls")),
    path("", include("pages.play.urls")),
    path("", include("pages.registrations.urls")),
    path("", include("sharing.urls")),
    path("", include("sharing.gallery.urls")),
    path("", include("api.urls")),
]

handler400 = "accounts.views.errors.bad_request"
handler403 = "accounts.views.errors.forbidden"
handler404 = "accounts.views.errors.not_found"
handler500 = "accounts.views.errors.server_error"
