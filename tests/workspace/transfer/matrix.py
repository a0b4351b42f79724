"""Answers of exports and imports that do not follow from the guards of their views.

Numbers name an experiment, a run and an upload of the owner's, which nobody else sees.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.workspace.transfer.published_log import write_log, zip_of

ROWS = {
    "experiments/import/<int:upload_id>/": {"get": "302 403 404 200 404 403"},
    "experiments/import/<int:upload_id>/live/": {"get": "302 403 404 200 404 403"},
    "experiments/import/<int:upload_id>/store/": {"post": "302 403 404 302 404 403"},
    "experiments/import/<int:upload_id>/discard/": {"post": "302 403 404 302 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: an upload of `owner`, a membership, and a run of the organization."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from runs.models import Run
    from workspace.transfer.services.uploads import upload_create

    organization = owner.organization
    with TemporaryDirectory() as folder:
        write_log(Path(folder), "scheduling", name="kept")
        file = SimpleUploadedFile(f"{organization.name}.zip", zip_of(Path(folder)), "application/zip")
    upload = upload_create(organization=organization, user=owner.user, file=file)
    run = Run.objects.filter(experiment__organization=organization).order_by("id")[0]
    return {
        "<int:upload_id>": upload.pk,
        r"^exports/runs\.(?P<form>jsonl|csv)$": "exports/runs.csv",
        r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$": f"runs/{run.pk}/run.eval",
    }
