"""Group commit: calls share a transaction, each is accepted or refused separately, and workers never overspend."""

import json
import threading

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError
from django.db.models import F

from environments.base import Outcome
from runs.engine import lease
from runs.engine.exceptions import Interrupted, LeaseLost, OverBudget
from runs.engine.writing import group_commit as module
from runs.engine.writing import spool
from runs.engine.writing.entries import PeriodEnd, PlayedPeriod, Settlement, write
from runs.engine.writing.group_commit import GroupCommit
from runs.models import Exchange, ExchangeState, Experiment, Period, Run
from tests.cast import exchange_of, settled
from tests.faults.overshoot import experiment as one_run_experiment
from tests.faults.overshoot import overshoots


@pytest.fixture
def run(run):
    """A leased run."""
    lease.take(run.pk)
    run.refresh_from_db()
    return run


@pytest.fixture
def commits():
    return GroupCommit()


@pytest.fixture
def sent(run, commits):
    """A call of the run in flight, with a reserved maximum of 100."""
    exchange = exchange_of(run)
    commits.intend(run.pk, run.fence, exchange)
    return exchange


def sums(run):
    run.refresh_from_db()
    return run.cost_nano, run.reserved_nano, run.queries


def test_a_lost_lease_or_a_stop_request_refuses_the_next_call(run, commits):
    with pytest.raises(LeaseLost):
        commits.intend(run.pk, run.fence - 1, exchange_of(run))
    Run.objects.update(stop_request="pause")
    with pytest.raises(Interrupted):
        commits.intend(run.pk, run.fence, exchange_of(run))
    assert not Exchange.objects.exists()


def test_only_open_calls_of_earlier_lease_holders_are_closed(launch, run, commits, sent):
    other = launch("random").runs.get()
    lease.take(other.pk)
    other.refresh_from_db()
    commits.intend(other.pk, other.fence, exchange_of(other))
    Run.objects.filter(pk=run.pk).update(fence=F("fence") + 1)
    run.refresh_from_db()
    commits.intend(run.pk, run.fence, own := exchange_of(run))
    assert commits.close_orphans(run.pk, run.fence) == [sent]
    open_calls = Exchange.objects.filter(state=ExchangeState.SENT).order_by("id")
    assert list(open_calls.values_list("run", flat=True)) == [other.pk, run.pk]
    assert own in open_calls


@pytest.mark.parametrize("closed", [True, False])
def test_a_late_reply_is_booked_at_its_cost_and_does_not_count_as_a_step(run, commits, sent, closed):
    """Before and after the next worker closed the open calls."""
    Run.objects.update(fence=run.fence + 1)
    if closed:
        (orphan,) = commits.close_orphans(run.pk, run.fence + 1)
        assert (orphan.state, orphan.cost_nano) == (ExchangeState.LOST, 100)
    with pytest.raises(LeaseLost):
        commits.settle(Settlement(run.pk, run.fence, settled(sent, 40)))
    assert closed or commits.close_orphans(run.pk, run.fence + 1) == []
    stored = Exchange.objects.get()
    assert (stored.state, stored.cost_nano) == (ExchangeState.LATE, 40)
    assert sums(run) == (40, 0, 0)
    assert Experiment.objects.values_list("cost_nano", "reserved_nano").get() == (40, 0)


def test_a_settlement_retried_after_an_unknown_commit_is_booked_once(run, sent):
    entry = Settlement(run.pk, run.fence, settled(sent, 7))
    write([entry])
    write([entry])
    assert sums(run) == (7, 0, 1)


