"""The presentation of procurement."""

from games.parts import RECOVERY, GameParts, Metric, PeriodScores, SolveTime
from games.procurement import episode_figure, instance_figure, logs, presenter, screen

METRICS = (
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
    RECOVERY,
)  # fmt: skip

PROCUREMENT = GameParts(
    figure=episode_figure.procurement_figure,
    overlay=episode_figure.procurement_overlay,
    instance_figure=instance_figure.procurement_instance,
    presenter=presenter.ProcurementPresenter(),
    screen=screen.ProcurementScreen(),
    log_format=logs.ProcurementFormat(),
    metrics=METRICS,
    solve_time=SolveTime("periods_to_optimum", "first optimal plan"),
    period_scores=PeriodScores("best_share_by_period", "best plan so far"),
)
