"""The metrics that explain scores, by environment. To add one, add a line; an environment may have none."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A share among the metrics of a run.

    key: its name in the run's metrics
    title, unit: of the axis; values are shown in percent
    meaning: what is counted, for the heading of a table
    source: where the papers show it
    by_release: whether it is also shown by release date of reasoning models
    by_reasoning: whether reasoning models are compared with the other models in it
    """

    key: str
    title: str
    unit: str
    meaning: str
    source: str
    by_release: bool = False
    by_reasoning: bool = False


METRICS: dict[str, tuple[Metric, ...]] = {
    "procurement": (
        Metric(
            "budget_95_100_rate", "Budget utilization", "% of plans",
            "share of plans that cost 95 to 100 % of the budget", "EconAgentBench, table 3",
        ),
        Metric(
            "within_budget_rate", "Plans within budget", "% of plans",
            "share of plans that cost at most the budget", "figure 8, top",
            by_reasoning=True,
        ),
        Metric(
            "mean_budget_use", "Budget used", "% of the budget",
            "mean share of the budget that plans within it cost", "figure 8, bottom",
            by_reasoning=True,
        ),
        Metric(
            "exploration_rate", "Exploration rate", "% of plans",
            "distinct plans as a share of all plans up to the first optimal one", "figures 9 and 17",
            by_release=True,
        ),
    ),
    "scheduling": (
        Metric(
            "best_so_far_rate", "Best-so-far rate", "% of assignments",
            "share of assignments better than every earlier one of the run", "EconAgentBench, table 3",
        ),
        Metric(
            "requery_rate", "Requery rate", "% of assignments",
            "share of assignments with a blocking pair that was given as feedback before", "figure 7",
        ),
        Metric(
            "exploration_rate", "Exploration rate", "% of assignments",
            "distinct assignments as a share of all assignments", "figure 17",
        ),
    ),
    "pricing": (
        Metric(
            "adaptability", "Adaptability", "percentage points",
            "mean profit share of the scored periods minus that of the first 10",
            "EconAgentBench, table 3",
        ),
    ),
}  # fmt: skip

LITMUS_STRIPS = ("efficiency_vs_equality",)
"""The litmus tests whose runs are shown one by one (figure 14)."""


def metrics_of(environment: str) -> tuple[Metric, ...]:
    return METRICS.get(environment, ())
