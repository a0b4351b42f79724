"""The form of a new question: its words, the runs, what is read, who answers, and the budget."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from accounts.models import Organization
from runs.launching.plan import LaunchError, format_seeds, parse_seeds
from runs.models import Agent, Run
from runs.selectors.answering import answering_agents
from workspace.questions.models import MOST_TEXT, Source
from workspace.questions.selectors import askable_runs, runs_by_number
from workspace.questions.services import MOST_RUNS
from workspace.spending.forms import budget_field

NUMBERS = "Write numbers of runs, such as 12, 15-18."


class QuestionForm(forms.Form):
    """The form of a question. No field is required here: the service says what is missing when it is asked."""

    text = forms.CharField(
        required=False,
        max_length=MOST_TEXT,
        label="Question",
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": MOST_TEXT}),
        help_text="such as: where does it lower prices although profit falls?",
    )
    runs = forms.CharField(
        required=False,
        max_length=2_000,
        label="Runs",
        help_text=f"numbers of at most {MOST_RUNS} runs, such as 12, 15-18; or tick runs in a list of runs",
    )
    sources = forms.MultipleChoiceField(
        required=False, choices=Source.choices, widget=forms.CheckboxSelectMultiple, label="What is read"
    )
    agent = forms.ModelChoiceField(
        Agent.objects.none(), required=False, label="Answered by", empty_label="No model: search the notes by likeness"
    )
    budget = budget_field("Budget, $", "no call is sent that could exceed it; answers so far are kept")

    def __init__(self, data: QueryDict, organization: Organization):
        super().__init__(with_defaults(data, organization), auto_id="question-%s")
        self.organization = organization
        fields: dict[str, Any] = self.fields
        fields["agent"].queryset = answering_agents(organization=organization)

    def clean_runs(self) -> list[Run]:
        typed = self.cleaned_data["runs"].strip()
        if not typed:
            return []
        try:
            numbers = parse_seeds(typed)
        except LaunchError:
            raise ValidationError(NUMBERS) from None
        if len(numbers) > MOST_RUNS:
            raise ValidationError(f"Choose at most {MOST_RUNS} runs; these are {len(numbers):,}.")
        try:
            return runs_by_number(organization=self.organization, numbers=numbers)
        except ValidationError as error:
            raise ValidationError(error.message_dict["runs"]) from None


def with_defaults(data: QueryDict, organization: Organization) -> QueryDict:
    """The data with the usual sources, and with the numbers of the runs that an address names in another way.

    `run` may occur several times; `experiment` and `player` stand for the newest runs of an experiment and an agent.
    """
    filled = data.copy()
    if "text" not in filled and "sources" not in filled:
        filled.setlist("sources", [Source.NOTES, Source.ACTIONS])
    if "runs" not in filled:
        rows = askable_runs(organization=organization)
        numbers = [int(text) for text in data.getlist("run") if text.isdecimal() and len(text) < 10]
        if numbers:
            filled["runs"] = format_seeds(set(numbers))
        elif (text := data.get("experiment", "")).isdecimal() and len(text) < 10:
            filled["runs"] = format_seeds(rows.filter(experiment=int(text)).values_list("pk", flat=True)[:MOST_RUNS])
        elif player := data.get("player", "").replace("\x00", ""):
            filled["runs"] = format_seeds(rows.filter(agent__slug=player).values_list("pk", flat=True)[:MOST_RUNS])
    return filled
