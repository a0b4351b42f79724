"""Comparisons of agents, by filter."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Avg

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.matching import Times, missing_scores
from analysis.base.table import RunRecord
from analysis.benchmark.runs import benchmark_records, benchmark_runs
from analysis.benchmark.selectors import reached_qualities
from analysis.comparing.comparison import MOST_AGENTS, Comparison, compare
from analysis.comparing.missing import Board
from analysis.litmus.runs import records_of
from environments.registry import LITMUS_TESTS
from runs.models import PlayerClass, Run
from runs.selectors.cells import SCORED
from runs.stages.models import StagedComparison


def staged_comparisons_of(*, organization: Organization, comparisons: Sequence[Comparison]) -> list[StagedComparison]:
    """Staged comparisons of two of the compared agents, found by their experiments. One query."""
    agents = {
        agent for comparison in comparisons for agent in (comparison.agents.first_id, comparison.agents.second_id)
    }
    rows = StagedComparison.objects.select_related("experiment", "first", "second").filter(
        experiment__organization=organization, experiment__deleted_at=None, first__in=agents, second__in=agents
    )
    return list(rows.order_by("experiment_id"))


def comparisons_of(
    *, organization: Organization, run_filter: TableFilter | LitmusFilter, tests: tuple[str, ...] = LITMUS_TESTS
) -> list[Comparison]:
    """Comparisons of the first MOST_AGENTS chosen agents, in the chosen order; none for fewer than two.

    Litmus `tests` are compared by the scores under the main prompt. A market of two different agents is left out.
    """
    agents = run_filter.agents[:MOST_AGENTS]
    if len(agents) < 2:
        return []
    run_filter = run_filter.with_values(agents=agents)
    if isinstance(run_filter, TableFilter):
        records = benchmark_records(organization=organization, table_filter=run_filter)
        environments, difficulties = run_filter.environments, run_filter.difficulties
    else:
        litmus_records = records_of(organization=organization, litmus_filter=run_filter, metrics=())
        records = [record for record in litmus_records if record.base == "main" and record.rival_id is None]
        environments, difficulties = tests, tuple(sorted({record.difficulty for record in records}))
    board = _board(organization, run_filter, records) if isinstance(run_filter, TableFilter) else None
    by_slug = {record.agent_slug: record for record in records}
    names = {by_slug[slug].agent_id: by_slug[slug].agent_name for slug in agents if slug in by_slug}
    times = _times(organization, list(names), environments)
    return compare(records, names, environments, difficulties, times, board)


def _board(organization: Organization, table_filter: TableFilter, records: Sequence[RunRecord]) -> Board:
    """The scores of all agents under the filter that bound missing scores. No query without a missing one.

    Otherwise it takes two queries more than `benchmark_runs`.
    """
    missing = missing_scores(records, table_filter.difficulties)
    if not missing:
        return Board()
    instances = {instance for _, instance in missing}
    runs = benchmark_runs(organization=organization, table_filter=table_filter.with_values(agents=()))
    runs = runs.filter(instance__in=instances)
    scores: dict[int, dict[int, float]] = defaultdict(dict)
    averages = runs.filter(SCORED).order_by().values_list("instance_id", "agent_id").annotate(Avg("score"))
    for instance, agent, score in averages:
        scores[instance][agent] = 100 * score
    reached = reached_qualities(runs)
    return Board(scores, {key: 100 * reached[key] for key in missing & reached.keys()})


def _times(organization: Organization, agents: Sequence[int], environments: Sequence[str]) -> Times:
    """Times of launch and end, by run id, of runs played by this site.

    Only for these runs do the times show whether results of other runs were visible before the launch. Logs may be
    imported at any time, and outside agents and people play one seed after another.
    """
    rows = Run.objects.filter(
        organization=organization,
        agent__in=agents,
        agent__player_class=PlayerClass.SITE,
        imported=False,
        instance__environment__in=environments,
        ended_at__isnull=False,
    )
    moments = rows.values_list("id", "created_at", "ended_at")
    return {run: (launched, ended) for run, launched, ended in moments if ended}
