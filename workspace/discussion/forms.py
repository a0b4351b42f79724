from collections.abc import Iterable
from typing import Any

from django import forms

from workspace.discussion.models import COLOURS, Tag

CHOOSE_COLOUR = "Choose one of the colours."
CHOOSE_TAG = "Choose another tag."


class TagForm(forms.Form):
    name = forms.CharField(max_length=40, error_messages={"required": "Type the name of a tag."})
    colour = forms.TypedChoiceField(
        coerce=int,
        choices=list(enumerate(COLOURS, start=1)),
        error_messages={"required": CHOOSE_COLOUR, "invalid_choice": CHOOSE_COLOUR},
    )


class MergeForm(forms.Form):
    def __init__(self, *args: Any, others: Iterable[Tag], **options: Any):
        super().__init__(*args, **options)
        self.fields["into"] = forms.TypedChoiceField(
            coerce=int,
            label="Merge into",
            choices=[("", "Choose a tag"), *((tag.pk, tag.name) for tag in others)],
            error_messages={"required": CHOOSE_TAG, "invalid_choice": CHOOSE_TAG},
        )
