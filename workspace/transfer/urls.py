from django.urls import path, re_path

from workspace.transfer.views import exports, imports

app_name = "transfer"
urlpatterns = [
    path("experiments/import/", imports.upload, name="import"),
    path("experiments/import/<int:upload_id>/", imports.preview, name="import-preview"),
    path("experiments/import/<int:upload_id>/live/", imports.live, name="import-live"),
    path("experiments/import/<int:upload_id>/store/", imports.store, name="import-store"),
    path("experiments/import/<int:upload_id>/discard/", imports.discard, name="import-discard"),
    path("exports/", exports.exports, name="exports"),
    re_path(r"^exports/runs\.(?P<form>jsonl|csv)$", exports.runs_file, name="exports-file"),
    re_path(r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$", exports.run_file, name="run-file"),
]
