"""The launch form: turns typed choices into a LaunchPlan."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Self

from django import forms
from django.forms.boundfield import BoundField, BoundWidget

from accounts.models import Organization
from agents.baselines.registry import baselines_of
from environments.declarations import Setting
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS, GENERATION, LITMUS_TESTS, MARKETS, SURVEYS, variant_labels
from infrastructure.declared import set_choices
from infrastructure.money import NANO, nano
from pages.dashboard.selectors.agents import AgentRow, agent_rows
from runs.launching.again import spec_as_plan
from runs.launching.checks import difficulty_names, has_batches, has_flex, parse_stages
from runs.launching.fields import FIELDS, launch_field
from runs.launching.plan import LaunchError, LaunchPlan, parse_seeds
from runs.launching.presets import BENCHMARKS
from runs.selectors.designs import offered_designs, prompts_offered
from workspace.spending.forms import budget_field

Rows = Sequence[AgentRow] | None
DEFAULTS: Mapping[str, Any] = {
    "environments": list(BENCHMARKS),
    "difficulties": ["BASIC"],
    "seeds": "0-2",
    "variants": ["main"],
    "rival": None,
    "stages": "",
} | {name: info.default for name, info in FIELDS.items()}
ELSEWHERE = ("generator", "periods", "repeats", "points", "batch", "flex")
"""Declared fields with a special position in the form. The others are listed under 'More settings'."""


def setting_field_name(environment: str, setting: Setting) -> str:
    return f"custom_{environment}_{setting.name}"


def setting_field(setting: Setting, **options: Any) -> forms.FloatField:
    return forms.FloatField(
        required=False,
        label=setting.label,
        help_text=setting.span + (f"; {setting.help}" if setting.help else ""),
        error_messages={"invalid": f"{setting.label} must be a number."},
        **options,
    )


class LaunchForm(forms.Form):
    environments = forms.MultipleChoiceField(
        choices=lambda: [(name, environment.title) for name, environment in ENVIRONMENTS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    difficulties = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Difficulty",
        required=False,
    )
    seeds = forms.CharField(required=False, max_length=2000, help_text="such as 0-2 or 0-11, 40")
    variants = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Prompt variants",
        required=False,
    )
    rival = forms.ChoiceField(
        required=False,
        label="Second seat in a market of two",
        widget=forms.Select({"data-only-for": f"environments {' '.join(MARKETS)}"}),
        error_messages={"invalid_choice": "Choose one of your agents for the second seat."},
    )
    agents = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={"invalid_choice": "One of the chosen agents no longer exists."},
    )
    stages = forms.CharField(
        required=False,
        max_length=100,
        help_text="seeds after each, such as 4, 8, 12; empty to play all at once",
    )
    budget = budget_field()
    run_budget = budget_field("Budget cap per run, $", "a run pauses at its own cap; others continue")
    name = forms.CharField(required=False, max_length=200, help_text="empty for a name made from your choices")

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, organization: Organization, rows: Rows = None, **options: Any
    ):
        super().__init__(data, use_required_attribute=False, **options)
        self.organization = organization
        self.fields |= {name: launch_field(name) for name in FIELDS}
        self.fields["generator"].widget = forms.RadioSelect(choices=list(GENERATORS.items()))
        self.fields["batch"].widget.attrs["data-only-for"] = f"environments {' '.join(SURVEYS)}"
        self.agent_rows = rows or agent_rows(organization=organization)
        set_choices(self, "agents", [(row.agent.slug, row.agent.name) for row in self.agent_rows])
        # Archived and retired agents are not offered. If a stored launch names one, the plan reports an error.
        sellers, chosen = ("", *baselines_of(*MARKETS)), self["rival"].value()
        rivals = [
            (row.agent.slug, row.agent.name)
            for row in self.agent_rows
            if row.agent.slug == chosen or (row.is_offered and row.agent.baseline in sellers)
        ]
        set_choices(self, "rival", [("", "the agent itself"), *rivals])
        difficulties = [(name, "Custom…" if name == CUSTOM else name) for name in difficulty_names()]
        difficulties += [
            (row.difficulty, f"{row.name}, {ENVIRONMENTS[row.environment].title.lower()}")
            for row in offered_designs(organization=organization)
        ]
        set_choices(self, "difficulties", difficulties)
        self.prompts = prompts_offered(organization=organization, kept_names=self["variants"].value() or ())
        set_choices(self, "variants", [*variant_labels(), *self.own_variants])
        for environment, generation in GENERATION.items():
            for setting in generation.settings:
                self.fields[setting_field_name(environment, setting)] = setting_field(
                    setting, initial=generation.first[setting.name]
                )
        for field_name in self.fields:
            self.fields[field_name].widget.attrs.setdefault("autocomplete", "off")

    def bound_to_initial(self) -> Self:
        """The form with its initial values as data, so that the first preview needs no script."""
        data = {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}
        return type(self)(
            {name: value for name, value in data.items() if value is not None},
            organization=self.organization,
            rows=self.agent_rows,
        )

    @property
    def custom_groups(self) -> list[tuple[str, str, list[BoundField]]]:
        """(environment, title, fields) of each environment's custom difficulty."""
        return [
            (name, ENVIRONMENTS[name].title, [self[setting_field_name(name, s)] for s in generation.settings])
            for name, generation in GENERATION.items()
        ]

    @property
    def agent_groups(self) -> list[tuple[str, list[tuple[AgentRow, bool]], bool]]:
        """(title, (agent, is chosen) pairs, is open) of each group of agents.

        Takes two queries less than a choice field.
        """
        ticked_slugs = {str(value) for value in self["agents"].value() or ()}
        groups: dict[str, list[tuple[AgentRow, bool]]] = {"Language models": [], "Baselines": []}
        for row in (row for row in self.agent_rows if row.is_offered or row.agent.slug in ticked_slugs):
            groups.setdefault(row.group, []).append((row, row.agent.slug in ticked_slugs))
        return [
            (title, rows, any(row.key != "missing" or is_chosen for row, is_chosen in rows))
            for title, rows in groups.items()
            if rows
        ]

    @property
    def own_variants(self) -> list[tuple[str, str]]:
        """(variant, name) of each own prompt. Prompts of several environments may share a variant."""
        return [(variant, ", ".join(sorted({row.name for row in rows}))) for variant, rows in self.prompts.items()]

    @property
    def variant_chips(self) -> list[tuple[BoundWidget, list[str], str]]:
        """(widget, environments, label) of each variant. Only own prompts have environments."""
        return [
            (widget, names, ", ".join(ENVIRONMENTS[name].title.lower() for name in names))
            for widget in self["variants"].subwidgets
            for names in [[row.environment for row in self.prompts.get(str(widget.data["value"]), [])]]
        ]

    @property
    def litmus_tests(self) -> tuple[str, ...]:
        return LITMUS_TESTS

    @property
    def is_custom(self) -> bool:
        return CUSTOM in (self["difficulties"].value() or ())

    @property
    def half_price(self) -> list[BoundField]:
        """The fields of half prices that an agent can have. A ticked box stays visible, with its error."""
        offered = [row.agent for row in self.agent_rows if row.is_offered]
        ways = {"batch": has_batches, "flex": has_flex}
        return [self[name] for name, has in ways.items() if self[name].value() or any(map(has, offered))]

    @property
    def more(self) -> list[BoundField]:
        return [self[name] for name in ("rival", *FIELDS) if name not in ELSEWHERE]

    @property
    def more_is_open(self) -> bool:
        """Whether a field under 'More settings' has an error or differs from its default."""
        return any(
            str(field.value()) != str(DEFAULTS[field.name]) or field.errors
            for field in (self["generator"], self["variants"], *self.more)
        )

    def clean_seeds(self) -> str:
        """The text of the seeds. The plan parses it again, after all other fields are valid."""
        try:
            parse_seeds(self.cleaned_data["seeds"])
        except LaunchError as error:
            raise forms.ValidationError(error.errors["seeds"]) from None
        return str(self.cleaned_data["seeds"])

    def clean_stages(self) -> tuple[int, ...]:
        try:
            return parse_stages(self.cleaned_data["stages"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def plan(self) -> LaunchPlan:
        """The plan of a valid form. Raises LaunchError."""
        data = self.cleaned_data
        spec = data | {"settings": None, "run_budget_nano": nano(data["run_budget"])}
        if CUSTOM in data["difficulties"] and len(data["environments"]) == 1:
            (environment,) = data["environments"]
            typed = {s.name: data[setting_field_name(environment, s)] for s in GENERATION[environment].settings}
            spec["settings"] = {name: value for name, value in typed.items() if value is not None}
        return spec_as_plan(spec, self.organization)

    def budget_nano(self) -> int | None:
        return nano(self.cleaned_data["budget"])

    def take_errors(self, error: LaunchError) -> None:
        """Add the plan's errors to the fields and custom settings that they name."""
        (environment, *_) = self.cleaned_data.get("environments") or [""]
        for field, sentence in error.errors.items():
            own = f"custom_{environment}_{field}"
            self.add_error(field if field in self.fields else own if own in self.fields else None, sentence)


def initial_from_spec(spec: Mapping[str, Any], name: str, budget_nano: int | None) -> dict[str, Any]:
    """The initial values of the form for a stored launch."""
    initial = {key: spec[key] for key in (*DEFAULTS, "agents") if key in spec}
    if spec.get("settings") and len(spec.get("environments", ())) == 1:
        initial |= {f"custom_{spec['environments'][0]}_{name}": value for name, value in spec["settings"].items()}
    initial["stages"] = ", ".join(map(str, spec.get("stages", ())))
    if spec.get("points") is not None:
        initial["points"] = f"{spec['points']:g}"
    if budget_nano is not None:
        initial["budget"] = Decimal(budget_nano) / NANO
    if spec.get("run_budget_nano") is not None:
        initial["run_budget"] = Decimal(spec["run_budget_nano"]) / NANO
    return initial | {"name": name}
