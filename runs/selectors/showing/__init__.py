"""What each environment shows on the run page. Adding one is a file like its siblings and a line here."""

from __future__ import annotations

from runs.selectors.showing.base import Showing
from runs.selectors.showing.collusion import CollusionShowing
from runs.selectors.showing.equality import EqualityShowing
from runs.selectors.showing.general import GeneralShowing
from runs.selectors.showing.patience import PatienceShowing
from runs.selectors.showing.pricing import PricingShowing
from runs.selectors.showing.procurement import ProcurementShowing
from runs.selectors.showing.scheduling import SchedulingShowing

SHOWINGS: dict[str, Showing] = {
    "procurement": ProcurementShowing(),
    "scheduling": SchedulingShowing(),
    "pricing": PricingShowing(),
    "efficiency_vs_equality": EqualityShowing(),
    "collusiveness_vs_competitiveness": CollusionShowing(),
    "patience_vs_impatience": PatienceShowing(),
}


def showing_of(environment: str) -> Showing:
    return SHOWINGS.get(environment) or GeneralShowing()
