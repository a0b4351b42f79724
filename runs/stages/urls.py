from django.urls import path

from runs.stages import views

app_name = "stages"
urlpatterns = [
    path("experiments/<int:experiment_id>/continue/", views.continue_all, name="experiment-continue"),
]
