"""The presentation of pricing."""

from games.parts import RECOVERY, GameParts, Metric
from games.pricing import episode_figure, instance_figure, logs, presenter, screen

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
)
