"""What the addresses of exports and imports answer, as in `tests/accounts/matrix.py`: GET, then POST without a body.

Numbers name an experiment, a run and an upload of the owner's.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.transfer.published_log import write_log, zip_of

READ_ONLY = "302 405 405 405 405 403"
ROWS = {
    "experiments/import/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "experiments/import/<int:upload_id>/": ("302 403 404 200 404 403", "302 403 405 405 405 403"),
    "experiments/import/<int:upload_id>/live/": ("302 403 404 200 404 403", "302 403 405 405 405 403"),
    "experiments/import/<int:upload_id>/store/": ("302 403 405 405 405 403", "302 403 404 302 404 403"),
    "experiments/import/<int:upload_id>/discard/": ("302 403 405 405 405 403", "302 403 404 302 404 403"),
    "exports/": ("302 200 200 200 200 403", READ_ONLY),
    r"^exports/runs\.(?P<form>jsonl|csv)$": ("302 200 200 200 200 403", READ_ONLY),
    r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$": ("302 200 200 200 404 403", READ_ONLY),
}


def ids(owner):
    """What stands for the placeholders of the rows: an upload of `owner`, a membership, and a run of the organization."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from runs.models import Run
    from transfer.services.uploads import upload_create

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
