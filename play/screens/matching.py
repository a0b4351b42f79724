"""A choice for each name, each choice used once."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms

from play.screens.base import ActionForm


class MatchForm(ActionForm):
    """A select for each name. Subclasses say what can be chosen, and what a choice is called."""

    kind = "match"
    what: ClassVar[str]

    def choices(self) -> Sequence[str]:
        raise NotImplementedError

    def made(self, name: str) -> forms.Field:
        return forms.ChoiceField(
            choices=[("", "choose"), *((one, one) for one in self.choices())],
            error_messages=dict.fromkeys(("required", "invalid_choice"), f"Choose a {self.what}."),
        )

    def clean(self) -> dict[str, Any]:
        """Each choice is used once; the sentence stands at both fields."""
        cleaned: dict[str, Any] = super().clean() or {}
        users: dict[str, list[int]] = {}
        for place in range(len(self.names)):
            if chosen := cleaned.get(f"a{place}"):
                users.setdefault(chosen, []).append(place)
        for chosen, places in users.items():
            for place in places if len(places) > 1 else ():
                others = " and ".join(self.names[other] for other in places if other != place)
                self.add_error(f"a{place}", f"{others} also {'has' if len(places) == 2 else 'have'} {chosen}.")
        return cleaned
