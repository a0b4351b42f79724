from django import forms

from analysis.saved.services import MAX_DESCRIPTION, MAX_NAME


class BoardForm(forms.Form):
    """What a leaderboard is called; its filters are the form of its page."""

    name = forms.CharField(
        max_length=MAX_NAME,
        error_messages={
            "required": "Give the leaderboard a name.",
            "max_length": f"A name has at most {MAX_NAME} characters.",
        },
    )
    description = forms.CharField(
        max_length=MAX_DESCRIPTION,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="what it shows and for whom; members and people with a link read it",
        error_messages={"max_length": f"A description has at most {MAX_DESCRIPTION:,} characters."},
    )
