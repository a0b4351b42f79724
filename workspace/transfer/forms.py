"""Forms for the filters of the exports page, the upload of an archive, and the name of its experiment."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict

from accounts.models import Organization
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS, GENERATION
from runs.models.states import SHOWN
from runs.selectors.designs import played_designs
from workspace.transfer.reading.sources import MAX_ARCHIVE, MAX_UPLOAD, MiB
from workspace.transfer.writing.selection import IMPORTED, OWN, Selection, agents_with_runs

ORIGINS = [("", "Played here or imported"), (OWN, "Played here"), (IMPORTED, "Imported")]


def difficulties(designs: Iterable[str]) -> list[tuple[str, str]]:
    names = dict.fromkeys(name for generation in GENERATION.values() for name in (*generation.difficulties, CUSTOM))
    return [("", "Every difficulty"), *((name, name) for name in (*names, *designs))]


class ExportForm(forms.Form):
    """The filters of an export. Missing and empty fields do not filter."""

    experiment = forms.IntegerField(required=False, min_value=1, max_value=10**18, label="Experiment number")
    agent = forms.ChoiceField(required=False, label="Agent")
    environment = forms.ChoiceField(
        required=False,
        label="Environment",
        choices=[
            ("", "Every environment"),
            *((name, environment_class.title) for name, environment_class in ENVIRONMENTS.items()),
        ],
    )
    difficulty = forms.ChoiceField(required=False, label="Difficulty")
    state = forms.ChoiceField(
        required=False,
        label="State",
        choices=[("", "Every state"), *((state, shown.label) for state, shown in SHOWN.items())],
    )
    origin = forms.ChoiceField(required=False, label="Origin", choices=ORIGINS)
    since = forms.DateField(required=False, label="Launched from", widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(required=False, label="Launched until", widget=forms.DateInput({"type": "date"}))

    def __init__(self, data: QueryDict, *, organization: Organization):
        super().__init__(data, auto_id="export-%s")
        self.organization = organization
        fields: dict[str, Any] = self.fields
        fields["agent"].choices = [("", "Every agent"), *agents_with_runs(organization=organization)]
        fields["difficulty"].choices = difficulties(played_designs(organization=organization, environments=GENERATION))

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("since") and cleaned.get("until") and cleaned["since"] > cleaned["until"]:
            self.add_error("until", "The last day is before the first.")
        return cleaned

    def selection(self) -> Selection:
        """Return the selection of a valid form. Unknown values make it invalid, so they select nothing."""
        values = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        return Selection(self.organization, **values)


TOO_LARGE = (
    f"A browser can send at most {MAX_UPLOAD // MiB} MiB. Send the log folders in smaller parts. On the server, "
    "“bin/econevals import FOLDER_OR_ZIP --organization SLUG” takes a folder, or an archive of up to "
    f"{MAX_ARCHIVE // MiB:,} MiB."
)


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Zip archive",
        widget=forms.FileInput(
            attrs={"accept": ".zip,application/zip", "data-most-bytes": MAX_UPLOAD, "data-too-large": TOO_LARGE}
        ),
        help_text=f"at most {MAX_UPLOAD // MiB} MiB; log folders may lie in it at any depth",
        error_messages=dict.fromkeys(("required", "missing"), "Choose a zip archive.")
        | {"empty": "The file is empty."},
    )


class StoreForm(forms.Form):
    name = forms.CharField(max_length=200, required=False, label="Name of the experiment")