def test_a_spooled_reply_is_used_instead_of_a_second_paid_call(run, commits, sent, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    spool.keep(settled(sent, 40))
    Run.objects.update(fence=run.fence + 1)
    (closed,) = commits.close_orphans(run.pk, run.fence + 1)
    assert (closed.state, closed.cost_nano) == (ExchangeState.REPLIED, 40)
    assert Exchange.objects.get().reply == {"text": "."}
    assert not list(tmp_path.glob("spool/*"))


def test_the_spool_is_private_and_skips_broken_files(run, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    exchange = settled(exchange_of(run), 40)
    exchange.pk = 7
    spool.keep(exchange)
    (path,) = tmp_path.glob("spool/*.json")
    assert path.stat().st_mode & 0o077 == 0
    (tmp_path / "spool" / f"{run.pk}-8.json").write_text("{")
    assert list(spool.kept(run.pk)) == [7]
    assert json.loads(path.read_text())["cost_nano"] == 40


@pytest.mark.django_db(transaction=True)
def test_a_reply_waits_for_a_database_that_is_away(run, commits, sent, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    write, absences = module.write, iter([OperationalError("away"), OperationalError("away")])

    def away_twice(entries):
        for error in absences:
            assert entries[0].exchange.reply
            raise error
        write(entries)

    monkeypatch.setattr(module, "write", away_twice)
    commits.settle(Settlement(run.pk, run.fence, settled(sent, 40)))
    assert Exchange.objects.get().state == ExchangeState.REPLIED
    assert not list(tmp_path.glob("spool/*"))


@pytest.mark.parametrize(
    ("change", "refusal"), [({"stop_request": "pause"}, Interrupted), ({"budget_nano": 50}, OverBudget)]
)
def test_a_refused_call_still_settles_the_previous_call(run, commits, sent, change, refusal):
    Run.objects.update(**change)
    with pytest.raises(refusal):
        commits.intend(run.pk, run.fence, exchange_of(run), Settlement(run.pk, run.fence, settled(sent, 40)))
    assert Exchange.objects.get().state == ExchangeState.REPLIED
    assert sums(run) == (40, 0, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fault", [OperationalError, ValueError])
def test_an_intent_that_fails_with_its_settlement_is_written_after_it(run, commits, sent, monkeypatch, fault):
    write, sizes = module.write, []

    def one_at_a_time(entries):
        sizes.append(len(entries))
        if len(entries) > 1:
            raise fault
        write(entries)

    monkeypatch.setattr(module, "write", one_at_a_time)
    commits.intend(run.pk, run.fence, exchange_of(run), Settlement(run.pk, run.fence, settled(sent, 40)))
    assert sizes[-2:] == [1, 1] and sums(run) == (40, 100, 1)


@pytest.mark.django_db(transaction=True)
def test_what_was_committed_without_an_answer_of_the_database_is_not_written_twice(run, commits, sent, monkeypatch):
    write = module.write

    def unanswered(entries):
        write(entries)
        if len(entries) > 1:
            raise OperationalError

    monkeypatch.setattr(module, "write", unanswered)
    after = exchange_of(run)
    commits.intend(run.pk, run.fence, after, Settlement(run.pk, run.fence, settled(sent, 40)))
    assert Exchange.objects.count() == 2 and sums(run) == (40, 100, 1)
    played = PlayedPeriod(Outcome(0, {"price": 1.0}, {"profit": 2.0}, 0.5))
    end = PeriodEnd(run.pk, run.fence, played, {})
    assert commits.end_period(end, Settlement(run.pk, run.fence, settled(after, 30))) == ""
    assert sums(run) == (70, 0, 2) and run.periods_played == Period.objects.count() == 1


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_sixty_four_threads_never_exceed_a_cap_of_ten_calls():
    assert overshoots(25, one_run_experiment()) == []


@pytest.mark.parametrize("fault", [IntegrityError, ValueError])
def test_each_entry_of_a_failed_batch_gets_its_own_failure(run, monkeypatch, fault):
    queued = [module.QueuedEntries([module.Intent(run.pk, run.fence, exchange_of(run))]) for _ in range(3)]

    def fail(batch):
        if len(batch) > 1:
            raise fault("all")
        if batch is not queued[1].entries:
            raise InterfaceError("each")

    monkeypatch.setattr(module, "write", fail)
    GroupCommit._write_batch(queued)
    assert [str(entry.failure) for entry in queued] == ["each", "None", "each"]


def test_the_entry_of_an_interrupted_thread_is_written_by_the_next_writer(run, commits, monkeypatch):
    class Interrupting(threading.Event):
        def wait(self, timeout=None):
            raise KeyboardInterrupt

    queued, written = module.QueuedEntries, []
    first, second = (module.Intent(run.pk, run.fence, exchange_of(run)) for _ in range(2))
    monkeypatch.setattr(module, "write", written.append)
    commits._has_writer = True
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(module, "QueuedEntries", lambda entries: queued(entries, wake=Interrupting()))
        commits._write(first)
    commits._choose_next_writer()
    commits._write(second)
    assert written == [[second, first]] and not commits._has_writer
