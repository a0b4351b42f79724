"""Registering a study, making its launches once, and which runs are evidence for it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pages.registrations import services
from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.models import RegisteredLaunch, Registration
from pages.registrations.selectors import evidence_of, runs_of, states_of
from runs.launching.plan import LaunchError
from runs.models import Agent, Experiment, Run
from runs.services.control import runs_control
from tests.cast import launched, play_all
from tests.pages.registrations.conftest import STUDY, play

MORE = "  - {environments: [scheduling], difficulties: [BASIC], seeds: 0, agents: [random]}\n"
TWO = STUDY.replace("questions:", f"{MORE}questions:")


def launch_again(registration):
    return services.launches_make(registration=registration, user=None)


def of_agents(organization):
    return Agent.objects.filter(organization=organization, slug__in=("random", "pricing-constant")).order_by("slug")


def test_the_same_file_is_registered_once_and_keeps_its_time(register):
    first, again = register(), register()
    assert (first, first.registered_at) == (again, again.registered_at) and Experiment.objects.count() == 1
    assert register(f"{STUDY}# another file\n") != first


def test_a_registration_is_never_changed_or_deleted(register):
    registration = register(launched=False)
    for act in (registration.save, registration.delete, Registration.objects.all().delete):
        with pytest.raises(TypeError):
            act()
    with pytest.raises(TypeError):
        Registration.objects.update(title="Another")


@pytest.mark.parametrize(
    ("old", "new", "path", "sentence"),
    [
        ("agents: [random, pricing-constant], p", "agents: [nobody], p", "launches.0.agents", "no agent 'nobody'"),
        ("instances: 6\n", "instances: 12\n", "questions.0.instances", "play 6 with random in pricing BASIC, not 12"),
        ("difficulties: [BASIC]\n", "difficulties: [HARD]\n", "questions.0.instances", "play 0 with random"),
        ("periods: 3}", "periods: 3, stages: [3, 6]}", "questions.0", "may stop early"),
    ],
)
def test_a_study_that_its_launches_cannot_answer_is_refused(register, old, new, path, sentence):
    with pytest.raises(LaunchError) as refused:
        register(STUDY.replace(old, new))
    assert sentence in refused.value.errors[path] and not Registration.objects.exists()


def test_launches_under_unlike_conditions_cannot_answer_one_question(register):
    other = "  - {environments: [pricing], difficulties: [BASIC], seeds: 6, agents: [random, pricing-constant], periods: 9}\n"
    with pytest.raises(LaunchError) as refused:
        register(STUDY.replace("questions:", f"{other}questions:").replace("instances: 6", "instances: 7"))
    assert "different conditions" in refused.value.errors["questions.0"]


def test_an_interrupted_launch_goes_on_where_it_stopped_and_launches_nothing_twice(register, monkeypatch):
    registration = register(TWO, launched=False)
    create = RegisteredLaunch.objects.create

    def killed(**values):
        if values["number"] == 2:
            raise KeyboardInterrupt
        return create(**values)

    monkeypatch.setattr(RegisteredLaunch.objects, "create", killed)
    with pytest.raises(KeyboardInterrupt):
        launch_again(registration)
    # The second experiment was rolled back with its link.
    assert Experiment.objects.count() == registration.launches.count() == 1
    assert states_of([registration])[0].state == "launched"
    monkeypatch.undo()
    assert [experiment.registered.number for experiment in launch_again(registration)] == [2]
    assert launch_again(registration) == [] and Experiment.objects.count() == 2


def test_runs_that_were_there_before_and_runs_of_other_experiments_are_no_evidence(register, organization):
    agents = of_agents(organization)
    same = {"seeds": tuple(range(6)), "periods": 3}
    play_all(launched(organization, agents, **same))
    registration = register()
    meanwhile = launched(organization, agents, **same)
    play_all(meanwhile)
    assert all(answer.instances == 0 for answer in answers_of(evidence_of(registration)))
    play(registration)
    evidence = evidence_of(registration)
    assert {run.run for run in evidence.runs} == set(runs_of(registration).values_list("pk", flat=True))
    assert evidence.is_complete and evidence.others == [meanwhile.pk]
    assert f"(number {meanwhile.pk})" in deviations_of(evidence, answers_of(evidence))[0]


def test_an_experiment_launched_after_the_last_run_is_no_deviation(complete, organization):
    launched(organization, of_agents(organization), seeds=tuple(range(6)), periods=3)
    assert evidence_of(complete).others == []


def test_cancelled_runs_changed_prompts_and_a_deleted_experiment_are_deviations(register, alice):
    from runs.services.deletions import experiment_delete

    registration = register()
    runs = runs_of(registration).order_by("pk")
    runs_control(runs=Run.objects.filter(pk=runs[0].pk), action="cancel", user=alice)
    play(registration)
    Run.objects.filter(pk=runs[1].pk).update(prompt_version="changed")
    evidence = evidence_of(registration)
    sentences = " ".join(deviations_of(evidence, answers_of(evidence)))
    assert (
        "1 of 12 runs of launch 1 has no score" in sentences
        and "1 of 12 runs of launch 1 had other prompts" in sentences
    )
    experiment_delete(experiment=Experiment.objects.get(), actor=alice)
    evidence = evidence_of(registration)
    assert not evidence.runs and "experiment of launch 1 was deleted" in deviations_of(evidence, [])[0]


def test_the_answers_wait_until_every_run_has_ended(register):
    registration = register()
    assert not evidence_of(registration).is_complete and states_of([registration])[0].state == "playing"
    play(registration)
    assert evidence_of(registration).is_complete and states_of([registration])[0].state == "complete"


def test_the_queries_do_not_grow_with_the_number_of_registrations_or_runs(complete, register):
    with CaptureQueriesContext(connection) as few:
        states_of(list(Registration.objects.all()))
        evidence_of(complete)
    register(TWO)
    with CaptureQueriesContext(connection) as many:
        states_of(list(Registration.objects.all()))
        evidence_of(complete)
    assert len(few) == len(many) == 13


def test_registrations_disappear_with_their_organization_and_outlive_their_author(complete, alice, owner):
    from accounts.models import User
    from accounts.services.organizations import organization_create, organization_delete

    author = User.objects.create_user("ada", "ada@example.org")
    second = services.study_register(
        checked=services.study_check(
            file=services.read_study(f"{STUDY}# by Ada\n".encode()), organization=complete.organization, user=author
        ),
        organization=complete.organization,
        user=author,
    )
    author.delete()
    assert Registration.objects.get(pk=second.pk).registered_by is None
    organization_create(name="Second Lab", owner=alice)
    organization_delete(actor=owner, typed_name="Market Lab")
    assert not Registration.objects.exists()
