from django.urls import path

from analysis.models import LeaderboardKind
from pages.reports import views

app_name = "reports"
urlpatterns = [
    path("experiments/<int:experiment_id>/report/", views.experiment, name="experiment"),
    path("compare/report/", views.comparison, {"kind": LeaderboardKind.BENCHMARK}, name="comparison"),
    path("compare/litmus/report/", views.comparison, {"kind": LeaderboardKind.LITMUS}, name="comparison-litmus"),
]
