"""Rounds of watches: launched once, delayed by budgets and waiting runs, and compared when their runs have ended."""

from datetime import date
from threading import Thread

import pytest
from django.db import connection

from runs.models import Experiment, Proof
from runs.services.agents import agent_archive, agent_unarchive
from runs.services.control import runs_control
from runs.services.deletions import experiment_delete
from tests.workspace.drift.conftest import pass_interval, replay, replay_scored
from workspace.drift import rounds
from workspace.drift.models import Round, Watch
from workspace.drift.selectors import next_round, notices_open, round_rows, watch_detail_json, watches_of
from workspace.drift.services import notices_see, watch_pause, watch_resume


def kinds(watch):
    return list(watch.notices.order_by("id").values_list("kind", flat=True))


def numbers(watch):
    return list(watch.rounds.values_list("number", "in_baseline", "state"))


def test_the_baseline_is_launched_at_once_and_later_rounds_one_by_one(watched, alice):
    watch = watched(budget_nano=10**9)
    assert next_round(watch).startswith("The 2 rounds of the baseline will cost about $")
    replay(watch)
    assert numbers(watch) == [(1, True, "ended"), (2, True, "ended")]
    rounds.rounds_launch()
    assert watch.rounds.count() == 2
    replay(watch)
    assert numbers(watch)[2:] == [(3, False, "ended")]
    last = watch.rounds.last().experiment
    assert (last.name, last.budget_nano, last.created_by) == ("Drift of Small model, round 3", 10**9, alice)
    assert last.spec["seeds"] == "0-5" and last.runs.count() == 6


def test_an_unchanged_agent_gives_no_notice(watched):
    watch = watched()
    replay(watch, 3)
    ended = watch.rounds.last()
    assert (ended.n, ended.difference, ended.p, ended.can_tell, kinds(watch)) == (6, 0, 1, True, [])
    assert round_rows(watch)[-1].answers == ["gpt-a-2026-01-01", "default", "North"]


def test_a_killed_launch_stores_nothing_and_the_next_sweep_launches_once(watched, monkeypatch):
    watch = watched()

    def killed(**options):
        raise SystemExit

    with monkeypatch.context() as patch:
        # The first round of the baseline is launched by then.
        whole, calls = rounds.experiment_launch, iter([rounds.experiment_launch, killed])
        patch.setattr(rounds, "experiment_launch", lambda **options: next(calls)(**options))
        with pytest.raises(SystemExit):
            rounds.rounds_launch()
    assert rounds.experiment_launch is whole
    assert (Round.objects.count(), Experiment.objects.count()) == (0, 0)
    stale = Watch.objects.select_related("organization", "agent__endpoint", "created_by").get(pk=watch.pk)
    rounds.rounds_launch()
    # A second process that read the same time does nothing.
    rounds.round_launch(watch=stale)
    assert (Round.objects.count(), Experiment.objects.count()) == (2, 2)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_sweeps_launch_and_end_a_round_once(watched):
    watch = watched()
    replay(watch)
    pass_interval(watch)

    def at_once(act):
        def work():
            act()
            connection.close()

        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    at_once(rounds.rounds_launch)
    assert watch.rounds.count() == 3
    Round.objects.filter(number=3).first().experiment.runs.update(state="finished", score=0.0)
    at_once(rounds.rounds_end)
    assert kinds(watch).count("score") == 1


def test_a_kill_before_the_end_of_a_round_leaves_it_to_the_sweep(watched, monkeypatch):
    watch = watched()
    replay(watch)
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "rounds_end", lambda: None)
        replay(watch)
    assert numbers(watch)[2:] == [(3, False, "playing")]
    watch.rounds.last().experiment.runs.update(score=0.0)

    def killed(*options):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(rounds, "notify_of_drift", lambda **options: killed())
        with pytest.raises(SystemExit):
            rounds.rounds_end()
    assert (kinds(watch), numbers(watch)[2:]) == ([], [(3, False, "playing")])
    rounds.rounds_end()
    rounds.rounds_end()
    assert (kinds(watch), numbers(watch)[2:]) == (["score"], [(3, False, "ended")])


