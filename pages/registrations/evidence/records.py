"""The evidence of a registration as plain records. The database and an archive give the same records, so that the same pure
functions make the same answers and tables from both."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar

from pages.registrations.file import StudyIn

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class EvidenceRun:
    """One run of a registered launch.

    launch: number of the launch in the file, from 1; instance: number of the instance on the site that played the run
    not_played: whether the comparison in stages ended before its stage; awaits_score: whether its score may still come
    agent_changed: whether the agent's settings were others than at the registration
    cost_nano: booked cost in billionths of a dollar
    """

    run: int
    launch: int
    instance: int
    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: dict[str, Any]
    content_hash: str
    agent: str
    rival: str
    variant: str
    reasoning: bool
    periods: int
    prompt_version: str
    code_version: str
    state: str
    score: float | None
    periods_played: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_nano: int
    not_played: bool = False
    awaits_score: bool = False
    agent_changed: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def has_ended(self) -> bool:
        return self.state in ("finished", "cancelled") and not self.awaits_score


@dataclass(frozen=True)
class LaunchState:
    """A launch of the file.

    experiment: its number, None if the launch was not made or its experiment was removed for good
    is_deleted: whether its experiment was deleted after the launch
    broken_stages: how a person ended its comparison in stages, empty otherwise
    """

    number: int
    experiment: int | None = None
    launched_at: str = ""
    is_deleted: bool = False
    broken_stages: str = ""


@dataclass(frozen=True)
class Evidence:
    """A registration with the runs of its launches.

    registered_at: in UTC, ISO 8601; registered_by: the name of the person
    versions: as in `Registration.versions`
    agents: name, baseline, provider and model of each agent by slug
    others: experiments outside of the registration that played its agents on its instances until its last run ended
    """

    study: StudyIn
    sha256: str
    registered_at: str
    registered_by: str
    versions: Mapping[str, Any]
    agents: Mapping[str, Mapping[str, Any]]
    launches: Sequence[LaunchState]
    others: Sequence[int]
    runs: Sequence[EvidenceRun] = field(default=())

    @property
    def is_complete(self) -> bool:
        """Whether all launches were made and all runs have ended, so that the questions can be answered."""
        return all(launch.launched_at for launch in self.launches) and all(run.has_ended for run in self.runs)

    def name_of(self, slug: str) -> str:
        return str(self.agents.get(slug, {}).get("name", slug))

    def with_runs(self, runs: Iterable[EvidenceRun]) -> "Evidence":
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Evidence(**values | {"runs": tuple(runs)})

    def scored(self, agent: str, variant: str, environment: str, difficulty: str) -> dict[int, list[EvidenceRun]]:
        """The scored runs of an agent in a cell by instance, without those of launches in stages."""
        runs = self._by_cell.get((agent, variant, environment, difficulty), ())
        scored = [run for run in runs if run.score is not None and not self.study.launches[run.launch - 1].stages]
        return runs_by(scored, lambda run: run.instance)

    @cached_property
    def _by_cell(self) -> dict[tuple[str, str, str, str], list[EvidenceRun]]:
        return runs_by(self.runs, lambda run: (run.agent, run.variant, run.environment, run.difficulty))


def runs_by(runs: Iterable[EvidenceRun], key: Callable[[EvidenceRun], Key]) -> dict[Key, list[EvidenceRun]]:
    """Runs grouped by a key, in the order of their first appearance."""
    groups: dict[Key, list[EvidenceRun]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups
