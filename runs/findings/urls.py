from django.urls import path

from runs.findings import views

app_name = "findings"
urlpatterns = [
    path("findings/", views.findings, name="findings"),
    path("runs/<int:run_id>/findings/", views.run_findings, name="run-findings"),
    path("runs/<int:run_id>/findings/again/", views.compute_again, name="findings-again"),
]
