"""The head of the run page: title, state, facts, figures, and the settings of the requests to its models."""

from operator import attrgetter
from typing import Any

from django.db.models import Count, Q

from agents.providers.learned import PARTS, WIRE_NAMES
from environments.generation import GENERATOR_LABELS
from environments.registry import ENVIRONMENTS, score_format, variant_label, variant_of
from games.presenter import KeyNumber, Quality
from games.registry import parts_of
from infrastructure.text.formats import compact, counted, money, score
from runs.models import Exchange, ExchangeState, Note, Period, PlayerClass, Run, RunState
from runs.models.runs import StopRequest
from runs.proofs.words import proof_note
from runs.selectors import cells, conditions, experiments, health
from runs.selectors.state_words import state_words

USUAL_TIERS = ("", "auto", "default", "standard")
THINKING = {"summary": "thinking summarized", "between_tools": "thinking between calls"}
NOTED_PARTS = ("temperature", "kept")
"""Parts of a request that change what the model does. Others only change the form of the request."""


def request_lines(run: Run) -> list[str]:
    """Sentences from `Run.conditions` about the settings of requests.

    There is one sentence if all seats have the same settings, else one for each seat.
    """
    lines = {seat: _line(run, seat, sent) for seat, sent in sorted(run.conditions.items()) if sent.get("wire")}
    if len(set(lines.values())) == 1:
        return [f"Asked {line}" for line in set(lines.values())]
    return [f"{seat.replace('_', ' ').capitalize()} asked {line}" for seat, line in lines.items()]


def _line(run: Run, seat: str, sent: dict[str, Any]) -> str:
    """The request settings of a seat: 'by Responses, effort medium, output limit 32,000; gpt-6.2-sol-2026-11-17
    answered'.
    """
    limit, tier, kind = sent.get("max_tokens"), sent.get("tier", ""), sent.get("thinking", "")
    requested_tier = sent.get("service_tier", "")
    parts = [
        f"by {WIRE_NAMES.get(sent['wire'], sent['wire'])}",
        f"effort {sent['effort']}" if sent.get("effort") else "",
        THINKING.get(kind, f"thinking {kind}" if kind else ""),
        "" if sent.get("forced", True) else "tools not forced",
        f"output limit {limit:,}" if limit else "",
        *(f"without {PARTS[part]}" for part in NOTED_PARTS if part in sent.get("left_out", ())),
        "" if tier in USUAL_TIERS and not requested_tier else f"service tier {tier or 'not named'}",
        f"{requested_tier} asked for" if tier != requested_tier and requested_tier else "",
    ]
    model = sent.get("model", "")
    answered = f"; {model} answered" if model and model != run.agent_in(seat).model else ""
    return ", ".join(filter(None, parts)) + answered


TONES: dict[str, str] = {RunState.ERRORED: "bad", RunState.STALLED: "warn", RunState.WAITING: "warn"}
STOPPING = {StopRequest.NONE: "", StopRequest.PAUSE: ", pausing", StopRequest.CANCEL: ", cancelling"}
CALLS, COST = "calls-and-tokens", "booked-cost"
"""Anchors of the methodology."""
CELL_FIELDS = attrgetter(*(column.replace("__", ".") for column in cells.COLUMNS))
CELL_TIMES = attrgetter(*cells.TIMES)


def run_head(run: Run) -> dict[str, Any]:
    """The title line of a run page and its six figures.

    request_lines: the settings of the requests to its models; tone: style of the notice with the run's reason
    notes: remarks on the models that answered, or the reason why there is no score yet
    """
    return {
        "title": experiments.run_title(run),
        "state": state_words(run.state, run.pause_cause, run.reason) + STOPPING[StopRequest(run.stop_request)],
        "facts": [*_harness(run), *parts_of(run.instance.environment).presenter.facts(run), *run_setting(run)],
        "request_lines": request_lines(run),
        "figures": [*run_outcome(run), *_effort(run)],
        "tone": TONES.get(run.state, ""),
        "notes": [*conditions.conditions_notes(run), *filter(None, [proof_note(run)])],
    }


def _harness(run: Run) -> list[str]:
    """Sentences about an outside agent or a person, as declared when the episode was opened."""
    player = run.config.get("player", {})
    if not run.agent.is_outside or not player:
        return []
    if player["player_class"] == PlayerClass.HUMAN:
        return [PlayerClass.HUMAN.label.lower()]
    model = [f"model as declared {player['model']}"] if player["model"] else []
    return [f"outside agent by {player['kind'].upper()}", *model]


def run_setting(run: Run) -> list[str]:
    """Prompt and generator of the run, without properties of the instance."""
    prompt = variant_label(run.instance.environment, run.variant) + (", reasoning wording" if run.reasoning else "")
    generator = run.instance.generator
    return [prompt] if generator == "published" else [prompt, f"instance {GENERATOR_LABELS[generator]}"]


