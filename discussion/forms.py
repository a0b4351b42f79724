from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from discussion.models import COLOURS, Tag


class TagForm(forms.Form):
    name = forms.CharField(max_length=40, error_messages={"required": "Type the name of a tag."})
    colour = forms.TypedChoiceField(
        coerce=int,
        choices=[(place, name) for place, name in enumerate(COLOURS, start=1)],
        error_messages={"required": "Choose one of the colours.", "invalid_choice": "Choose one of the colours."},
    )


class MergeForm(forms.Form):
    into = forms.TypedChoiceField(
        coerce=int,
        label="Merge into",
        error_messages={"required": "Choose another tag.", "invalid_choice": "Choose another tag."},
    )

    def __init__(self, *args: Any, others: Iterable[Tag], **options: Any):
        super().__init__(*args, **options)
        self.fields["into"].choices = [("", "Choose a tag"), *((tag.pk, tag.name) for tag in others)]
