from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from sharing.services import Lasts

CHOICES = ((Lasts.WEEK, "7 days"), (Lasts.MONTH, "30 days"), (Lasts.QUARTER, "90 days"), (Lasts.DATE, "until a day"))
PUBLIC = (Lasts.PUBLIC, "public: no end, search engines may list it")


class ShareForm(forms.Form):
    """What a new link shows and for how long. `figures` are those of the thing, `notes` whether it has any to show."""

    figure = forms.ChoiceField(required=False, label="What", error_messages={"invalid_choice": "Choose a figure."})
    lasts = forms.ChoiceField(
        label="Ends after",
        initial=Lasts.MONTH,
        error_messages={
            "required": "Choose how long the link lasts.",
            "invalid_choice": "Choose how long the link lasts.",
        },
    )
    until = forms.DateField(
        required=False,
        label="Last day",
        widget=forms.DateInput({"type": "date"}),
        help_text="for a link until a day",
        error_messages={"invalid": "Type a day as 2026-12-31."},
    )
    with_notes = forms.BooleanField(
        required=False, label="With notes", help_text="visitors also read what the agent wrote and did in each period"
    )
    label = forms.CharField(
        max_length=100,
        required=False,
        label="For whom",
        help_text="seen by members only",
        error_messages={"max_length": "A label has at most 100 characters."},
    )

    def __init__(self, data: Any = None, *, figures: Mapping[str, str], notes: bool, public: bool):
        super().__init__(data, auto_id="share-%s")
        if figures:
            self.fields["figure"].choices = [
                ("", "The whole page"),
                *((key, f"Figure: {t}") for key, t in figures.items()),
            ]
        else:
            del self.fields["figure"]
        if not notes:
            del self.fields["with_notes"]
        self.fields["lasts"].choices = [*CHOICES, PUBLIC] if public else list(CHOICES)
