"""The sections about runs in every report: agents, prompts, instances and the runs themselves. Six queries."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from environments.generation import CUSTOM, base_of
from environments.prompts.own import label_of
from environments.registry import variant_with
from infrastructure.money import usd
from infrastructure.text.formats import counted, money
from infrastructure.text.tables import Column, Table, typed
from pages.reports.parts import ReportSection
from runs.models import Agent, Instance, PromptVariant, Run, RunState
from runs.models.instances import UNDRAWN
from runs.models.runs import shown_state
from runs.selectors.cells import environment_title

LONGEST_REASON = 200
COST = Column("cost", unit="$", digits=4, value_type=float)


def about_runs(runs: QuerySet[Run]) -> list[ReportSection]:
    hashes = "A hash names the content of an instance: its rules, numbers and hidden parameters."
    unfinished = "Runs that did not finish have no score and are in no mean."
    return [
        ReportSection("Agents", tables=[agents(runs), prompts(runs), own_prompts(runs)]),
        ReportSection("Instances", [hashes], tables=[instances(runs)]),
        ReportSection("Runs", [f"{states(runs)} {unfinished}"], tables=[every_run(runs)]),
    ]


def states(runs: QuerySet[Run]) -> str:
    """The number of runs by state, such as '12 runs: 10 finished, 2 cancelled.'"""
    causes = runs.order_by("state", "pause_cause").values_list("state", "pause_cause").annotate(Count("id"))
    counts: Counter[str] = Counter()
    for state, cause, number in causes:
        counts[shown_state(state, cause).short] += number
    total = counts.total()
    listing = ", ".join(f"{number:,} {label}" for label, number in counts.items())
    return f"{counted(total, 'run,runs')}: {listing}." if counts else "No runs."


def cost(runs: QuerySet[Run]) -> str:
    """The booked cost in dollars, and the number of imported runs, whose cost is unknown."""
    totals = runs.aggregate(
        booked=Sum("cost_nano", filter=Q(imported=False)), imported=Count("id", filter=Q(imported=True))
    )
    dollars = money(totals["booked"] or 0)
    return (
        f"{dollars}, not counting {counted(totals['imported'], 'imported run,imported runs')}"
        if totals["imported"]
        else dollars
    )


def agents(runs: QuerySet[Run]) -> Table:
    """Every agent of the runs with its model, its parameters and the usage of its runs."""
    sums = {
        "count": Count("id"),
        "finished": Count("id", filter=Q(state=RunState.FINISHED)),
        **{name: Sum(name) for name in ("cost_nano", "input_tokens", "output_tokens")},
    }
    usage_by_agent: dict[int, Any] = {
        row["agent_id"]: row for row in runs.order_by().values("agent_id").annotate(**sums)
    }
    columns = [
        *typed(str, "agent", "slug", "provider", "model"),
        *typed(float, "temperature", "max_tokens"),
        *typed(str, "reasoning", "released"),
        *typed(int, "runs", "finished", "input_tokens", "output_tokens"),
        COST,
    ]
    rows = []
    for agent in Agent.objects.filter(Q(pk__in=runs.values("agent")) | Q(pk__in=runs.values("rival"))).order_by("name"):
        used = usage_by_agent.get(agent.pk, {})
        source = "baseline" if agent.is_baseline else "imported" if agent.imported else agent.get_provider_display()
        if agent.is_outside:
            source = agent.get_player_class_display().lower()
        is_model = not (agent.is_baseline or agent.is_outside)
        rows.append((
            agent.name, agent.slug, source, agent.baseline or agent.model,
            *((agent.temperature, agent.max_tokens, agent.reasoning) if is_model else (None,) * 3),
            agent.release_date, *(used.get(name, 0) for name in ("count", "finished", "input_tokens", "output_tokens")),
            None if agent.imported or agent.is_outside else usd(used.get("cost_nano") or 0),
        ))  # fmt: skip
    return Table("Agents, their parameters and what their runs used", columns, rows)


def prompts(runs: QuerySet[Run]) -> Table:
    """The prompt sets, identified by a hash of their files, and the code versions that launched the runs."""
    names = ("instance__environment", "variant", "prompt_version", "config__code_version")
    prompt_sets = runs.order_by(*names).values_list(*names).annotate(Count("id"))
    return Table(
        "Prompts",
        [*typed(str, "environment", "variant", "prompt_version", "launched_with"), *typed(int, "runs")],
        [(environment_title(row[0]), *row[1:]) for row in prompt_sets],
    )


def own_prompts(runs: QuerySet[Run]) -> Table:
    """Every text of the own prompts, since neither the paper nor the code contains them."""
    rows = [
        (environment_title(prompt.environment), prompt.variant, label_of(prompt.prompt_set, name), text)
        for prompt in PromptVariant.objects.filter(pk__in=runs.values("prompts"))
        for name, text in prompt.prompt_set.texts(prompt.base).items()
    ]
    return Table("Own prompts, not the paper's", typed(str, "environment", "variant", "text", "words"), rows)


def instances(runs: QuerySet[Run]) -> Table:
    names = ("environment", "difficulty", "seed", "generator", "settings", "content_hash")
    launched_instances = Instance.objects.filter(pk__in=runs.values("instance")).order_by(
        "environment", "difficulty", "seed", "id"
    )
    columns = [
        *typed(str, "environment", "difficulty"), *typed(int, "seed"), *typed(str, "generator", "settings", "hash"),
    ]  # fmt: skip
    rows: list[Sequence[object]] = [
        (
            environment_title(environment), difficulty, seed, generator,
            ", ".join(f"{name} {value}" for name, value in settings.items())
            if base_of(difficulty) == CUSTOM or variant_with(environment, settings) != "main"
            else None,
            "not drawn yet" if content_hash.startswith(UNDRAWN) else content_hash,
        )
        for environment, difficulty, seed, generator, settings, content_hash in launched_instances.values_list(*names)
    ]  # fmt: skip
    return Table("Instances", columns, rows)


def every_run(runs: QuerySet[Run]) -> Table:
    """Runs in all states, sorted by number."""
    names = (
        *(
            "id",
            "agent__name",
            "rival__name",
            "instance__environment",
            "instance__difficulty",
            "instance__seed",
            "variant",
        ),
        *("state", "score", "solved", "periods_played", "periods", "queries", "input_tokens", "output_tokens"),
        *("cost_nano", "imported", "started_at", "ended_at", "reason", "pause_cause"),
    )
    columns = [
        *typed(int, "run"),
        *typed(str, "agent", "environment", "difficulty"),
        *typed(int, "seed"),
        *typed(str, "variant", "state"),
        Column("score", digits=4, value_type=float),
        *typed(bool, "solved"),
        *typed(str, "periods"),
        *typed(int, "calls", "input_tokens", "output_tokens"),
        COST,
        *typed(str, "started", "ended", "reason"),
    ]
    rows: list[Sequence[object]] = []
    for (
        number, agent, rival, environment, difficulty, seed, variant, state, score, solved, played_periods, periods,
        queries, tokens_in, tokens_out, nano, imported, started, ended, reason, cause,
    ) in runs.order_by("id").values_list(*names):  # fmt: skip
        rows.append((
            number, f"{agent} against {rival}" if rival and rival != agent else agent, environment_title(environment),
            difficulty, seed, variant, shown_state(state, cause).short,
            score if state == RunState.FINISHED else None, solved,
            f"{played_periods} of {periods}", queries, tokens_in, tokens_out, None if imported else usd(nano),
            *(moment and f"{moment:%Y-%m-%d %H:%M}" for moment in (started, ended)), clipped(reason),
        ))  # fmt: skip
    return Table("All runs; times in UTC", columns, rows)


def clipped(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…"