def run_outcome(run: Run) -> list[KeyNumber]:
    """The score and the two key figures of the environment."""
    written = score_format(run.instance.environment, run.variant)
    about = score_paragraph(run.instance.environment, run.variant)
    figure = KeyNumber("Last period", score(run.last_quality), "score at the end", about="quality-of-a-period")
    if run.is_finished:
        solved = "" if run.solved is None else "solved" if run.solved else "not solved"
        note = written.note or ENVIRONMENTS[run.instance.environment].score_note(run.periods) or solved
        figure = KeyNumber(written.label, written.text(run.score), note, about=about)
    elif run.last_quality is None:
        figure = KeyNumber(written.label, "–", "when the run has finished", about=about)
    return [figure, *parts_of(run.instance.environment).presenter.figures(run)]


def score_paragraph(environment: str, variant: str) -> str:
    """The anchor of the methodology's paragraph about a run's score, such as 'pricing-score'."""
    declared = ENVIRONMENTS.get(environment)
    if declared is None:
        return ""
    part = "competency" if variant_of(environment, variant).is_competency else "litmus" if declared.litmus else "score"
    return f"{declared.title} {part}".lower().replace(" ", "-")


def _effort(run: Run) -> list[KeyNumber]:
    """The key numbers of calls, tokens and cost."""
    if run.agent.is_baseline:
        return [
            KeyNumber("Model calls", "none", "a baseline", about=CALLS),
            KeyNumber("Tokens", "none", about=CALLS),
            KeyNumber("Cost", "$0.00", "free", about=COST),
        ]
    if run.agent.is_outside and not run.queries:
        return [
            KeyNumber("Model calls", "–", "made elsewhere", about=CALLS),
            KeyNumber("Tokens", "–", "made elsewhere", about=CALLS),
            KeyNumber("Cost", "–", "not known here", about=COST),
        ]
    cached = f"{run.cached_tokens / run.input_tokens:.0%} cached".replace("%", " %") if run.input_tokens else ""
    kinds = [cached, f"{compact(run.reasoning_tokens)} thinking" if run.reasoning_tokens else ""]
    notes = [f"of {money(run.budget_nano)} cap" if run.budget_nano else ""]
    if run.reserved_nano > 0:
        notes.append(f"{money(run.reserved_nano)} reserved")
    elif run.experiment.budget_nano and not run.budget_nano:
        notes.append(f"cap {money(run.experiment.budget_nano)} for all")
    notes.append(f"{money(run.thinking_nano)} for thinking" if run.thinking_nano else "")
    cost = KeyNumber("Cost", money(run.cost_nano), ", ".join(filter(None, notes)), about=COST)
    if run.imported or not run.agent.is_priced:
        cost = KeyNumber("Cost", "–", "not in the log" if run.imported else "no price known", about=COST)
    return [
        KeyNumber(
            "Model calls", compact(run.queries), f"{run.queries / max(1, run.periods_played):.1f} a period", about=CALLS
        ),
        KeyNumber("Tokens", compact(run.input_tokens + run.output_tokens), ", ".join(filter(None, kinds)), about=CALLS),
        cost,
    ]


def run_health(run: Run) -> health.Health:
    """Whether this run is stuck, compared with its own usual pace."""
    values: list[Any] = [*CELL_FIELDS(run), *(time and time.timestamp() for time in CELL_TIMES(run))]
    return health.health_of([cells.RunCell(*values)], Run.objects.filter(pk=run.pk))


def has_calls(run: Run) -> bool:
    """Whether workers play the run with a language model, so that it has a ledger and a budget."""
    return not run.imported and any(
        not (player.is_baseline or player.is_outside) for player in filter(None, (run.agent, run.rival))
    )


def in_play(run: Run) -> int | None:
    """The period being played; None if the run is not active or no language model plays it."""
    return min(run.periods_played, run.periods - 1) if run.is_active and has_calls(run) else None


def calls_version(run: Run) -> str:
    """A text that changes with every call sent or answered in the current period, even if free."""
    period = in_play(run)
    if period is None:
        return ""
    counts = Exchange.objects.filter(run=run, period_index=period).aggregate(
        sent=Count("id"), waiting=Count("id", filter=Q(state=ExchangeState.SENT))
    )
    return f".{counts['sent']}.{counts['waiting']}"


def last_index(run: Run) -> int:
    """The last period that can be shown: any period for an active run, else the one in which the run stopped."""
    if run.is_active:
        return run.periods - 1
    return max(0, min(run.periods - 1, run.periods_played - run.is_finished))


def qualities(run: Run) -> list[Quality]:
    """The index and quality of every played period."""
    return [Quality(*row) for row in Period.objects.filter(run=run).values_list("index", "quality").order_by("index")]


def retried_periods(run: Run) -> list[int]:
    """Periods that needed a second chat because the first had no valid action."""
    return sorted(set(Exchange.objects.filter(run=run, attempt__gt=0).values_list("period_index", flat=True)))


def notes_with(run: Run, text: str) -> list[tuple[int, str]]:
    """(period, text) of the notes that contain a text, in order."""
    return list(Note.objects.filter(run=run, text__icontains=text).values_list("period_index", "text"))


def hits_sentence(hits: list[tuple[int, str]], text: str) -> str:
    if not hits:
        return f"No note of this run contains “{text}”."
    periods = len({period for period, _ in hits})
    return f"{counted(len(hits), 'note,notes')} in {counted(periods, 'period,periods')}."
