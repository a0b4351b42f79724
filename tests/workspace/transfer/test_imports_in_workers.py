"""A worker reads and stores an archive, reports its progress, and stops if the import is discarded."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.services.organizations import member_remove, member_set_role
from infrastructure.claims import ClaimLost
from infrastructure.processes.workers import stopping
from runs.models import Experiment, Instance, Run
from tests.workspace.transfer.published_log import write_log
from workspace.transfer.models import ImportArchive, ImportedRun, ImportUpload
from workspace.transfer.services.uploads import IMPORTS, import_claims, upload_discard, upload_store, uploads_expire

LOGS = 3


@pytest.fixture(autouse=True)
def _no_claims_left(organization):
    """Before the database is closed to the heartbeat, which renews those that a test did not give back."""
    yield
    import_claims.held.clear()


@pytest.fixture
def archive(sent, tmp_path):
    """Three logs, sent and not read yet."""
    for seed in range(LOGS):
        write_log(tmp_path, "scheduling", seed=seed, name=f"run{seed}")
    return sent()


@pytest.fixture
def asked(archive, worked):
    """The same, read and to be stored."""
    worked()
    archive.refresh_from_db()
    upload_store(upload=archive)
    return archive


@pytest.fixture
def memberships(join, owner):
    """Of another owner, and of the sender, who is an editor."""
    olga = join("olga", "owner")
    member_set_role(actor=olga, membership=owner, role="editor")
    return olga, owner


def in_the_middle(deed):
    """Do something once the worker has stored that one log is done."""
    done = []

    def after(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith("UPDATE") and '"done" = %s, "total" = %s' in sql and params[:2] == (1, LOGS) and not done:
            done.append(True)
            deed()
        return result

    return connection.execute_wrapper(after)


def row(archive):
    return ImportUpload.objects.values_list("state", "done", "total").filter(pk=archive.pk).first()


def its_worker_died():
    """Simulates claims of another process that was killed a while ago."""
    import_claims.held.clear()
    ImportUpload.objects.update(claim_until=Now() - timedelta(seconds=1))


def stored_nothing():
    return not (Run.objects.exists() or Experiment.objects.exists() or Instance.objects.exists())


@pytest.mark.long
def test_progress_is_reported_during_reading_and_storing(archive, page, worked):
    seen = []

    def look():
        text = page.get(f"/experiments/import/{archive.pk}/live/").text
        seen.append((*row(archive), "Reading 1 of 3" in text, "Storing 1 of 3" in text))

    with in_the_middle(look):
        assert worked() == 1
    archive.refresh_from_db()
    upload_store(upload=archive)
    with in_the_middle(look):
        assert worked() == 1
    assert seen == [("reading", 1, LOGS, True, False), ("storing", 1, LOGS, False, True)]
    assert row(archive) == ("stored", LOGS, LOGS) and Run.objects.count() == LOGS


@pytest.mark.parametrize("state", ["reading", "storing"])
def test_discarding_a_running_import_stores_nothing(state, request, archive, worked):
    if state == "storing":
        archive = request.getfixturevalue("asked")
    seen = []

    def let_go():
        seen.append(row(archive)[0])
        assert upload_discard(upload=archive)

    with in_the_middle(let_go):
        worked()
    assert seen == [state] and stored_nothing()
    assert not ImportUpload.objects.exists() and not ImportArchive.objects.exists()


@pytest.mark.long
def test_the_import_of_a_member_removed_meanwhile_stores_nothing(memberships, asked, worked):
    owner, sender = memberships
    with in_the_middle(lambda: member_remove(actor=owner, membership=sender)):
        worked()
    assert stored_nothing() and not ImportUpload.objects.exists()


def test_the_import_of_a_former_editor_stores_nothing(memberships, asked, worked):
    owner, sender = memberships
    with in_the_middle(lambda: member_set_role(actor=owner, membership=sender, role="viewer")):
        worked()
    assert stored_nothing() and row(asked) == ("storing", 1, LOGS)
    its_worker_died()
    assert worked() == 0 and not ImportUpload.objects.exists()


def test_a_role_lost_after_the_last_log_prevents_storing(memberships, asked):
    owner, sender = memberships
    claim = import_claims.claim_next()
    member_set_role(actor=owner, membership=sender, role="viewer")
    with pytest.raises(ClaimLost):
        import_claims.lock(claim)


@pytest.mark.long
def test_the_import_of_a_killed_worker_is_stored_once_by_another_worker(asked, worked):
    dead = import_claims.claim_next()
    import_claims.store_progress(dead, 2, LOGS)
    assert worked() == 0
    its_worker_died()
    assert worked() == 1
    assert Experiment.objects.count() == 1 and Run.objects.count() == ImportedRun.objects.count() == LOGS
    IMPORTS.work(dead)
    assert Experiment.objects.count() == 1 and Run.objects.count() == LOGS


def test_a_worker_that_lost_its_claim_writes_nothing(asked):
    slow = import_claims.claim_next()

    def taken_over():
        its_worker_died()
        assert import_claims.claim_next().fence == slow.fence + 1

    with in_the_middle(taken_over):
        IMPORTS.work(slow)
    assert stored_nothing() and row(asked)[0] == "storing"


@pytest.mark.long
def test_a_stopping_worker_returns_the_import_at_the_next_log(asked, worked):
    try:
        with in_the_middle(stopping.set):
            assert worked() == 1
    finally:
        stopping.clear()
    assert stored_nothing() and row(asked)[0] == "storing"
    assert worked() == 1 and Run.objects.count() == LOGS


def test_a_claim_lasts_until_its_worker_stops_renewing_it(asked):
    claim = import_claims.claim_next()
    ImportUpload.objects.update(claim_until=Now() - timedelta(seconds=1))
    import_claims.renew()
    assert import_claims.claim_next() is None
    import_claims.held.discard(claim)


def test_an_archive_that_crashes_every_worker_is_refused(archive, worked, page):
    for _ in range(IMPORTS.most_tries):
        assert import_claims.claim_next() is not None
        its_worker_died()
    worked()
    assert row(archive)[0] == "refused"
    assert (
        "5 workers ended while they worked on this import. Send it in smaller parts."
        in page.get(f"/experiments/import/{archive.pk}/").text
    )
    assert not ImportArchive.objects.exists()


@pytest.mark.long
def test_runs_stored_meanwhile_are_skipped_and_the_rest_is_offered(asked, stored, worked, page):
    with in_the_middle(stored):
        assert worked() == 2
    assert Experiment.objects.count() == 1 and Run.objects.count() == LOGS
    text = page.get(f"/experiments/import/{asked.pk}/").text
    assert "stored by somebody else" in text and "3 known already" in text


def test_an_archive_that_is_being_stored_is_not_replaced_by_a_new_upload(asked, sent, worked):
    first, second = sent(), sent()
    assert set(ImportUpload.objects.values_list("id", flat=True)) == {asked.pk, second.pk} and first.pk != second.pk


def test_archives_are_kept_for_a_day(archive):
    uploads_expire()
    assert ImportUpload.objects.exists()
    ImportUpload.objects.update(created_at=Now() - timedelta(hours=25))
    uploads_expire()
    assert not ImportUpload.objects.exists() and not ImportArchive.objects.exists()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_workers_store_an_archive_once(asked):
    """Each in a thread of its own, past the rule that a process works on one at a time."""

    def take_and_work():
        try:
            if claim := import_claims.take(asked.pk):
                IMPORTS.work(claim)
            return claim is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        begun = [future.result() for future in [workers.submit(take_and_work) for _ in range(2)]]
    assert sorted(begun) == [False, True]
    assert Experiment.objects.count() == 1 and Run.objects.count() == LOGS
    assert not IMPORTS.work_next()
