"""A worker killed while storing leaves the archive to the next worker, which stores it once."""

import pytest

from tests.faults.site import Site
from tests.workspace.transfer.published_log import write_log, zip_of

pytestmark = pytest.mark.long

PREPARE = """
from django.core.files.uploadedfile import SimpleUploadedFile
from accounts.models import User
from accounts.services import organization_create
from runs.services import catalog_install
from workspace.transfer.services.uploads import upload_create
owner = User.objects.create_user("alice", "alice@example.org")
lab = organization_create(name="Market Lab", owner=owner)
catalog_install(organization=lab)
with open({path!r}, "rb") as file:
    upload_create(organization=lab, user=owner, file=SimpleUploadedFile("logs.zip", file.read()))
"""
ASK = """
from workspace.transfer.models import ImportUpload
from workspace.transfer.services.uploads import upload_store
upload_store(upload=ImportUpload.objects.get())
"""
# So many that storing them takes seconds also on a fast machine, and a slow test still comes in between.
LOGS = 24


def test_a_killed_worker_stores_nothing_and_the_next_worker_stores_once(tmp_path):
    with Site(tmp_path / "site") as site:
        site.run("shell", "--no-imports", "-c", PREPARE.format(path=str(archive(tmp_path))))
        site.start_worker()
        site.wait_until(lambda: upload(site)[0] == "read")
        site.run("shell", "--no-imports", "-c", ASK)
        site.wait_until(lambda: upload(site)[1] > 1 and upload(site)[0] != "read", every=0.01)
        site.kill_worker()
        state, done, fence = upload(site)
        assert (state, number_of("runs_run", site)) == ("storing", 0) and 1 < done < LOGS
        site.start_worker()
        site.wait_until(lambda: upload(site)[0] == "stored")
    assert upload(site)[1:] == (LOGS, fence + 1)
    assert number_of("runs_experiment", site) == 1
    assert number_of("runs_run", site) == number_of("runs_importedrun", site) == LOGS
    assert number_of("runs_importarchive", site) == 0


def archive(folder):
    """Logs whose instances take a while to solve, so that there is a middle to be killed in."""
    for seed in range(LOGS):
        write_log(folder / "logs", "procurement", seed=seed, name=f"run{seed:02}")
    path = folder / "logs.zip"
    path.write_bytes(zip_of(folder / "logs"))
    return path


def upload(site):
    """Of the only upload: state, logs done, fence."""
    (found,) = site.rows("SELECT state, done, fence FROM runs_importupload")
    return found


def number_of(table, site):
    return site.rows(f"SELECT count(*) FROM {table}")[0][0]