def test_a_round_over_its_budget_is_refused_and_the_next_round_stays_on_schedule(watched, agent):
    watch = watched(budget_nano=10**9)
    replay(watch)
    type(agent).objects.filter(pk=agent.pk).update(input_price=5000)
    replay(watch)
    assert numbers(watch)[2:] == [(3, False, "refused")] and kinds(watch) == ["refused"]
    sentence = watch.notices.get().sentence
    assert sentence.startswith("Small model: Round 3 was not launched. It would cost about $")
    assert sentence.endswith(", more than the budget of $1.00 for a round.")
    rounds.rounds_launch()
    assert watch.rounds.count() == 3
    type(agent).objects.filter(pk=agent.pk).update(input_price=1)
    replay(watch)
    assert numbers(watch)[3:] == [(4, False, "ended")]


def test_a_retired_model_ends_the_watch_with_a_sentence(watched, alice, agent, monkeypatch):
    watch = watched()
    replay(watch)
    type(agent).objects.filter(pk=agent.pk).update(learned={"retires_on": "2026-03-01"})
    monkeypatch.setattr("runs.catalog.today", lambda: date(2026, 3, 2))
    replay(watch, 2)
    watch.refresh_from_db()
    assert (watch.state, watch.rounds.count(), kinds(watch), next_round(watch)) == ("ended", 2, ["stopped"], "")
    assert watch.reason == "Small model cannot be launched, because its model was retired on 1 March 2026."
    watch_resume(watch=watch, user=alice)
    watch.refresh_from_db()
    assert watch.state == "ended"


@pytest.mark.long
def test_an_impossible_launch_pauses_the_watch_until_a_person_resumes_it(watched, alice, agent):
    watch = watched()
    replay(watch)
    agent_archive(agent=agent)
    replay(watch, 2)
    watch.refresh_from_db()
    assert (watch.state, kinds(watch)) == ("paused", ["stopped"])
    assert watch.reason.startswith("Small model is archived.")
    agent_unarchive(agent=agent)
    watch_resume(watch=watch, user=alice)
    replay(watch)
    assert numbers(watch)[2:] == [(3, False, "ended")]


def test_a_round_with_waiting_runs_is_not_compared_and_delays_the_next_round(watched, alice, organization):
    watch = watched()
    replay(watch)
    pass_interval(watch)
    rounds.rounds_launch()
    runs = watch.rounds.last().experiment.runs
    runs_control(runs=runs.all(), action="pause", user=alice)
    replay(watch)
    assert numbers(watch)[2:] == [(3, False, "playing")] and kinds(watch) == []
    assert next_round(watch) == "The next round waits until the runs of the present one have ended."
    assert round_rows(watch)[-1].progress.summary == "Paused: 0 of 6 runs finished, 6 paused"
    runs_control(runs=runs.all(), action="cancel", user=alice)
    rounds.rounds_end()
    ended = watch.rounds.last()
    assert (ended.state, ended.n, ended.difference, ended.can_tell) == ("ended", 0, None, False)
    assert not notices_open(organization=organization).exists()


@pytest.mark.long
def test_a_deleted_round_neither_counts_nor_delays_the_next_round(watched):
    watch = watched()
    replay(watch)
    pass_interval(watch)
    rounds.rounds_launch()
    experiment_delete(experiment=watch.rounds.last().experiment)
    replay(watch)
    assert [row.round.number for row in round_rows(watch)] == [1, 2, 4]
    experiment_delete(experiment=watch.rounds.first().experiment)
    replay(watch)
    # One earlier replay of six instances is not enough.
    assert (watch.rounds.last().n, watch.rounds.last().can_tell) == (6, False)


