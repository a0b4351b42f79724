"""What do agents do on every instance?"""

from collections.abc import Iterator

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.selectors import styles_of_agents
from analysis.courses.trajectories import (
    Trajectories,
    TrajectoryFilter,
    outcomes_of_courses,
    sentences,
    trajectories_of,
)
from analysis.figures.courses.trajectories import trajectories_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Column
from runs.models import Instance


def _rows(result: Trajectories) -> Iterator[tuple[object, ...]]:
    for course in result.courses:
        yield course.seed, course.agent, course.run_id, 100 * course.score


def _figure(organization: Organization, run_filter: TrajectoryFilter, link: RunLink) -> PlotlyFigure:
    """Takes five queries, and as many as `minority_groups`."""
    result = trajectories_of(organization, run_filter)
    rows = Instance.objects.filter(organization=organization, pk__in=list(result.by_instance), reference__isnull=False)
    instances = {row.pk: row.as_problem() for row in rows}
    ready = Trajectories(result.agents, [each for each in result.courses if each.instance_id in instances])
    return trajectories_figure(
        ready,
        instances,
        outcomes_of_courses(ready.courses),
        run_filter.periods,
        styles_of_agents(organization=organization),
        # A report leads to its table of runs, whose addresses have no periods.
        lambda run_id, index: f"{address}periods/{index}/" if (address := link(run_id)).endswith("/") else address,
    )


TRAJECTORIES = Answer(
    name="trajectories",
    title="Runs on every instance",
    question="What do agents do on every instance?",
    filter_class=TrajectoryFilter,
    read=trajectories_of,
    sentences=sentences,
    tables={
        "trajectories": AnswerTable(
            "the newest finished run of each agent on each instance",
            "Scores by instance",
            [
                Column("seed", value_type=int),
                Column("agent"),
                Column("run", value_type=int),
                Column("score", unit="points", digits=1, value_type=float, anchor="score-of-a-run"),
            ],
            _rows,
            file="table",
        )
    },
    figures={
        "trajectories": AnswerFigure(
            "runs of one or two agents, a panel for each instance",
            _figure,
            "Runs period by period, a panel for each instance",
            file="figure",
            anchor="panel-of-all-instances",
        )
    },
)
