"""What each environment shows on the run page. Adding one is a file like its siblings and a line here."""

from __future__ import annotations

from runs.selectors.showing.base import Showing
from runs.selectors.showing.general import GeneralShowing
from runs.selectors.showing.pricing import PricingShowing
from runs.selectors.showing.procurement import ProcurementShowing
from runs.selectors.showing.scheduling import SchedulingShowing

SHOWINGS: dict[str, Showing] = {
    "procurement": ProcurementShowing(),
    "scheduling": SchedulingShowing(),
    "pricing": PricingShowing(),
}


def showing_of(environment: str) -> Showing:
    return SHOWINGS.get(environment) or GeneralShowing()
