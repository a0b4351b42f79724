"""The form of a webhook; the services validate its values."""

from django import forms

from workspace.webhooks.delivery.sending import MAX_URL
from workspace.webhooks.models import EventKind, MessageForm
from workspace.webhooks.services import CHOICES

MEANINGS = {
    EventKind.EXPERIMENT_FINISHED: "its last run finished, failed or was cancelled",
    EventKind.RUN_FINISHED: "every period was played, and there is a score",
    EventKind.RUN_FAILED: "it errored or stalled, and continues only when somebody retries it",
    EventKind.RUN_PAUSED: "by a person, a budget, a key or an endpoint that fails, with the reason",
    EventKind.BUDGET_ALERT: "50, 80 or 100 % of a budget of a run, an experiment, a member or the month is spent",
    EventKind.DRIFT_NOTICED: "a watched agent has changed, a round was not launched, or a watch has stopped",
}


class WebhookForm(forms.Form):
    url = forms.CharField(
        max_length=MAX_URL,
        label="Address",
        help_text="where messages are sent by POST, such as https://hooks.example.org/econevals",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
        error_messages={
            "required": "Type the address of the receiver.",
            "max_length": f"An address has at most {MAX_URL} characters.",
        },
    )
    form = forms.ChoiceField(
        choices=MessageForm.choices,
        label="Messages",
        initial=MessageForm.EVENT,
        required=False,
        help_text="chats take a sentence with a link; programs take the event",
    )
    # These fields are not required here, because the service validates both and reports all errors at once.
    events = forms.MultipleChoiceField(
        choices=[(str(kind), kind.label) for kind in CHOICES],
        required=False,
        label="Events",
        error_messages={"invalid_choice": "Choose at least one of the events."},
    )

    def clean_form(self) -> str:
        return self.cleaned_data["form"] or MessageForm.EVENT

    @property
    def choices(self) -> list[tuple[str, str, str, bool]]:
        """(value, label, meaning, checked) of each event."""
        checked_kinds = self["events"].value() or []
        return [(str(kind), kind.label, MEANINGS[kind], str(kind) in checked_kinds) for kind in CHOICES]
