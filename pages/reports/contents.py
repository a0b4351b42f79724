"""The contents of the report of an experiment."""

from collections import Counter

from analysis.answers.comparison import COMPARE
from analysis.answers.litmus import LITMUS
from analysis.base.litmus_filters import ALL, LitmusFilter, litmus_prompts
from analysis.base.selectors import run_records, styles_of_agents
from analysis.base.table import BenchmarkColumn, Kind, RunRecord
from analysis.benchmark.selectors import cell_scores, scored_runs, table_agents
from analysis.benchmark.table import benchmark_table
from analysis.comparing.comparison import MOST_AGENTS, Comparison, compare
from analysis.figures import dots
from analysis.litmus.leaderboard import build_leaderboard
from environments.prompts.variants import variant_name
from environments.registry import BENCHMARKS, LITMUS_TESTS, variant_label
from games import registry
from infrastructure.text.formats import counted
from infrastructure.text.tables import Column, Printed, Table
from pages.dashboard.selectors.score_tables import ScoreCell, ScoreTable, score_table
from pages.reports.answers import comparison_section
from pages.reports.parts import COMPARING, RUN, Figure, Report, ReportSection, facts, scores_of, statistics, versions
from pages.reports.runs import about_runs, cost, states
from runs.models import Experiment, Run
from runs.selectors.cells import difficulty_order, environment_order, environment_title, run_groups
from runs.stages.page import staged_panel

LOOKS = "The p values of the comparisons below do not allow for the looks after each stage."


def experiment_report(experiment: Experiment, made_by: str) -> Report:
    """The report of an experiment.

    The number of queries is fixed. Figures of litmus tests and comparisons take most of the time.
    """
    runs = Run.objects.filter(experiment=experiment)
    comparisons, left_out = compared(
        run_records(runs.filter(instance__environment__in=BENCHMARKS), order=("agent__name", "agent_id"))
    )
    staged = staged_panel(experiment, for_visitors=True)
    environments = sorted(set(runs.values_list("instance__environment", flat=True)), key=environment_order)
    person = f" by {experiment.created_by.shown_name}" if experiment.created_by else ""
    launched = f"{experiment.created_at:%-d %B %Y, %H:%M} UTC{person}"
    return Report(
        title=experiment.name,
        facts=[
            ("Experiment", f"number {experiment.pk}, launched on {launched}"),
            ("Runs", states(runs)),
            ("Cost", cost(runs)),
            *facts(made_by),
        ],
        answers=[staged.sentence, LOOKS] if staged else [*COMPARE.sentences(comparisons), *left_out],
        sections=[
            ReportSection("Scores", tables=[scores(score_table(run_groups(experiment)))], figures=strips(experiment)),
            comparison_section(comparisons, styles_of_agents(organization=experiment.organization)),
            litmus(experiment, set(environments)),
            ReportSection(
                "Methods", methods=[scores_of(environments), *([statistics(COMPARING)] if comparisons else [])]
            ),
            *about_runs(runs),
            ReportSection("Versions", tables=[versions()]),
        ],
    )


def compared(records: list[RunRecord]) -> tuple[list[Comparison], list[str]]:
    """Comparisons of every two agents under the prompt of most runs, and sentences on what is not compared."""
    names = {record.agent_id: record.agent_name for record in records}
    if len(names) < 2:
        return [], []
    if len(names) > MOST_AGENTS:
        return [], [
            f"{counted(len(names), 'agent,agents')} played. Only up to {MOST_AGENTS} are compared with each other; "
            "the page Compare does it for those that are chosen."
        ]
    variants = Counter(record.variant for record in records)
    variant, _ = variants.most_common(1)[0]
    comparisons = compare(
        [record for record in records if record.variant == variant],
        names,
        sorted({record.environment for record in records}, key=environment_order),
        sorted({record.difficulty for record in records}, key=difficulty_order),
    )
    return comparisons, [f"Compared are runs under the prompt {variant} only."] if len(variants) > 1 else []


def scores(table: ScoreTable) -> Table:
    groups = [title for title, count in table.environments for _ in range(count)]
    columns = [
        Column(f"{group} {difficulty}", difficulty, group=group, value_type=float)
        for group, difficulty in zip(groups, table.difficulties, strict=True)
    ]
    rows = [
        (f"{row.agent}, {row.variant}" if row.variant else row.agent, *map(_score, row.cells)) for row in table.rows
    ]
    title = "Mean scores over instances ± standard error, and how many runs"
    return Table(title, [Column("agent"), *columns], rows)


def _score(cell: ScoreCell | None) -> Printed | None:
    if cell is None:
        return None
    error = f"± {cell.error_text}, " if cell.error_text else ""
    return Printed(cell.text, f"{error}{cell.n} of {counted(cell.total, 'run,runs')}")


def strips(experiment: Experiment) -> list[Figure]:
    """A strip plot for each benchmark with a finished run, and for each of its prompts if it has several."""
    styles = styles_of_agents(organization=experiment.organization)
    every = Run.objects.filter(experiment=experiment)
    variants = sorted(set(every.values_list("variant", flat=True)), key=lambda name: (name != "main", name))
    figures = []
    for variant in variants:
        runs = every.filter(variant=variant)
        cells = cell_scores(runs)
        agents = table_agents(cells)
        for environment in BENCHMARKS:
            difficulties = {
                cell.column.difficulty for cell in cells if cell.scored and cell.column.environment == environment
            }
            columns = [
                BenchmarkColumn(environment, difficulty) for difficulty in sorted(difficulties, key=difficulty_order)
            ]
            if columns:
                table = benchmark_table(cells, agents, (), columns)
                figure = dots.strip_figure(
                    table, scored_runs(runs.filter(instance__environment=environment)), styles, RUN
                )
                prompt = f", {variant_label(environment, variant)}" if variants != ["main"] else ""
                figures.append(
                    Figure(
                        f"{environment_title(environment)}{prompt}",
                        figure,
                        "Each dot is one run, bars are means over instances, lines their 95 % intervals.",
                    )
                )
    return figures


def litmus(experiment: Experiment, environments: set[str]) -> ReportSection:
    """The section of litmus tests: the three scores of each test, and the charts that have a run."""
    if environments.isdisjoint(LITMUS_TESTS):
        return ReportSection("Litmus tests")
    organization = experiment.organization
    litmus_filter = LitmusFilter(
        rows=(Kind.OWN, Kind.BASELINE), experiment=experiment.pk, scope=ALL, variant="", mixed=1
    )
    rows = LITMUS.read(organization, litmus_filter)
    drawn = (
        Figure(
            f"{LITMUS.figures[name].title}, {litmus_prompts(own)}" if own else LITMUS.figures[name].title,
            LITMUS.figures[name].draw(organization, litmus_filter.with_values(variant=variant_name("main", own)), RUN),
        )
        for own in sorted({row.own_prompt for row in rows})
        for name, (test, _) in registry.LITMUS_CHARTS.items()
        if test in environments
    )
    figures = [figure for figure in drawn if figure.figure["data"]]
    leaderboard = build_leaderboard(rows, litmus_filter)
    return ReportSection(
        "Litmus tests",
        [*leaderboard.legend, *leaderboard.notes],
        figures,
        [LITMUS.table_of("litmus", rows, arranged=True)],
    )
