"""The presentation of pricing."""

from games.parts import RECOVERY, GameParts, Metric, PeriodScores
from games.pricing import courses, episode_figure, instance_figure, logs, presenter, screen

METRICS = (
    Metric(
        "adaptability", "Adaptability", "percentage points",
        "mean profit share of the scored periods minus that of the first 10",
        "EconAgentBench, table 3",
    ),
    RECOVERY,
)  # fmt: skip

PRICING = GameParts(
    figure=episode_figure.pricing_figure,
    overlay=episode_figure.pricing_overlay,
    instance_figure=instance_figure.pricing_instance,
    presenter=presenter.PricingPresenter(),
    screen=screen.PricingScreen(),
    log_format=logs.PricingFormat(),
    metrics=METRICS,
    course=courses.price_course,
    period_scores=PeriodScores("profit_share_by_period", "profit of the period"),
)