def test_a_paused_watch_launches_no_round_and_a_leaving_member_pauses_watches(watched, alice, organization):
    from workspace.drift.services import watches_pause_of

    watch = watched()
    watch_pause(watch=watch)
    replay(watch)
    assert not watch.rounds.exists()
    watch_resume(watch=watch, user=alice)
    watches_pause_of(organization, alice)
    replay(watch)
    watch.refresh_from_db()
    assert (watch.state, watch.created_by, watch.rounds.count()) == ("paused", None, 0)


def test_a_watch_pauses_when_its_creator_may_no_longer_launch(watched, alice, owner, organization):
    watch = watched()
    replay(watch)
    organization.memberships.filter(user=alice).update(role="viewer")
    replay(watch)
    watch.refresh_from_db()
    assert (watch.state, watch.reason) == ("paused", "Who made this watch may no longer launch.")
    watch_resume(watch=watch, user=owner.user)
    replay(watch)
    assert watch.rounds.last().experiment.created_by == owner.user


def test_a_deleted_baseline_is_launched_again(watched):
    watch = watched()
    for levels in ((0.8, 0.8), (0.4,)):
        replay_scored(watch, *levels)
    for of_baseline in watch.rounds.filter(in_baseline=True):
        experiment_delete(experiment=of_baseline.experiment)
    assert next_round(watch).startswith("The 2 rounds of the baseline will cost")
    replay_scored(watch, 0.4, 0.4)
    assert numbers(watch)[3:] == [(4, True, "ended"), (5, True, "ended")]


def test_a_notice_of_a_deleted_round_is_hidden(watched, organization):
    watch = watched()
    for levels in ((0.8, 0.8), (0.1,)):
        replay_scored(watch, *levels)
    experiment_delete(experiment=watch.rounds.last().experiment)
    assert not notices_open(organization=organization).exists()
    assert [row.open for row in watches_of(organization=organization)] == [0]
    assert watch_detail_json(watch)["notices"] == []


def test_a_round_waits_for_scores_of_runs_with_unproven_optima(watched):
    watch = watched()
    replay_scored(watch, 0.8, 0.8)
    pass_interval(watch)
    rounds.rounds_launch()
    runs = watch.rounds.last().experiment.runs
    runs.update(state="finished", score=0.8)
    last = runs.last()
    runs.filter(pk=last.pk).update(score=None)
    proof = Proof.objects.create(instance=last.instance)
    rounds.rounds_end()
    assert watch.rounds.last().state == "playing"
    proof.delete()
    rounds.rounds_end()
    assert (watch.rounds.last().state, watch.rounds.last().n) == ("ended", 5)


def test_a_round_with_other_prompts_is_not_compared(watched):
    watch = watched()
    replay_scored(watch, 0.8, 0.8)
    pass_interval(watch)
    rounds.rounds_launch()
    watch.rounds.last().experiment.runs.update(state="finished", score=0.1, prompt_version="other")
    rounds.rounds_end()
    assert (watch.rounds.last().n, watch.rounds.last().can_tell, kinds(watch)) == (0, False, [])


def test_a_new_baseline_is_launched_at_once_and_used_by_later_rounds(watched, alice):
    watch = watched()
    for levels in ((0.9, 0.9), (0.0,), (0.0,)):
        replay_scored(watch, *levels)
    assert kinds(watch) == ["score"]  # once, however long it stays
    # A second press of the button knows the same baseline.
    assert [notices_see(watch=watch, user=alice, after_baseline=1) for _ in range(2)] == [1, 0]
    replay_scored(watch, 0.0, 0.0)
    assert numbers(watch)[4:] == [(5, True, "ended"), (6, True, "ended")]
    replay_scored(watch, 0.0)
    assert (kinds(watch), watch.rounds.last().p) == (["score"], 1)


def test_an_organization_is_deleted_with_its_watches(watched, owner):
    from accounts.services.organizations import organization_create, organization_delete

    watch = watched()
    replay_scored(watch, 0.5, 0.5)
    organization_create(name="Second Lab", owner=owner.user)
    organization_delete(actor=owner, typed_name="Market Lab")
    assert not Watch.objects.exists() and not Round.objects.exists()
