"""What each environment shows on the run page. Adding one is a file like its siblings and a line here."""

from __future__ import annotations

from dashboard.presenters.base import Showing
from dashboard.presenters.collusion import CollusionShowing
from dashboard.presenters.equality import EqualityShowing
from dashboard.presenters.general import GeneralShowing
from dashboard.presenters.patience import PatienceShowing
from dashboard.presenters.pricing import PricingShowing
from dashboard.presenters.procurement import ProcurementShowing
from dashboard.presenters.scheduling import SchedulingShowing

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
