"""Presenters: what each environment shows on the run page. A new one is a module here and a line in PRESENTERS."""

from pages.dashboard.presenters.base import Presenter
from pages.dashboard.presenters.collusion import CollusionPresenter
from pages.dashboard.presenters.equality import EqualityPresenter
from pages.dashboard.presenters.patience import PatiencePresenter
from pages.dashboard.presenters.pricing import PricingPresenter
from pages.dashboard.presenters.procurement import ProcurementPresenter
from pages.dashboard.presenters.scheduling import SchedulingPresenter

PRESENTERS: dict[str, Presenter] = {
    "procurement": ProcurementPresenter(),
    "scheduling": SchedulingPresenter(),
    "pricing": PricingPresenter(),
    "efficiency_vs_equality": EqualityPresenter(),
    "collusiveness_vs_competitiveness": CollusionPresenter(),
    "patience_vs_impatience": PatiencePresenter(),
}


def presenter_of(environment: str) -> Presenter:
    return PRESENTERS.get(environment) or Presenter()
