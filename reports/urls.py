from django.urls import path

from reports import views

app_name = "reports"
urlpatterns = [
    path("experiments/<int:experiment_id>/report/", views.experiment, name="experiment"),
    path("compare/report/", views.comparison, name="comparison"),
]
