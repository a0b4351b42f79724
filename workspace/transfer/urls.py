from django.urls import path, re_path

from workspace.transfer import views

app_name = "transfer"
urlpatterns = [
    path("experiments/import/", views.upload, name="import"),
    path("experiments/import/<int:upload_id>/", views.preview, name="import-preview"),
    path("experiments/import/<int:upload_id>/live/", views.live, name="import-live"),
    path("experiments/import/<int:upload_id>/store/", views.store, name="import-store"),
    path("experiments/import/<int:upload_id>/discard/", views.discard, name="import-discard"),
    path("exports/", views.exports, name="exports"),
    re_path(r"^exports/runs\.(?P<form>jsonl|csv)$", views.runs_file, name="exports-file"),
    re_path(r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$", views.run_file, name="run-file"),
]
