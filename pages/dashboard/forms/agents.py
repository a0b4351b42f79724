"""Forms of endpoints and agents. The services validate the values."""

import json
from typing import Any, cast

from django import forms
from django.forms.boundfield import BoundField
from django.urls import reverse_lazy

from accounts.models import Endpoint, Organization, Provider
from agents.options import EFFORTS
from environments.json_text import NotJSON, read_json
from runs.services.agent_errors import MOST_CALLS_AT_ONCE, MOST_OUTPUT_TOKENS, PRICES
from runs.services.agents import FROZEN
from runs.services.endpoints import MOST


def price_field(label: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text="$ per million tokens",
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=4,
        error_messages={
            "invalid": "A price is a number of dollars, such as 1.25.",
            "min_value": "A price cannot be negative.",
            "max_decimal_places": "A price has at most four decimals.",
            "max_digits": "A price is at most $10,000.",
            "max_whole_digits": "A price is at most $10,000.",
        },
    )


def key_field(help_text: str, label: str | None = None) -> forms.CharField:
    widget = forms.PasswordInput({"autocomplete": "off"})
    return forms.CharField(required=False, label=label, widget=widget, help_text=help_text)


class UnseenTextarea(forms.Textarea):
    """A text area that never shows its value again, for secrets."""

    def format_value(self, value: Any) -> str:
        return ""


def headers_field(help_text: str, label: str = "Extra headers") -> forms.CharField:
    widget = UnseenTextarea({"rows": 3, "spellcheck": "false", "autocomplete": "off"})
    return forms.CharField(required=False, strip=False, label=label, widget=widget, help_text=help_text)


class EndpointForm(forms.Form):
    name = forms.CharField(max_length=100, error_messages={"required": "Give the endpoint a name."})
    provider = forms.ChoiceField(choices=Provider.choices, initial=Provider.COMPATIBLE)
    base_url = forms.CharField(
        max_length=300,
        required=False,
        label="Base URL",
        help_text="such as http://127.0.0.1:8080/v1; empty for the provider's default",
    )
    key = key_field("encrypted and never shown again; your own server may need no key")
    headers = headers_field("for gateways: one Name: value a line, such as api-key: ...; encrypted like the key")


class AddressForm(forms.Form):
    base_url = EndpointForm.base_fields["base_url"]
    key = key_field("key for the new address; a stored key is only sent to its own address")
    headers = headers_field("for the new address, one Name: value a line; empty if the endpoint has none")


class KeyForm(forms.Form):
    key = key_field("replaces the stored key; leave it empty to remove the key", "New key")


class HeadersForm(forms.Form):
    headers = headers_field("one Name: value a line; replaces all; leave it empty to remove them", "New extra headers")


def limit_field(label: str, help_text: str = "empty if unknown", most: int = MOST) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        required=False,
        min_value=1,
        max_value=most,
        help_text=help_text,
        error_messages={
            "invalid": "A limit is a whole number.",
            "min_value": f"A limit is at least 1; leave it {help_text}.",
            "max_value": f"A limit is at most {most:,}.",
        },
    )


class ParametersField(forms.CharField):
    """A JSON object in a text area. An empty text means an empty object."""

    widget = forms.Textarea({"rows": 4, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> str:
        return json.dumps(value, indent=2, ensure_ascii=False) if value and isinstance(value, dict) else value or ""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        try:
            fields = read_json(str(value)) if str(value or "").strip() else {}
        except NotJSON as error:
            raise forms.ValidationError(f"This text {error}.") from None
        if not isinstance(fields, dict):
            raise forms.ValidationError('Write a JSON object, such as {"top_p": 0.9}.')
        return fields


class LimitsForm(forms.Form):
    calls_at_once = limit_field("Calls at once")
    requests_per_minute = limit_field("Requests a minute")
    tokens_per_minute = limit_field("Tokens a minute")


class AgentForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="name in tables and charts", error_messages={"required": "Give the agent a name."}
    )
    endpoint = forms.ModelChoiceField(
        queryset=Endpoint.objects.none(),
        empty_label=None,
        error_messages={
            "required": "Choose an endpoint; add one first if there is none.",
            "invalid_choice": "Choose one of your endpoints.",
        },
    )
    model = forms.CharField(
        max_length=200,
        label="Model id",
        help_text="exactly as the provider spells it; models of the price list are suggested",
        error_messages={"required": "Give the model id."},
    )
    release_date = forms.DateField(
        required=False,
        label="Release date of the model",
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text="for scores over time; empty if unknown",
        error_messages={"invalid": "Write a date as 2026-01-31."},
    )
    reasoning = forms.BooleanField(
        required=False, label="Reasoning model", help_text="gets the reasoning wording of every prompt"
    )
    reasoning_effort = forms.ChoiceField(
        choices=[("", "the provider's default"), *((effort, effort) for effort in EFFORTS)],
        required=False,
        help_text="runs pause if the model does not take it; the connection test says which it takes",
    )
    temperature = forms.FloatField(
        required=False,
        initial=1.0,
        help_text="the papers use 1; empty to leave it out, as for reasoning models",
        error_messages={"invalid": "The temperature is a number between 0 and 2."},
    )
    max_tokens = forms.IntegerField(
        required=False,
        min_value=1,
        label="Most output tokens of a call",
        help_text="the amount a budget reserves per call, also sent to the provider; empty reserves 32,000 and "
        "uses the provider's limit",
        error_messages={
            "invalid": "Enter a whole number of tokens, such as 8000.",
            "min_value": f"The most output tokens lie between 1 and {MOST_OUTPUT_TOKENS:,}.",
        },
    )
    extra_parameters = ParametersField(
        required=False,
        label="Extra request parameters",
        help_text='a JSON object that is sent with every request, such as {"top_p": 0.9}; at most 8,192 bytes',
    )
    calls_at_once = limit_field("Calls at once", "empty for no limit besides the endpoint's", MOST_CALLS_AT_ONCE)
    input_price = price_field("Input price")
    cached_price = price_field("Cached input price")
    output_price = price_field("Output price")

    def __init__(self, *args: Any, organization: Organization, is_frozen: bool = False, **options: Any):
        super().__init__(*args, **options)
        for name in FROZEN if is_frozen else ():
            self.fields[name].disabled = True
        for name in ("endpoint", "model"):
            self.fields[name].widget.attrs |= {
                "hx-get": reverse_lazy("dashboard:agent-list-prices"),
                "hx-trigger": "change",
                "hx-include": "closest form",
                "hx-target": "#listed-prices",
                "hx-swap": "outerHTML",
            }
        self.fields["model"].widget.attrs |= {"list": "listed-models", "autocomplete": "off"}
        endpoints = cast("forms.ModelChoiceField[Endpoint]", self.fields["endpoint"])
        endpoints.queryset = Endpoint.objects.filter(organization=organization).order_by("name")

    @property
    def first_endpoint(self) -> Endpoint | None:
        """The endpoint that is preselected in a new form."""
        queryset = cast("forms.ModelChoiceField[Endpoint]", self.fields["endpoint"]).queryset
        return queryset.first() if queryset is not None else None

    @property
    def groups(self) -> dict[str, list[BoundField]]:
        """The fields that the price list does not change, by the title of their group."""
        groups = {
            "Model": ("name", "endpoint", "model"),
            "How it plays": [name for name in FROZEN if name not in ("endpoint", "model")],
            "Limit and prices": ("calls_at_once",),
        }
        return {title: [self[name] for name in names] for title, names in groups.items()}

    @property
    def price_fields(self) -> list[BoundField]:
        return [self[name] for name in PRICES]
