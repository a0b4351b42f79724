from django import forms

from pages.dashboard.services import MOST_NAME


class RunViewForm(forms.Form):
    """What a saved view is called; its filters are those of the list."""

    name = forms.CharField(
        max_length=MOST_NAME,
        error_messages={
            "required": "Give the view a name.",
            "max_length": f"A name has at most {MOST_NAME} characters.",
        },
    )
    is_shared = forms.BooleanField(required=False, label="Every member of the organization sees it")
