"""A launch by API: the page's form judges it, with the page's sentences under the API's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from accounts.models import Organization
from api.protocol.errors import invalid
from api.schemas.experiments import LaunchIn
from dashboard.forms.launch import LaunchForm
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS
from runs.estimating.estimates import Estimate, estimate
from runs.launching.plan import LaunchError, LaunchPlan
from runs.services.experiments import Drawing, launch_draw

T = TypeVar("T")
RENAMED = {"budget": "budget_usd", "run_budget": "run_budget_usd"}


@dataclass(frozen=True)
class Launch:
    """A launch that is right, with everything computed that needs no transaction."""

    plan: LaunchPlan
    drawn: Drawing
    name: str
    budget_nano: int | None


def launch_of(body: LaunchIn, organization: Organization) -> Launch:
    """Raises ApiError 422 with a sentence for each wrong field."""
    return _judged(
        body,
        organization,
        lambda form, plan: Launch(
            plan, launch_draw(plan=plan, organization=organization), form.cleaned_data["name"], form.budget_nano()
        ),
    )


def estimate_of(body: LaunchIn, organization: Organization) -> Estimate:
    """As launch_of, without drawing the instances."""
    return _judged(body, organization, lambda form, plan: estimate(plan, organization))


def _judged(body: LaunchIn, organization: Organization, made: Callable[[LaunchForm, LaunchPlan], T]) -> T:
    form = LaunchForm(_typed(body), organization=organization)
    unknown = _unknown_settings(body, form)
    if unknown:
        raise invalid(unknown)
    if form.is_valid():
        try:
            return made(form, form.plan())
        except LaunchError as error:
            form.take_errors(error)
    raise invalid({_name(field): " ".join(sentences) for field, sentences in form.errors.items()})


def _typed(body: LaunchIn) -> dict[str, Any]:
    """What a person would have typed."""
    data = body.model_dump(exclude={"settings", *RENAMED.values()})
    data |= {"budget": body.budget_usd, "run_budget": body.run_budget_usd}
    for environment in body.environments if CUSTOM in body.difficulties else ():
        data |= {f"custom_{environment}_{name}": value for name, value in body.settings.items()}
    return {name: value for name, value in data.items() if value is not None}


def _unknown_settings(body: LaunchIn, form: LaunchForm) -> dict[str, str]:
    if not body.settings:
        return {}
    if CUSTOM not in body.difficulties:
        return {"settings": "Settings go with the difficulty CUSTOM."}
    wrong = [name for name in body.settings if not any(f"custom_{e}_{name}" in form.fields for e in body.environments)]
    return {f"settings.{wrong[0]}": "This environment has no such setting."} if wrong else {}


def _name(field: str) -> str:
    if field == "__all__":
        return "body"
    for environment in ENVIRONMENTS:
        if field.startswith(f"custom_{environment}_"):
            return f"settings.{field.removeprefix(f'custom_{environment}_')}"
    return RENAMED.get(field, field)
