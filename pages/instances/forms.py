"""Forms of instances: the choice of the instance to show, and the settings of a design."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.forms.boundfield import BoundField

import environments.base
from accounts.models import Organization
from environments.base import InvalidSettings
from environments.generation import CUSTOM, GENERATORS, MAX_SEED, is_design
from environments.registry import ENVIRONMENTS, EXAMPLE, GENERATION, generate
from pages.dashboard.forms.launch import setting_field
from runs.launching.checks import difficulty_names, settings_of
from runs.models import Design, Instance
from runs.models.instances import MOST_NAME
from runs.selectors.designs import designs

SEED_ERROR = f"The seed must be a whole number from 0 to {MAX_SEED}."
SETTING = "set_"
"""The prefix of the form field of a setting."""


def as_row(problem: environments.base.Instance) -> Instance:
    """The problem as an unsaved row, which presenters can read."""
    return Instance(**vars(problem) | {"reference": problem.reference or None}, content_hash=problem.content_hash)


def typed_settings(design: Design) -> dict[str, Any]:
    """All settings of a design, by the name of their form field."""
    return _fields(GENERATION[design.environment].filled(design.settings))


def _fields(settings: Mapping[str, float]) -> dict[str, float]:
    """Settings by the name of their form field. Whole numbers have no decimal point."""
    return {f"{SETTING}{name}": int(value) if value == int(value) else value for name, value in settings.items()}


class ProblemForm(forms.Form):
    """A problem by environment, difficulty, seed and generator. For the difficulty CUSTOM, the settings are given too.

    Missing values have defaults, so that every address shows a problem.
    """

    environment = forms.ChoiceField(
        choices=lambda: [(name, environment.title) for name, environment in ENVIRONMENTS.items()],
        label="Environment",
        error_messages={"invalid_choice": "There is no environment %(value)s."},
    )
    difficulty = forms.CharField(max_length=60, label="Difficulty")
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        label="Seed",
        widget=forms.NumberInput({"inputmode": "numeric"}),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), SEED_ERROR),
    )
    generator = forms.ChoiceField(
        choices=lambda: list(GENERATORS.items()),
        label="Generator",
        error_messages={"invalid_choice": "There is no generator %(value)s."},
    )

    def __init__(self, data: Mapping[str, Any], *, organization: Organization, auto_id: str = "problem-%s"):
        self.organization = organization
        self.environment_name = str(data["environment"] if data.get("environment") in GENERATION else EXAMPLE)
        values = {name: data.get(name) for name in data}
        own = GENERATION[self.environment_name].difficulties
        first = next(iter(own))
        if values.get("difficulty") in difficulty_names()[:-1] and values["difficulty"] not in own:
            values["difficulty"] = first  # the difficulty belongs to the previously chosen environment
        defaults = {
            "environment": self.environment_name,
            "difficulty": first,
            "seed": 0,
            "generator": "published",
        }
        values |= {name: default for name, default in defaults.items() if values.get(name) in (None, "")}
        super().__init__(
            _fields(GENERATION[self.environment_name].first) | values, auto_id=auto_id, use_required_attribute=False
        )
        for setting in GENERATION[self.environment_name].settings:
            widget = forms.NumberInput({"step": "1" if setting.whole else "any", "inputmode": "decimal"})
            self.fields[f"{SETTING}{setting.name}"] = setting_field(setting, widget=widget)

    @property
    def is_custom(self) -> bool:
        return bool(self["difficulty"].value() == CUSTOM)

    @property
    def setting_fields(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith(SETTING)]

    @property
    def difficulty_choices(self) -> list[tuple[str, str]]:
        """The difficulties of the chosen environment: published ones, own designs, and CUSTOM if it is chosen."""
        own = designs(organization=self.organization).filter(environment=self.environment_name)
        names = {name: name for name in GENERATION[self.environment_name].difficulties}
        names |= {design.difficulty: f"{design.name} (own design)" for design in own}
        names[CUSTOM] = "Custom settings"
        difficulty = str(self["difficulty"].value())
        return [*names.items(), *(() if difficulty in names else [(difficulty, difficulty[:60])])]

    def settings(self) -> dict[str, Any]:
        """The typed settings of a valid form, without empty ones."""
        return {
            name.removeprefix(SETTING): value
            for name, value in self.cleaned_data.items()
            if name.startswith(SETTING) and value is not None
        }

    def problem(self) -> environments.base.Instance | None:
        """The problem without a costly reference. None if the form is invalid; the fields then have the errors."""
        if not self.is_valid():
            return None
        cleaned = self.cleaned_data
        difficulty = cleaned["difficulty"]
        settings: Mapping[str, Any] | None = self.settings()
        if is_design(difficulty):
            own = tuple(designs(organization=self.organization).filter(environment=self.environment_name))
            settings = settings_of(self.environment_name, difficulty, self.settings(), own)
        if settings is None:
            self.add_error("difficulty", f"There is no design {difficulty} of this environment here.")
            return None
        recipe = (cleaned["environment"], difficulty, cleaned["seed"], cleaned["generator"])
        try:
            return generate(*recipe, settings=settings, with_reference=False)
        except InvalidSettings as error:
            self.take(error.errors)
            return None

    def take(self, errors: Mapping[str, Any]) -> None:
        """Add errors to the fields and settings that they name. Errors without a field are shown above the form."""
        for name, sentences in errors.items():
            field = f"{SETTING}{name}" if f"{SETTING}{name}" in self.fields else name
            self.add_error(field if field in self.fields else None, sentences)

    @property
    def query(self) -> str:
        """The problem as a query string."""
        problem_fields = ("environment", "difficulty", "seed", "generator")
        return urlencode(
            {name: value for name, value in self.data.items() if name in problem_fields or name.startswith(SETTING)}
        )


class DesignForm(ProblemForm):
    """The form of the designer: a name, settings of an environment, and seed and generator of the preview."""

    name = forms.CharField(
        max_length=MOST_NAME,
        label="Name",
        help_text="what launches and leaderboards call it",
        error_messages={
            "required": "Give the design a name.",
            "max_length": f"A name has 1 to {MOST_NAME} characters.",
        },
    )

    def __init__(self, data: Mapping[str, Any], *, organization: Organization, design: Design | None = None):
        self.design = design
        values = (
            ({"name": design.name} | typed_settings(design) if design else {})
            | {name: data.get(name) for name in data}
            | {"difficulty": CUSTOM}
        )
        super().__init__(values, organization=organization, auto_id="design-%s")

    @property
    def typed_fields(self) -> list[BoundField]:
        """The fields of the page that can have an error."""
        return [*self.setting_fields, self["seed"], self["generator"], self["name"]]

    def previewed_problem(self) -> environments.base.Instance | None:
        """The preview instance, like `problem`, but also if only the name is invalid."""
        cast(forms.CharField, self.fields["name"]).required = False
        return self.problem()
