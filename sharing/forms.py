from collections.abc import Mapping
from typing import Any

from django import forms

from infrastructure.declared import set_choices
from sharing.services import Lasts

CHOICES = ((Lasts.WEEK, "7 days"), (Lasts.MONTH, "30 days"), (Lasts.QUARTER, "90 days"), (Lasts.DATE, "until a day"))
PUBLIC = (Lasts.PUBLIC, "public: no end, search engines may list it")


class ShareForm(forms.Form):
    """Form of a new link: what it shows and for how long.

    figures: name -> title of the figures that can be shared alone
    notes: what a link with notes adds, in words; empty if notes cannot be chosen
    public: whether a public link can be chosen
    """

    figure = forms.ChoiceField(required=False, label="What", error_messages={"invalid_choice": "Choose a figure."})
    lasts = forms.ChoiceField(
        label="Ends after",
        initial=Lasts.MONTH,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose how long the link lasts."),
    )
    until = forms.DateField(
        required=False,
        label="Last day",
        widget=forms.DateInput({"type": "date"}),
        help_text="for a link until a day",
        error_messages={"invalid": "Type a day as 2026-12-31."},
    )
    with_notes = forms.BooleanField(required=False, label="With notes")
    label = forms.CharField(
        max_length=100,
        required=False,
        label="For whom",
        help_text="seen by members only",
        error_messages={"max_length": "A label has at most 100 characters."},
    )

    def __init__(self, data: Any = None, *, figures: Mapping[str, str], notes: str, public: bool):
        super().__init__(data, auto_id="share-%s")
        if figures:
            titles = [(name, f"Figure: {title}") for name, title in figures.items()]
            set_choices(self, "figure", [("", "The whole page"), *titles])
        else:
            del self.fields["figure"]
        self.fields["with_notes"].help_text = notes
        if not notes:
            del self.fields["with_notes"]
        set_choices(self, "lasts", [*CHOICES, PUBLIC] if public else CHOICES)
