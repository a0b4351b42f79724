"""Forms of the search and of a new analysis."""

from typing import Any

from django import forms
from django.http import QueryDict

from accounts.models import Endpoint, Organization, Provider
from analysis.notes.models import EntryKind
from analysis.notes.search.selectors import SearchFilter, search_agents, search_environments
from analysis.notes.study.selectors import StudyFilter, studied_agents, studied_environments
from environments.registry import GENERATION
from infrastructure.declared import form_field, set_choices, values_of
from runs.models import Agent
from runs.selectors.answering import answering_agents
from runs.selectors.designs import played_designs

MAX_ID = 2**62
MAX_QUERY = 10_000


class SearchForm(forms.Form):
    """The form of the search. Every field is optional, and an invalid value does not filter."""

    q = forms.CharField(required=False, max_length=MAX_QUERY, label="Words")
    agent = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Agent")
    environment = forms.ChoiceField(required=False, label="Environment")
    kind = forms.ChoiceField(choices=[("", "All texts"), *EntryKind.choices], required=False, label="Where")
    run = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID, label="Run")

    def __init__(self, data: QueryDict, organization: Organization):
        cleaned = data.copy()
        # PostgreSQL refuses NUL. A text that is too long is cut, not refused.
        cleaned["q"] = data.get("q", "").replace("\x00", " ")[:MAX_QUERY]
        super().__init__(cleaned, auto_id="search-%s")
        agents = search_agents(organization=organization).values_list("pk", "name")
        set_choices(self, "agent", [("", "Any agent"), *agents])
        set_choices(self, "environment", [("", "Any environment"), *search_environments(organization=organization)])

    def search_filter(self) -> SearchFilter:
        self.is_valid()
        return SearchFilter(
            typed=self.cleaned_data.get("q") or "",
            run=self.cleaned_data.get("run"),
            agent=self.cleaned_data.get("agent"),
            environment=self.cleaned_data.get("environment") or "",
            kind=self.cleaned_data.get("kind") or "",
        )


class StudyForm(forms.Form):
    """The form of a new analysis: the notes to read, and the source of the vectors."""

    endpoint = forms.ModelChoiceField(
        Endpoint.objects.none(), required=False, label="Vectors", empty_label="Computed here (TF-IDF)"
    )
    model = forms.CharField(required=False, max_length=200, label="Embedding model")
    price = forms.DecimalField(
        required=False,
        min_value=0,
        max_value=10_000,
        max_digits=10,
        decimal_places=4,
        label="Price, $ per million tokens",
    )
    labels_by = forms.ModelChoiceField(
        Agent.objects.none(), required=False, label="Clusters named by", empty_label="The words that stand out"
    )
    name = forms.CharField(required=False, max_length=200, label="Name")

    def __init__(self, data: QueryDict, organization: Organization):
        super().__init__(data, auto_id="study-%s")
        self.fields |= {name: form_field(info) for name, info in StudyFilter.model_fields.items()}
        environments = studied_environments(organization=organization)
        if environments and data.get("environment") not in dict(environments):
            self.data = data.copy()
            self.data["environment"] = environments[0][0]
        set_choices(self, "environment", environments)
        environment = self.data.get("environment", "")
        generated = GENERATION[environment].difficulties if environment in GENERATION else ()
        difficulties = [*generated, *played_designs(organization=organization, environments=[environment])]
        set_choices(self, "difficulties", [(name, name) for name in difficulties])
        set_choices(self, "agents", studied_agents(organization=organization))
        with_embeddings = Endpoint.objects.filter(organization=organization).exclude(provider=Provider.ANTHROPIC)
        fields: dict[str, Any] = self.fields
        fields["labels_by"].queryset = answering_agents(organization=organization)
        fields["endpoint"].queryset = with_embeddings.select_related("organization").order_by("name")

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("start") and cleaned.get("end") and cleaned["start"] > cleaned["end"]:
            self.add_error("end", "The last day is before the first.")
        if cleaned.get("endpoint") and not cleaned.get("model", "").strip():
            self.add_error("model", "Name the embedding model of the endpoint, such as text-embedding-3-large.")
        return cleaned

    def study_filter(self) -> StudyFilter:
        """The filter of the form; a field without a valid value does not filter."""
        return StudyFilter(**values_of(self, StudyFilter))
