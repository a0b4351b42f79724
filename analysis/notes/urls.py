from django.urls import path, re_path

from analysis.notes import views

app_name = "notes"
urlpatterns = [
    path("search/", views.search_page, name="search"),
    path("notes/", views.analyses_page, name="analyses"),
    path("notes/new/", views.new, name="new"),
    path("notes/<int:analysis_id>/", views.analysis, name="analysis"),
    path("notes/<int:analysis_id>/live/", views.live, name="live"),
    path("notes/<int:analysis_id>/figure.json", views.figure, name="figure"),
    re_path(r"^notes/(?P<analysis_id>\d{1,18})/result\.(?P<form>csv|json)$", views.result_file, name="result"),
    path("notes/<int:analysis_id>/cancel/", views.cancel, name="cancel"),
    path("notes/<int:analysis_id>/resume/", views.resume, name="resume"),
    path("notes/<int:analysis_id>/delete/", views.delete, name="delete"),
]
