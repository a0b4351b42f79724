"""Forms of a study's file: as typed or sent, and as confirmed after the check."""

import base64
import binascii
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from pages.registrations.file import MOST_BYTES, StudyFile, read_study
from runs.launching.plan import LaunchError


class StudyForm(forms.Form):
    """The file, or its text. A browser ends typed lines by two characters; they become one."""

    file = forms.FileField(
        required=False, label="File", help_text="YAML", widget=forms.FileInput(attrs={"accept": ".yaml,.yml"})
    )
    text = forms.CharField(
        required=False,
        label="Or its text",
        max_length=MOST_BYTES,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "class": "mono"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        upload, text = cleaned.get("file"), cleaned.get("text", "")
        content = upload.read(MOST_BYTES + 1) if upload else text.replace("\r\n", "\n").encode()
        if not content.strip():
            raise ValidationError("Choose a file, or paste its text.")
        cleaned["study"] = _read(content)
        return cleaned


class ConfirmForm(forms.Form):
    """The checked file, in base 64, because a form would change the ends of its lines and so its hash."""

    content = forms.CharField(max_length=2 * MOST_BYTES)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        try:
            cleaned["study"] = _read(base64.b64decode(cleaned.get("content", ""), validate=True))
        except (binascii.Error, ValueError):
            raise ValidationError("Check the file again.") from None
        return cleaned


def encoded(file: StudyFile) -> str:
    """The value of `ConfirmForm.content` for a file."""
    return base64.b64encode(file.text.encode()).decode()


def _read(content: bytes) -> StudyFile:
    try:
        return read_study(content)
    except LaunchError as error:
        raise ValidationError(list(error.errors.values())) from None
