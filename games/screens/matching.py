"""A choice for each name, each choice used once."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms

from games.screens.base import ActionForm


class MatchForm(ActionForm):
    """A select for each name. Subclasses say what can be chosen, and what a choice is called."""

    kind = "match"
    noun: ClassVar[str]

    def choices(self) -> Sequence[str]:
        raise NotImplementedError

    def build_field(self, name: str) -> forms.Field:
        return forms.ChoiceField(
            choices=[("", "choose"), *((choice, choice) for choice in self.choices())],
            error_messages=dict.fromkeys(("required", "invalid_choice"), f"Choose a {self.noun}."),
        )

    def clean(self) -> dict[str, Any]:
        """Each choice is used once; the sentence stands at both fields."""
        cleaned: dict[str, Any] = super().clean() or {}
        users: dict[str, list[int]] = {}
        for index in range(len(self.names)):
            if choice := cleaned.get(f"a{index}"):
                users.setdefault(choice, []).append(index)
        for choice, indices in users.items():
            for index in indices if len(indices) > 1 else ():
                others = " and ".join(self.names[other] for other in indices if other != index)
                self.add_error(f"a{index}", f"{others} also {'has' if len(indices) == 2 else 'have'} {choice}.")
        return cleaned
