from django.urls import path, re_path

from workspace.questions import views

app_name = "questions"
urlpatterns = [
    path("questions/", views.questions, name="questions"),
    path("questions/new/", views.new, name="new"),
    path("questions/<int:question_id>/", views.question, name="question"),
    path("questions/<int:question_id>/live/", views.live, name="live"),
    re_path(r"^questions/(?P<question_id>\d{1,18})/answer\.(?P<form>csv|json)$", views.answer_file, name="answer"),
    path("questions/<int:question_id>/cancel/", views.cancel, name="cancel"),
    path("questions/<int:question_id>/resume/", views.resume, name="resume"),
    path("questions/<int:question_id>/delete/", views.delete, name="delete"),
]
