from django.urls import path, re_path

from analysis.notes.views import analyses, search

app_name = "notes"
urlpatterns = [
    path("search/", search.search_page, name="search"),
    path("notes/", analyses.analyses_page, name="analyses"),
    path("notes/new/", analyses.new, name="new"),
    path("notes/<int:analysis_id>/", analyses.analysis, name="analysis"),
    path("notes/<int:analysis_id>/live/", analyses.live, name="live"),
    path("notes/<int:analysis_id>/figure.json", analyses.figure, name="figure"),
    re_path(r"^notes/(?P<analysis_id>\d{1,18})/result\.(?P<form>csv|json)$", analyses.result_file, name="result"),
    path("notes/<int:analysis_id>/cancel/", analyses.cancel, name="cancel"),
    path("notes/<int:analysis_id>/resume/", analyses.resume, name="resume"),
    path("notes/<int:analysis_id>/delete/", analyses.delete, name="delete"),
]
