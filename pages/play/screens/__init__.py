"""Screens: what the page of a period shows of each environment. A new one is a module here and a line in SCREENS."""

from pages.play.screens.base import Screen
from pages.play.screens.collusion import CollusionScreen
from pages.play.screens.equality import EqualityScreen
from pages.play.screens.patience import PatienceScreen
from pages.play.screens.pricing import PricingScreen
from pages.play.screens.procurement import ProcurementScreen
from pages.play.screens.scheduling import SchedulingScreen

SCREENS: dict[str, Screen] = {
    "procurement": ProcurementScreen(),
    "scheduling": SchedulingScreen(),
    "pricing": PricingScreen(),
    "efficiency_vs_equality": EqualityScreen(),
    "collusiveness_vs_competitiveness": CollusionScreen(),
    "patience_vs_impatience": PatienceScreen(),
}


def screen_of(environment: str) -> Screen:
    return SCREENS.get(environment) or Screen()
