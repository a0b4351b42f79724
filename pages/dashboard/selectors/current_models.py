"""The models that the form of a new agent offers, and how it is filled in with one."""

from dataclasses import dataclass
from typing import Any

from accounts.models import Endpoint, Organization
from infrastructure.text.formats import compact, price
from runs.catalog import CurrentModel, current_models, current_models_at
from runs.list_prices import list_price
from runs.services.agents import free_name


@dataclass(frozen=True)
class Offer:
    """A model to choose, with its price and context in words."""

    model: CurrentModel
    about: str


def current_offers(*, organization: Organization) -> list[tuple[Endpoint, list[Offer]]]:
    """The current models of each endpoint at a maker's own address."""
    offers = [(endpoint, _offers(endpoint)) for endpoint in organization.endpoints.order_by("name")]
    return [(endpoint, models) for endpoint, models in offers if models]


def filled_in(*, organization: Organization, endpoint: Endpoint | None, model: str) -> dict[str, Any]:
    """The form for a model at an endpoint. Its price is that of the list, so the form leaves prices empty."""
    values: dict[str, Any] = {"model": model} | ({"endpoint": endpoint} if endpoint else {})
    listed_model = next((row for row in current_models() if row.model == model), None)
    if listed_model is None:
        return values
    values |= {"name": free_name(organization, listed_model.name), "release_date": listed_model.released}
    return values | {"reasoning": listed_model.reasoning, "temperature": None if listed_model.reasoning else 1.0}


def _offers(endpoint: Endpoint) -> list[Offer]:
    return [Offer(row, _about(endpoint, row)) for row in current_models_at(endpoint.provider, endpoint.base_url)]


def _about(endpoint: Endpoint, row: CurrentModel) -> str:
    """'$2.00 / $10.00, 1.0M'."""
    listed = list_price(endpoint.provider, endpoint.base_url, row.model)
    rates = listed.prices.base if listed else None
    price_text = f"{price(rates.input)} / {price(rates.output)}" if rates else "price not known"
    return f"{price_text}, {compact(row.context)}" if row.context else price_text
