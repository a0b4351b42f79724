"""The forms of members: a game of their own, a study, and its links."""

from typing import Any, cast

from django import forms

from accounts.models import Organization
from agents.baselines.registry import baselines_of
from environments.generation import MAX_SEED, is_design
from environments.prompts.variants import prompt_title
from environments.registry import ENVIRONMENTS, GENERATION, MARKETS, variant_labels
from pages.play.models import MOST_NAME
from runs.selectors.designs import offered_designs, prompts_offered

NUMBER = {"invalid": "This is a whole number."}
ANOTHER = "another participant"


def game_choices(organization: Organization, current: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every environment with its difficulties and the organization's designs, as 'pricing/BASIC'.

    current: the present value. It stays a choice if its design is archived; the plan then fails.
    """
    own: dict[str, list[tuple[str, str]]] = {}
    for design in offered_designs(organization=organization):
        own.setdefault(design.environment, []).append(
            (f"{design.environment}/{design.difficulty}", f"{design.name}, own design")
        )
    groups = [
        (
            environment.title,
            [(f"{name}/{level}", f"{environment.title} {level}") for level in GENERATION[name].difficulties]
            + own.get(name, []),
        )
        for name, environment in ENVIRONMENTS.items()
    ]
    environment, _, difficulty = current.partition("/")
    if environment in ENVIRONMENTS and is_design(difficulty) and current not in dict(own.get(environment, ())):
        groups.append(("Archived", [(current, difficulty)]))
    return groups


def variant_choices(organization: Organization, current: str) -> list[tuple[str, str]]:
    """Return (name, label) of the built-in variants and of the organization's own prompts.

    The label of an own prompt also lists its environments.

    current: the present value, which stays a choice even if its prompt is archived
    """
    own = prompts_offered(organization=organization, kept_names=(current,))
    environments = {
        name: ", ".join(ENVIRONMENTS[row.environment].title.lower() for row in rows) for name, rows in own.items()
    }
    return [
        *variant_labels(),
        *((name, f"{prompt_title(name)}, own prompt of {titles}") for name, titles in environments.items()),
    ]


class FocusedForm(forms.Form):
    """A form far down a page. Its first field with an error gets the focus, which scrolls to it."""

    def add_error(self, field: str | None, error: Any) -> None:
        super().add_error(field, error)
        for name in self.fields:
            self.fields[name].widget.attrs.pop("autofocus", None)
        if wrong := next((name for name in self.fields if name in self.errors), None):
            self.fields[wrong].widget.attrs["autofocus"] = True


class GameForm(FocusedForm):
    """The form of a game to play. It does not check whether the parts fit together; services do."""

    game = forms.ChoiceField(
        error_messages={"required": "Choose a game.", "invalid_choice": "Choose one of the games."},
    )
    variant = forms.ChoiceField(
        initial="main",
        label="Prompt variant",
        error_messages={"invalid_choice": "Choose one of the variants."},
    )
    periods = forms.IntegerField(
        required=False, min_value=1, error_messages=NUMBER, help_text="empty: as in the papers"
    )
    rival = forms.ChoiceField(
        required=False,
        label="Second seat in a market of two",
        widget=forms.Select({"data-only-for": f"game {' '.join(MARKETS)}"}),
        error_messages={"invalid_choice": "Choose one of the baselines."},
    )

    def __init__(self, organization: Organization, data: Any = None, **options: Any):
        super().__init__(data, use_required_attribute=False, **options)
        held = (
            organization.agents.filter(baseline__in=baselines_of(*MARKETS)).order_by("name").values_list("slug", "name")
        )
        choices: dict[str, Any] = {
            "rival": self.rivals(list(held)),
            "game": game_choices(organization, str(self["game"].value() or "")),
            "variant": variant_choices(organization, str(self["variant"].value() or "")),
        }
        for name, offered in choices.items():
            cast("forms.ChoiceField", self.fields[name]).choices = offered

    def rivals(self, baselines: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return baselines

    def clean(self) -> dict[str, Any]:
        """Split `game` into environment and difficulty."""
        cleaned: dict[str, Any] = super().clean() or {}
        if game := cleaned.pop("game", None):
            cleaned["environment"], cleaned["difficulty"] = game.split("/", 1)
        return cleaned


class OwnGameForm(GameForm):
    """The form of a game that a member plays."""

    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, error_messages=NUMBER)
    field_order = ("game", "seed", "variant", "periods", "rival")


class StudyForm(GameForm):
    """The form of a study. Its fields are those of the model."""

    name = forms.CharField(max_length=MOST_NAME, help_text="for members; leaderboards show it with “(people)”")
    title = forms.CharField(
        max_length=100,
        initial="A study of decisions",
        help_text="what participants read; the name of a game would tell them what it measures",
    )
    seeds = forms.CharField(
        max_length=200,
        required=False,
        initial="0",
        help_text="such as 0 or 0-2, in turn by participant; empty for a new one each, from 0",
    )
    practice = forms.IntegerField(
        min_value=0,
        max_value=10,
        initial=2,
        label="Practice periods",
        error_messages=NUMBER,
        help_text="of an easy game with other numbers, which is not stored; 0 for none",
    )
    consent = forms.CharField(
        max_length=20_000,
        strip=True,
        widget=forms.Textarea({"rows": 8}),
        label="Consent text",
        help_text="kept with each participant as they agreed to it",
    )
    fee = forms.DecimalField(min_value=0, max_digits=8, decimal_places=2, initial=0, help_text="for a finished game")
    rate = forms.DecimalField(
        min_value=0,
        max_digits=8,
        decimal_places=4,
        initial=0,
        label="Rate per point",
        help_text="a perfect score has 100",
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$", initial="USD", error_messages={"invalid": "Three capital letters, such as EUR."}
    )
    shows_payoff = forms.BooleanField(
        required=False, label="Show the payoff at the end", help_text="where a rate is paid, the payoff tells the score"
    )
    shows_result = forms.BooleanField(
        required=False,
        label="Show the result at the end",
        help_text="the path against the optimum, and the place among models and people",
    )
    completion_url = forms.CharField(
        required=False,
        max_length=500,
        label="Address at the end",
        help_text="https; {label} in it stands for the participant's label",
    )
    completion_code = forms.CharField(required=False, max_length=100, label="Completion code")
    most_participants = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        initial=100,
        label="Most participants",
        help_text="no more may join by the open link",
    )
    closes_at = forms.DateTimeField(
        required=False,
        label="Closes at (UTC)",
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"invalid": "A moment such as 2026-12-31 18:00."},
        help_text="after that nobody begins any more; empty for no end",
    )
    field_order = ("name", "title", "game", "seeds", "variant", "periods", "rival", "practice", "consent")

    def rivals(self, baselines: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [("", ANOTHER), *baselines]


class LinksForm(FocusedForm):
    """The form of new links: how many, and the labels of the first ones."""

    count = forms.IntegerField(min_value=1, initial=10, label="Links", error_messages=NUMBER)
    labels = forms.CharField(
        required=False,
        max_length=60_000,
        widget=forms.Textarea({"rows": 3}),
        help_text="one a line; empty if the platform names participants in the address",
    )

    def clean_labels(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["labels"].splitlines() if line.strip()]
