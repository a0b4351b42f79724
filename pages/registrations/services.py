"""Writes of registrations: register a file, and make its launches."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Organization, User
from infrastructure.money import nano
from infrastructure.transactions import lock_row, write_transaction
from pages.registrations.file import StudyFile, read_study
from pages.registrations.models import RegisteredLaunch, Registration
from pages.registrations.planning import plans_of, versions_of
from runs.launching.plan import LaunchError
from runs.launching.prices import unpriced_error
from runs.models import Experiment
from runs.services.experiments import PreparedLaunch, experiment_launch, launch_prepare


@dataclass(frozen=True)
class CheckedStudy:
    """A study that can be registered and launched, with the estimate of each launch."""

    file: StudyFile
    launches: Sequence[PreparedLaunch]


def study_check(*, file: StudyFile, organization: Organization, user: User | None) -> CheckedStudy:
    """Check a study against the organization. Raises LaunchError with a sentence for each error, by its path in the file."""
    prepared, errors = [], {}
    for index, (launch, plan) in enumerate(zip(file.study.launches, plans_of(file.study, organization), strict=True)):
        prepared.append(launch_prepare(plan=plan, organization=organization))
        budgets = (nano(launch.budget_usd), plan.run_budget_nano)
        unpriced = prepared[-1].estimate.unpriced
        if sentence := unpriced_error(unpriced=unpriced, organization=organization, user=user, budgets=budgets):
            errors[f"launches.{index}.agents"] = f"launches.{index}.agents: {sentence}"
    if errors:
        raise LaunchError(errors)
    return CheckedStudy(file, prepared)


def study_register(*, checked: CheckedStudy, organization: Organization, user: User | None) -> Registration:
    """Store the file with its hash and the versions that hold now. A file that is registered already keeps its time."""
    file = checked.file
    with write_transaction():
        registration, _ = Registration.objects.get_or_create(
            organization=organization,
            sha256=file.sha256,
            defaults={
                "title": file.study.title,
                "text": file.text,
                "planned": len(file.study.launches),
                "versions": versions_of([launch.plan for launch in checked.launches]),
                "registered_by": user,
            },
        )
    return registration


def launches_make(
    *, registration: Registration, user: User | None, checked: CheckedStudy | None = None
) -> list[Experiment]:
    """Make those launches of the file that were not made yet. Returns their experiments.

    A launch and its link to the registration are one transaction. So a killed process leaves no launch without its link,
    and the next call goes on where it stopped. Raises LaunchError, after which the launches before stay.

    checked: the check of the same file, if it was just made
    """
    organization = registration.organization
    file = checked.file if checked else read_study(registration.text.encode())
    made = set(registration.launches.values_list("number", flat=True))
    missing = [number for number in range(1, len(file.study.launches) + 1) if number not in made]
    checked = checked or (study_check(file=file, organization=organization, user=user) if missing else None)
    prepared = checked.launches if checked else ()
    experiments = []
    for number in missing:
        launch = file.study.launches[number - 1]
        with write_transaction():
            lock_row(Registration, registration.pk)
            if registration.launches.filter(number=number).exists():
                continue
            experiment = experiment_launch(
                organization=organization,
                user=user,
                plan=prepared[number - 1].plan,
                name=launch.name or f"{file.study.title}, launch {number}",
                budget_nano=nano(launch.budget_usd),
                prepared=prepared[number - 1],
            )
            RegisteredLaunch.objects.create(registration=registration, number=number, experiment=experiment)
        experiments.append(experiment)
    return experiments
