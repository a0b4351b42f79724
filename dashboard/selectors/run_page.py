"""The head of the run page: title, state, facts and figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dashboard.presenters import presenter_of
from dashboard.presenters.base import Figure, Quality
from environments.registry import ENVIRONMENTS, score_format, variant_words
from infrastructure.text.formats import compact, counted, money, score
from runs.models import Exchange, Note, Period, Run, RunState
from runs.selectors.health import Health, health_of
from runs.selectors.runs import run_title
from runs.selectors.state_words import state_words

TONES: dict[str, str] = {RunState.ERRORED: "bad", RunState.STALLED: "warn", RunState.WAITING: "warn"}


@dataclass(frozen=True)
class RunHead:
    """The title line of a run page and its six figures: the outcome and the effort."""

    title: str
    state: str
    facts: list[str]
    outcome: list[Figure]
    effort: list[Figure]
    tone: str
    """How the notice with the run's reason looks."""

    @property
    def figures(self) -> list[Figure]:
        return [*self.outcome, *self.effort]


def run_head(run: Run) -> RunHead:
    facts = [*presenter_of(run.instance.environment).facts(run), *run_setting(run)]
    state = state_words(run.state, run.pause_cause, run.reason)
    effort = [_calls(run), _tokens(run), _cost(run)]
    return RunHead(run_title(run), state, facts, run_outcome(run), effort, TONES.get(run.state, ""))


def run_setting(run: Run) -> list[str]:
    """Prompt and generator of the run, without facts of the instance."""
    prompt = variant_words(run.instance.environment, run.variant)
    words = [f"{prompt}, reasoning wording" if run.reasoning else prompt]
    return words if run.instance.generator == "published" else [*words, "generator of the paper's text"]


def run_outcome(run: Run) -> list[Figure]:
    """The score and the two key figures of the environment."""
    return [_score(run), *presenter_of(run.instance.environment).figures(run)]


def _score(run: Run) -> Figure:
    written = score_format(run.instance.environment, run.variant)
    if run.state == RunState.FINISHED:
        solved = "" if run.solved is None else "solved" if run.solved else "not solved"
        note = written.note or ENVIRONMENTS[run.instance.environment].score_note(run.periods) or solved
        return Figure(written.label, written.text(run.score), note)
    if run.last_quality is None:
        return Figure(written.label, "–", "when the run has finished")
    return Figure("Last period", score(run.last_quality), "score at the end")


def _calls(run: Run) -> Figure:
    if run.agent.is_baseline:
        return Figure("Model calls", "none", "a baseline")
    return Figure("Model calls", compact(run.queries), f"{run.queries / max(1, run.periods_played):.1f} a period")


def _tokens(run: Run) -> Figure:
    if run.agent.is_baseline:
        return Figure("Tokens", "none")
    cached = f"{run.cached_tokens / run.input_tokens:.0%} cached".replace("%", " %") if run.input_tokens else ""
    return Figure("Tokens", compact(run.input_tokens + run.output_tokens), cached)


def _cost(run: Run) -> Figure:
    if run.agent.is_baseline:
        return Figure("Cost", "$0.00", "free")
    if run.imported:
        return Figure("Cost", "–", "not in the log")
    if not run.agent.is_priced:
        return Figure("Cost", "–", "no price known")
    notes = [f"of {money(run.budget_nano)} cap" if run.budget_nano else "", ""]
    if run.reserved_nano > 0:
        notes[1] = f"{money(run.reserved_nano)} reserved"
    elif run.experiment.budget_nano and not run.budget_nano:
        notes[1] = f"cap {money(run.experiment.budget_nano)} for all"
    return Figure("Cost", money(run.cost_nano), ", ".join(filter(None, notes)))


@dataclass
class WatchedRun:
    """A run in the form that runs.selectors.health reads."""

    id: int
    agent_id: int
    agent: str
    state: str
    played: int
    queries: int
    created_at: datetime
    started_at: datetime | None
    progressed_at: datetime | None
    wake_at: datetime | None
    lease_until: datetime | None


def run_health(run: Run) -> Health:
    """Whether this run is stuck; the usual pace is taken from the run itself."""
    times = (run.created_at, run.started_at, run.progressed_at, run.wake_at, run.lease_until)
    who = (run.pk, run.agent_id, run.agent.name, run.state, run.periods_played, run.queries)
    return health_of([WatchedRun(*who, *times)])


def has_calls(run: Run) -> bool:
    """Whether a language model plays, so that the run has a ledger and a budget."""
    return not run.imported and (not run.agent.is_baseline or bool(run.rival and not run.rival.is_baseline))


def last_index(run: Run) -> int:
    """The last period to show: any period of an active run, else the one in which the run stopped."""
    if run.is_active:
        return run.periods - 1
    ended = run.state == RunState.FINISHED
    return max(0, min(run.periods - 1, run.periods_played - ended))


def qualities(run: Run) -> list[Quality]:
    """Number and quality of every played period."""
    return [Quality(*row) for row in Period.objects.filter(run=run).values_list("index", "quality").order_by("index")]


def retried_periods(run: Run) -> list[int]:
    """Periods that needed a second chat because the first had no valid action."""
    found = Exchange.objects.filter(run=run, attempt__gt=0).values_list("period_index", flat=True)
    return sorted(set(found))


@dataclass(frozen=True)
class NoteHit:
    period: int
    text: str


def notes_with(run: Run, wanted: str) -> list[NoteHit]:
    """Notes that contain a text, in order."""
    rows = Note.objects.filter(run=run, text__icontains=wanted).values_list("period_index", "text")
    return [NoteHit(*row) for row in rows]


def hits_sentence(hits: list[NoteHit], wanted: str) -> str:
    if not hits:
        return f"No note of this run contains “{wanted}”."
    periods = len({hit.period for hit in hits})
    return f"{counted(len(hits), 'note,notes')} in {counted(periods, 'period,periods')}."
