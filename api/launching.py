"""A launch by API: the page's form judges it, with the page's sentences under the API's names."""

from __future__ import annotations

from typing import Any

from accounts.models import Organization
from api.errors import invalid
from api.schemas.experiments import LaunchIn
from environments.generation import CUSTOM
from runs.forms.launch import LaunchForm
from runs.launching import LaunchError, LaunchPlan

RENAMED = {"budget": "budget_usd", "run_budget": "run_budget_usd"}


def launch_form(body: LaunchIn, organization: Organization) -> tuple[LaunchForm, LaunchPlan]:
    """A valid form and its plan. Raises ApiError 422 with a sentence for each wrong field."""
    form = LaunchForm(_typed(body), organization=organization)
    unknown = _unknown_settings(body, form)
    if unknown:
        raise invalid(unknown)
    plan = None
    if form.is_valid():
        try:
            plan = form.plan()
        except LaunchError as error:
            form.take_errors(error)
    if plan is None:
        raise refused(form)
    return form, plan


def refused(form: LaunchForm) -> Exception:
    """The form's errors under the names that the API has for its fields."""
    return invalid({_name(field): " ".join(sentences) for field, sentences in form.errors.items()})


def _typed(body: LaunchIn) -> dict[str, Any]:
    """What a person would have typed."""
    data = body.model_dump(exclude={"settings", *RENAMED.values()})
    data |= {"budget": body.budget_usd, "run_budget": body.run_budget_usd}
    for environment in body.environments if CUSTOM in body.difficulties else ():
        data |= {f"custom_{environment}_{name}": value for name, value in body.settings.items()}
    return {name: value for name, value in data.items() if value is not None}


def _unknown_settings(body: LaunchIn, form: LaunchForm) -> dict[str, str]:
    known = {f"custom_{environment}_{name}" for environment in body.environments for name in body.settings}
    if not body.settings:
        return {}
    if CUSTOM not in body.difficulties:
        return {"settings": "Settings go with the difficulty CUSTOM."}
    wrong = [name for name in body.settings if not any(f"custom_{e}_{name}" in form.fields for e in body.environments)]
    return {f"settings.{wrong[0]}": "This environment has no such setting."} if wrong and known else {}


def _name(field: str) -> str:
    if field == "__all__":
        return "body"
    for environment in _environments():
        if field.startswith(f"custom_{environment}_"):
            return f"settings.{field.removeprefix(f'custom_{environment}_')}"
    return RENAMED.get(field, field)


def _environments() -> list[str]:
    from environments.registry import ENVIRONMENTS

    return list(ENVIRONMENTS)
