"""Database reads for an analysis and its pages, always within one organization."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, ClassVar

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404
from pydantic import Field

from accounts.models import Organization
from analysis.base.filters import Filter
from analysis.base.selectors import launched_in
from analysis.notes.models import NotesAnalysis
from analysis.notes.text.clusters import Paragraph
from environments.base import SINGLE_SEAT
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure import claims
from infrastructure.declared import Choices
from infrastructure.schemas import Plain
from infrastructure.text.formats import counted
from runs.models import Agent, Note, Run
from runs.selectors.cells import environment_title
from runs.services.job_calls import job_billed
from stats.texts import paragraphs_of


class StudyFilter(Filter):
    """The notes to analyse. Empty tuples and None do not filter."""

    kind: ClassVar[str] = "notes"
    PLAYS: ClassVar[tuple[str, ...]] = tuple(ENVIRONMENTS)

    environment: Annotated[
        Plain, Choices({name: each.title for name, each in ENVIRONMENTS.items()}), Field(title="Environment")
    ] = ""
    difficulties: Annotated[tuple[Plain, ...], Field(title="Difficulties", max_length=50, strict=False)] = ()
    agents: Annotated[
        tuple[Plain, ...], Field(title="Agents", max_length=50, strict=False, description="Slugs of the agents.")
    ] = ()
    start: Annotated[
        date | None, Field(title="Launched from", strict=False, description="Runs launched from this day on.")
    ] = None
    end: Annotated[date | None, Field(title="to", strict=False, description="Runs launched until this day.")] = None
    balanced: Annotated[
        bool,
        Field(
            title="As many paragraphs of each agent",
            description="Read as many paragraphs of each agent as the least verbose agent wrote.",
        ),
    ] = False

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        names = dict.fromkeys(name for generation in GENERATION.values() for name in generation.difficulties)
        return {"difficulties": [(name, name) for name in (*names, *designs)]}

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", include=set(StudyFilter.model_fields), exclude_defaults=True)

    @property
    def title(self) -> str:
        parts = [environment_title(self.environment), *self.difficulties]
        return f"{' '.join(parts)}{', balanced' if self.balanced else ''}"

    def describe(self) -> list[str]:
        ends = (f"from {self.start}" if self.start else "", f"to {self.end}" if self.end else "")
        return [
            environment_title(self.environment),
            ", ".join(self.difficulties) or "every difficulty",
            ", ".join(self.agents) or "every agent",
            *([" ".join(filter(None, ("launched", *ends)))] if any(ends) else []),
            *(["as many paragraphs of each agent"] if self.balanced else []),
        ]


RUNS_AT_ONCE = 50
LOOKED_AT = 200
"""Number of notes whose paragraphs are counted for an estimate."""


@dataclass(frozen=True)
class Scope:
    """The extent of an analysis. paragraphs, characters: estimated from a sample of the notes"""

    runs: int
    notes: int
    paragraphs: int
    characters: int

    @property
    def sentence(self) -> str:
        if not self.runs:
            return "No run matches this choice."
        if not self.notes:
            return f"{counted(self.runs, 'run matches,runs match')}, and none of them has notes."
        about = "" if self.notes <= LOOKED_AT else "about "
        return (
            f"It reads {counted(self.runs, 'run,runs')} with {counted(self.notes, 'note,notes')}, "
            f"{about}{counted(self.paragraphs, 'paragraph,paragraphs')}."
        )


def studied_runs(*, organization: Organization, study_filter: StudyFilter) -> QuerySet[Run]:
    difficulties, agents = study_filter.difficulties, study_filter.agents
    return Run.objects.filter(
        launched_in(study_filter.start, study_filter.end),
        Q(instance__difficulty__in=difficulties) if difficulties else Q(),
        Q(agent__slug__in=agents) | Q(rival__slug__in=agents) if agents else Q(),
        organization=organization,
        instance__environment=study_filter.environment,
    )


def scope_of(*, organization: Organization, study_filter: StudyFilter) -> Scope:
    runs = studied_runs(organization=organization, study_filter=study_filter)
    notes = Note.objects.filter(run__in=runs.order_by("pk").values("pk"))
    count = notes.count()
    texts = list(notes.values_list("text", flat=True)) if count <= LOOKED_AT else _spread(runs)
    share = count / len(texts) if texts else 0
    paragraphs = [part for text in texts for part in paragraphs_of(text)]
    return Scope(runs.count(), count, round(share * len(paragraphs)), round(share * sum(map(len, paragraphs))))


def _spread(runs: QuerySet[Run]) -> list[str]:
    """Notes of a few runs that are spread over all runs."""
    ids = list(runs.order_by("pk").values_list("pk", flat=True))
    few = ids[:: max(1, len(ids) // 10)][:10]
    return list(Note.objects.filter(run__in=few).order_by("pk").values_list("text", flat=True)[: 2 * LOOKED_AT])


def read_paragraphs(
    *, organization: Organization, study_filter: StudyFilter
) -> Iterator[tuple[int, int, list[Paragraph]]]:
    """Yield (runs read, runs in all, paragraphs) for a few runs at a time, in the order of the runs."""
    runs = studied_runs(organization=organization, study_filter=study_filter).order_by("pk")
    players: list[Any] = list(runs.values_list("pk", "agent", "rival"))
    agent_ids = set(
        Agent.objects.filter(organization=organization, slug__in=study_filter.agents).values_list("pk", flat=True)
    )
    for first in range(0, len(players), RUNS_AT_ONCE):
        run_agents = {run: (agent, rival or agent) for run, agent, rival in players[first : first + RUNS_AT_ONCE]}
        notes = Note.objects.filter(run__in=run_agents).order_by("run", "period_index", "seat", "order")
        rows: Iterable[Any] = notes.values_list("run", "period_index", "seat", "text")
        paragraphs = [
            Paragraph(author, run, period, text)
            for run, period, seat, note in rows
            if (author := run_agents[run][seat != SINGLE_SEAT]) in agent_ids or not study_filter.agents
            for text in paragraphs_of(note)
        ]
        yield min(first + RUNS_AT_ONCE, len(players)), len(players), paragraphs


def studied_environments(*, organization: Organization) -> list[tuple[str, str]]:
    """(name, title) of the environments in which agents of the organization played."""
    played_environments = set(
        Run.objects.filter(organization=organization)
        .order_by()
        .values_list("instance__environment", flat=True)
        .distinct()
    )
    return [(name, environment_title(name)) for name in ENVIRONMENTS if name in played_environments]


def studied_agents(*, organization: Organization) -> list[tuple[str, str]]:
    """(slug, name) of agents that have a run."""
    agent_runs = Run.objects.filter(Q(agent=OuterRef("pk")) | Q(rival=OuterRef("pk")))
    agents = Agent.objects.filter(Exists(agent_runs), organization=organization)
    return list(agents.order_by("name").values_list("slug", "name"))


def analyses(*, organization: Organization) -> QuerySet[NotesAnalysis]:
    """Analyses, newest first, without their results."""
    rows = NotesAnalysis.objects.filter(organization=organization).select_related("created_by", "endpoint")
    return rows.defer("result").order_by("-id")


def analysis_or_404(*, organization: Organization, analysis_id: int) -> NotesAnalysis:
    rows = NotesAnalysis.objects.select_related("created_by", "endpoint", "labels_by")
    return get_object_or_404(rows, organization=organization, pk=analysis_id)


def billed(analysis: NotesAnalysis) -> dict[str, int]:
    """The calls, tokens and cost of an analysis, as in `job_billed`."""
    return job_billed(analysis.organization_id, analysis.job)


def waiting_reason(analysis: NotesAnalysis) -> str:
    """Why an analysis does not make progress, as a sentence; empty if it does."""
    return claims.waiting_reason(analysis, "analysis", "analyses") if analysis.is_working else ""


def version_of(analysis: NotesAnalysis) -> str:
    """A text that changes with everything that the page shows of a running analysis."""
    progress = (analysis.state, analysis.stage, analysis.done, analysis.fence, len(waiting_reason(analysis)))
    return ".".join(map(str, progress)).replace(" ", "-")
