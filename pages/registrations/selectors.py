"""Database reads of registrations: lists, progress, and the evidence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.db.models import Count, Max, QuerySet, TextField
from django.db.models.functions import Cast
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import Organization
from environments.json_text import read_json
from infrastructure.text.formats import counted
from pages.registrations.evidence.records import Evidence, EvidenceRun, LaunchState
from pages.registrations.file import StudyIn, read_study
from pages.registrations.models import RegisteredLaunch, Registration
from pages.registrations.planning import without_tier
from runs.models import Agent, Experiment, Run
from runs.models.proofs import AWAITS_SCORE
from runs.models.runs import NOT_PLAYED, TERMINAL
from runs.stages.models import ComparisonState, StagedComparison

MOST_OTHERS = 100
BROKEN = {
    ComparisonState.CONTINUED: "continued by a person without further looks",
    ComparisonState.WITHDRAWN: "cancelled by a person",
}
COLUMNS = {
    "launch": "experiment__registered__number",
    **{name: f"instance__{name}" for name in ("environment", "difficulty", "seed", "generator")},
    "content_hash": "instance__content_hash",
    "agent": "agent__slug",
    "rival": "rival__slug",
    "calls": "queries",
    "run": "pk",
}
"""The column of each field of EvidenceRun, where the names differ."""

PLAIN = (
    *("instance", "variant", "reasoning", "periods", "prompt_version", "state", "score", "periods_played"),
    *("input_tokens", "output_tokens", "cost_nano"),
)


def registrations_of(*, organization: Organization) -> QuerySet[Registration]:
    """The registrations of an organization, newest first, without their text."""
    rows = Registration.objects.filter(organization=organization).select_related("registered_by")
    return rows.defer("text", "versions").order_by("-id")


def registration_or_404(*, organization: Organization, registration_id: int) -> Registration:
    rows = Registration.objects.select_related("registered_by", "organization")
    return get_object_or_404(rows, organization=organization, pk=registration_id)


@dataclass(frozen=True)
class RegistrationState:
    """A registration with the state of its launches. runs: number of runs by whether they have ended"""

    registration: Registration
    launches: Sequence[RegisteredLaunch]
    runs: Counter[bool]

    @property
    def is_launched(self) -> bool:
        return len(self.launches) == self.registration.planned

    @property
    def is_complete(self) -> bool:
        return self.is_launched and not self.runs[False]

    @property
    def state(self) -> str:
        """'registered' without launches, 'launched' in part, 'playing' or 'complete'."""
        if self.is_complete:
            return "complete"
        return "playing" if self.is_launched else "launched" if self.launches else "registered"

    @property
    def sentence(self) -> str:
        launches = f"{len(self.launches)} of {counted(self.registration.planned, 'launch,launches')} made"
        total = self.runs.total()
        return f"{launches}; {self.runs[True]} of {counted(total, 'run,runs')} ended." if total else f"{launches}."


def states_of(registrations: Sequence[Registration]) -> list[RegistrationState]:
    """The state of each registration. Four queries for any number of them."""
    launches: dict[int, list[RegisteredLaunch]] = {registration.pk: [] for registration in registrations}
    for launch in RegisteredLaunch.objects.filter(registration__in=registrations).select_related("experiment"):
        launches[launch.registration_id].append(launch)
    runs = Run.objects.filter(experiment__registered__registration__in=registrations).order_by()
    numbers: dict[int, Counter[bool]] = {registration.pk: Counter() for registration in registrations}
    ended = runs.filter(state__in=TERMINAL).exclude(AWAITS_SCORE)
    for name, rows in ((True, ended), (False, runs.exclude(pk__in=ended.values("pk")))):
        by_registration = rows.values_list("experiment__registered__registration").annotate(Count("id"))
        for number, count in by_registration:
            numbers[number][name] = count
    return [
        RegistrationState(registration, launches[registration.pk], numbers[registration.pk])
        for registration in registrations
    ]


def runs_of(registration: Registration) -> QuerySet[Run]:
    """The runs that are evidence for a registration: only those of the experiments that it launched."""
    return Run.objects.filter(
        organization=registration.organization_id, experiment__registered__registration=registration
    )


def evidence_of(registration: Registration) -> Evidence:
    """The evidence of a registration. Seven queries."""
    study = read_study(registration.text.encode()).study
    runs = runs_of(registration)
    agents = Agent.objects.filter(pk__in=runs.values("agent")) | Agent.objects.filter(pk__in=runs.values("rival"))
    person = registration.registered_by
    return Evidence(
        study=study,
        sha256=registration.sha256,
        registered_at=f"{registration.registered_at:%Y-%m-%dT%H:%M:%SZ}",
        registered_by=person.shown_name if person else "the command line",
        versions=registration.versions,
        agents={
            agent.slug: {name: getattr(agent, name) for name in ("name", "baseline", "provider", "model")}
            for agent in agents.order_by("slug")
        },
        launches=_launches(registration, len(study.launches)),
        others=_others(registration, study),
        runs=tuple(_runs(registration)),
    )


def _launches(registration: Registration, number: int) -> list[LaunchState]:
    made = {launch.number: launch for launch in registration.launches.all()}
    experiments = Experiment.with_deleted.in_bulk([launch.experiment_id for launch in made.values()])
    broken = StagedComparison.objects.filter(experiment__in=experiments, state__in=BROKEN)
    states = dict(broken.values_list("experiment", "state"))
    launches = []
    for index in range(1, number + 1):
        launch = made.get(index)
        experiment = experiments.get(launch.experiment_id or 0) if launch else None
        launches.append(
            LaunchState(
                number=index,
                experiment=experiment.pk if experiment else None,
                launched_at=f"{launch.launched_at:%Y-%m-%dT%H:%M:%SZ}" if launch else "",
                is_deleted=bool(experiment and experiment.deleted_at),
                broken_stages=BROKEN[ComparisonState(states[experiment.pk])]
                if experiment and experiment.pk in states
                else "",
            )
        )
    return launches


def _runs(registration: Registration) -> list[EvidenceRun]:
    runs = runs_of(registration)
    not_played = set(runs.filter(NOT_PLAYED).values_list("pk", flat=True))
    awaiting = set(runs.filter(AWAITS_SCORE).values_list("pk", flat=True))
    agents = registration.versions["agents"]
    names = [*COLUMNS.items(), *((name, name) for name in PLAIN)]
    rows = []
    # Thousands of runs have few different values of these columns, so each text is parsed once.
    parsed = lru_cache(maxsize=None)(partial(read_json, lenient=True))
    texts = {"config_text": Cast("config", TextField()), "settings_text": Cast("instance__settings", TextField())}
    columns = (*texts, *(column for _, column in names))
    for config_text, settings_text, *values in runs.order_by("pk").annotate(**texts).values_list(*columns):
        row: dict[str, Any] = dict(zip((name for name, _ in names), values, strict=True))
        config = parsed(config_text)
        rows.append(
            EvidenceRun(
                **row | {"rival": row["rival"] or "", "score": row["score"] if row["state"] == "finished" else None},
                settings=parsed(settings_text),
                code_version=config.get("code_version", ""),
                not_played=row["run"] in not_played,
                awaits_score=row["run"] in awaiting,
                agent_changed=without_tier(config.get("player", {})) != agents.get(row["agent"]),
            )
        )
    return rows


def _others(registration: Registration, study: StudyIn) -> list[int]:
    """Numbers of other experiments that played registered agents on registered instances between the registration and the
    end of its last run."""
    last = runs_of(registration).aggregate(Max("ended_at"))["ended_at__max"] or timezone.now()
    since = Run.objects.filter(
        organization=registration.organization_id,
        created_at__range=(registration.registered_at, last),
        agent__slug__in={slug for launch in study.launches for slug in launch.agents},
        instance__in=runs_of(registration).values("instance"),
        imported=False,
    )
    others = since.exclude(experiment__registered__registration=registration)
    return list(others.order_by("experiment").values_list("experiment", flat=True).distinct()[:MOST_OTHERS])
