from django.urls import path

from analysis.answers import ANSWERS
from pages.reports import views

app_name = "reports"
urlpatterns = [
    path("experiments/<int:experiment_id>/report/", views.experiment, name="experiment"),
    *(
        path(f"{answer.address}report/", views.answer, {"name": answer.name}, name=answer.name)
        for answer in ANSWERS.values()
        if answer.template
    ),
]
