"""The form of an own prompt: a field for each text, and the instance of the preview."""

from collections.abc import Mapping
from typing import Any

from django import forms

from environments.generation import MAX_SEED
from environments.prompts.own import label_of, placeholders_in
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.declared import set_choices
from infrastructure.text.slugs import ascii_slug
from runs.services.designs import MOST_PROMPT_NAME, MOST_PROMPT_SLUG

PREFIX = "texts."
OF_PREVIEW = ("difficulty", "seed")
LINE = 70
"""Characters per line of a text field."""


class PromptForm(forms.Form):
    """The form of an own prompt. base: the built-in variant that it derives from; texts: initial texts by name

    slug: the stored slug of the prompt. A new prompt gets its slug from its name. The field appears only if that slug
        is refused, for example because another prompt has it.
    """

    name = forms.CharField(
        max_length=MOST_PROMPT_NAME,
        help_text="for people, such as Shorter and without examples",
        error_messages={"required": "Give the prompt a name."},
    )
    slug = forms.CharField(max_length=MOST_PROMPT_SLUG, required=False)
    difficulty = forms.ChoiceField(required=False, label="Difficulty")
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        error_messages={
            "invalid": "A seed is a whole number.",
            "min_value": "Seeds begin at 0.",
            "max_value": f"Seeds go up to {MAX_SEED}.",
        },
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        environment: str,
        base: str,
        texts: Mapping[str, str] | None = None,
        slug: str = "",
        **options: Any,
    ):
        super().__init__(data, use_required_attribute=False, **options)
        self.environment, self.base, self.stored_slug = environment, base, slug
        self.prompts = ENVIRONMENTS[environment].prompt_set
        self.built_in = self.prompts.texts(base)
        self.fields["slug"].help_text = f"{base}+SLUG is its name in launches, filters and files"
        set_choices(self, "difficulty", [(name, name) for name in GENERATION[environment].difficulties])
        for name, text in self.built_in.items():
            initial = (texts or {}).get(name, text)
            descriptions = (
                f"{placeholder}: {self.prompts.placeholders[placeholder]}"
                for placeholder in placeholders_in(self.prompts, text)
            )
            self.fields[f"{PREFIX}{name}"] = forms.CharField(
                required=False,
                label=label_of(self.prompts, name),
                initial=initial,
                help_text="; ".join(descriptions),
                widget=forms.Textarea({"rows": _rows(initial), "spellcheck": "false"}),
            )
        for field in self.fields.values():
            field.widget.attrs["autocomplete"] = "off"

    def clean_slug(self) -> str:
        """The typed slug, else the stored one, else that of the name."""
        derived = ascii_slug(self.cleaned_data.get("name", ""), "prompt")[:MOST_PROMPT_SLUG].strip("-")
        return str(self.cleaned_data["slug"] or self.stored_slug or derived)

    @property
    def asks_for_slug(self) -> bool:
        """Whether the slug of the name was refused, or a person chose another."""
        return self.is_bound and bool(self.errors.get("slug") or self.data.get("slug"))

    @property
    def is_whole(self) -> bool:
        """Whether the parts that are saved have no error. The instance of the preview is not saved."""
        return self.is_bound and set(self.errors) <= set(OF_PREVIEW)

    @property
    def texts(self) -> dict[str, str]:
        """Every text in the form, valid or not."""
        return {name: str(self[f"{PREFIX}{name}"].value() or "") for name in self.built_in}

    @property
    def prompt_fields(self) -> list[forms.BoundField]:
        return [self[f"{PREFIX}{name}"] for name in self.built_in if name in self.prompts.labels]

    @property
    def tool_fields(self) -> list[forms.BoundField]:
        return [self[f"{PREFIX}{name}"] for name in self.built_in if name not in self.prompts.labels]

    @property
    def preview_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in OF_PREVIEW]

    @property
    def tools_have_errors(self) -> bool:
        return any(field.errors for field in self.tool_fields)

    def set_read_only(self) -> None:
        for name, field in self.fields.items():
            if name not in OF_PREVIEW:
                field.widget.attrs["readonly"] = True


def _rows(text: str) -> int:
    """The number of rows of a text field, for browsers that do not fit the field to its text."""
    return min(24, sum(1 + len(line) // LINE for line in text.splitlines()) + 1)
