"""The upload of an archive, and the name its experiment gets."""

from django import forms

from workspace.transfer.reading.sources import MAX_ARCHIVE, MAX_UPLOAD, MiB

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
