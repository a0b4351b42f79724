"""Pricing as pages show it."""

from games.parts import GameParts, Metric
from games.pricing.episode_figure import pricing_figure, pricing_overlay
from games.pricing.instance_figure import pricing_instance
from games.pricing.logs import PricingFormat
from games.pricing.presenter import PricingPresenter
from games.pricing.screen import PricingScreen

METRICS = (
    Metric(
        "adaptability", "Adaptability", "percentage points",
        "mean profit share of the scored periods minus that of the first 10",
        "EconAgentBench, table 3",
    ),
)  # fmt: skip

PRICING = GameParts(
    figure=pricing_figure,
    overlay=pricing_overlay,
    instance_figure=pricing_instance,
    presenter=PricingPresenter(),
    screen=PricingScreen(),
    log_format=PricingFormat(),
    metrics=METRICS,
)
