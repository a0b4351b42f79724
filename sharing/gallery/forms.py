import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404

from accounts.models import Organization
from infrastructure.declared import set_choices
from sharing.gallery.models import MOST_AUTHORS, MOST_LINE, MOST_TEXT, MOST_TITLE, GalleryEntry
from sharing.gallery.selectors import choices_of
from sharing.kinds import KINDS
from sharing.models import Target

RUN = re.compile(r"(?:.*/runs/)?(\d{1,9})(?:/.*)?")
"""The number of a run, or its address with or without the site."""


def text_area(rows: int) -> forms.Textarea:
    return forms.Textarea({"rows": rows})


class GalleryForm(forms.Form):
    title = forms.CharField(
        max_length=MOST_TITLE,
        error_messages={"required": "Type a title.", "max_length": f"A title has at most {MOST_TITLE} characters."},
    )
    slug = forms.RegexField(
        r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
        max_length=50,
        label="Address",
        help_text="the last part of its address, such as market-lab",
        error_messages={
            "required": "Type the last part of the address.",
            "invalid": "Use small letters, digits and single hyphens, such as market-lab.",
            "max_length": "The last part of the address has at most 50 characters.",
        },
    )
    text = forms.CharField(
        max_length=MOST_TEXT,
        required=False,
        widget=text_area(6),
        help_text="what visitors read first; Markdown as in comments",
        error_messages={"max_length": f"A text has at most {MOST_TEXT:,} characters."},
    )
    authors = forms.CharField(
        max_length=MOST_AUTHORS,
        required=False,
        widget=text_area(3),
        help_text="for the citation, one name a line; without authors it names the organization",
        error_messages={"max_length": f"Authors have at most {MOST_AUTHORS} characters."},
    )
    publication = forms.CharField(
        max_length=MOST_LINE,
        required=False,
        label="Published in",
        help_text="for the citation, such as a journal or “Working paper”",
        error_messages={"max_length": f"This has at most {MOST_LINE} characters."},
    )
    doi = forms.RegexField(
        r"^10\.\d{4,9}/[^\s\"<>]+$",
        max_length=MOST_LINE,
        required=False,
        label="DOI",
        help_text="for the citation, such as 10.1000/182",
        error_messages={
            "invalid": "A DOI begins with 10 and has a slash, such as 10.1000/182.",
            "max_length": f"A DOI has at most {MOST_LINE} characters.",
        },
    )


class EntryForm(forms.Form):
    """Form of a new entry: a board or an experiment from a list, or a run by its number."""

    thing = forms.ChoiceField(
        required=False,
        label="Board or experiment",
        error_messages={"invalid_choice": "Choose a board or an experiment of the list."},
    )
    run = forms.CharField(max_length=300, required=False, label="Or a run", help_text="its number or address")
    caption = forms.CharField(
        max_length=300,
        required=False,
        help_text="a sentence that visitors read beside it",
        error_messages={"max_length": "A caption has at most 300 characters."},
    )
    with_notes = forms.BooleanField(
        required=False,
        label="With notes",
        help_text="for an experiment or a run: what agents thought, wrote and did in each period",
    )

    def __init__(self, data: Any = None, *, organization: Organization):
        super().__init__(data, auto_id="entry-%s")
        self.organization = organization
        set_choices(self, "thing", [("", "Choose"), *choices_of(organization)])

    def clean(self) -> dict[str, Any]:
        """Replace the fields of the thing by the thing itself."""
        values = super().clean() or {}
        thing, run = values.pop("thing", ""), values.pop("run", "")
        if not self.errors:
            values["target"] = self._target(thing, run)
        return values

    def _target(self, thing: str, run: str) -> Target:
        if bool(thing) == bool(run):
            raise ValidationError({"thing": "Choose a board or an experiment, or type the number of a run."})
        number = RUN.fullmatch(run)
        if run and not number:
            raise ValidationError({"run": "Type the number of a run, such as 12, or its address."})
        kind, _, pk = thing.partition(":")
        try:
            return KINDS[kind or "run"].find(self.organization, int(number[1] if number else pk))
        except Http404:
            raise ValidationError({"run": "This organization has no run with this number."}) from None


class ChangeForm(forms.Form):
    """What can be changed of an entry. Only some kinds of things have notes."""

    caption = EntryForm.declared_fields["caption"]
    with_notes = EntryForm.declared_fields["with_notes"]

    def __init__(self, entry: GalleryEntry, data: Any = None):
        initial = {"caption": entry.caption, "with_notes": entry.with_notes}
        super().__init__(data, initial=initial, auto_id=f"change-{entry.pk}-%s")
        if not KINDS[entry.target_kind].has_notes:
            del self.fields["with_notes"]
