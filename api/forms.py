"""Forms for new tokens; the services validate the values."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from accounts.models import Role
from api.models import SCOPE_WORDS, Scope

UNTIL = "until"
DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "365 days"), (UNTIL, "until a date…"))


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=100,
        label="What it is for",
        help_text="such as “laptop” or “nightly benchmark”",
        error_messages={"required": "Say what the token is for.", "max_length": "A name has at most 100 characters."},
    )
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, f"{scope.label}: {SCOPE_WORDS[scope]}") for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ],
        label="What it may do",
        error_messages={"required": "Choose at least one scope.", "invalid_choice": "Choose from the scopes."},
    )
    expires = forms.ChoiceField(
        choices=DAYS, initial="90", label="Valid for", error_messages={"required": "Choose how long it is valid."}
    )
    until = forms.DateField(
        required=False,
        label="Last day",
        widget=forms.DateInput({"type": "date"}),
        help_text="for “until a date”; at most a year ahead",
        error_messages={"invalid": "Write a date as 2026-01-31."},
    )

    def clean(self) -> dict[str, Any]:
        """Replace `expires` and `until` by `expires_at`: the end of the chosen day, or of the chosen number of days."""
        cleaned = self.cleaned_data
        expires, until = cleaned.pop("expires", None), cleaned.pop("until", None)
        if expires != UNTIL:
            cleaned["expires_at"] = timezone.now() + timedelta(days=int(expires or 0))
        elif until:
            cleaned["expires_at"] = datetime.combine(until + timedelta(days=1), time.min, UTC)
        elif "until" not in self.errors:
            self.add_error("until", "Choose the last day.")
        return cleaned


class ServiceTokenForm(TokenForm):
    role = forms.ChoiceField(
        choices=[(Role.EDITOR.value, "Editor"), (Role.VIEWER.value, "Viewer")],
        initial=Role.EDITOR,
        label="Acts as",
        error_messages={"required": "Choose a role.", "invalid_choice": "Choose editor or viewer."},
    )

    field_order = ("name", "role", "scopes", "expires", "until")
