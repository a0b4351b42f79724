"""A request body as a LaunchPlan. Errors of the plan get the names of the body's fields."""

from __future__ import annotations

from accounts.models import Organization
from api.protocol.errors import invalid
from api.schemas.experiments import LaunchIn
from environments.generation import CUSTOM
from environments.registry import GENERATION
from infrastructure.money import nano
from runs.launching.again import spec_as_plan
from runs.launching.plan import LaunchError, LaunchPlan


def plan_of(body: LaunchIn, organization: Organization) -> LaunchPlan:
    """Raises ApiError 422 with a sentence for each wrong field."""
    if body.settings and CUSTOM not in body.difficulties:
        raise invalid({"settings": "Settings go with the difficulty CUSTOM."})
    generations = [GENERATION[name] for name in body.environments if name in GENERATION]
    known = {setting.name for generation in generations for setting in generation.settings}
    for name in body.settings:
        if name not in known:
            raise invalid({f"settings.{name}": "This environment has no such setting."})
    try:
        return spec_as_plan(body.model_dump() | {"run_budget_nano": nano(body.run_budget_usd)}, organization)
    except LaunchError as error:
        fields = {
            name if name in LaunchIn.model_fields else f"settings.{name}": error.errors[name] for name in error.errors
        }
        raise invalid(fields) from None
