"""The optional fields of a launch. The plan, the form, the command line, the API and launch files read them here."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, cast

from django import forms
from pydantic import Field
from pydantic.fields import FieldInfo

from environments.generation import GENERATORS
from infrastructure.declared import Choices, ErrorSentence, form_field
from infrastructure.schemas import Plain
from infrastructure.text.formats import lowfirst
from runs.models.experiments import MOST_RUNS_AT_ONCE, PRIORITIES, RUNS_AT_ONCE_ERROR

WORDINGS: Mapping[str, str] = {
    "auto": "automatic: reasoning models get the reasoning wording",
    "on": "reasoning wording for every agent",
    "off": "standard wording for every agent",
}

Periods = Annotated[
    int | None,
    ErrorSentence("Periods must be a whole number of at least 1; leave it empty for as many as the papers play."),
    Field(
        title="Periods",
        ge=1,
        le=1_000_000,
        examples=[20],
        description="Number of periods of each run; by default as in the papers.",
    ),
]
Generator = Annotated[Plain, Choices(GENERATORS), Field(title="Instances", description="How instances are drawn.")]
PriorityWord = Annotated[
    Plain,
    Choices({word: priority.label for word, priority in reversed(PRIORITIES.items())}),
    Field(
        title="Priority",
        description="Among the experiments of the organization; runs of a higher priority are played first.",
    ),
]
RunsAtOnce = Annotated[
    int | None,
    ErrorSentence(RUNS_AT_ONCE_ERROR),
    Field(
        title="Runs at once",
        ge=1,
        le=MOST_RUNS_AT_ONCE,
        examples=[4],
        description="Maximum number of runs that are played at the same time; by default no limit.",
    ),
]

MOST_REPEATS = 20
Repeats = Annotated[
    int,
    ErrorSentence(f"The runs on each instance are 1 to {MOST_REPEATS}."),
    Field(
        title="Runs on each instance",
        ge=1,
        le=MOST_REPEATS,
        description="Number of runs of each agent on each instance; a survey is asked as a whole in each.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class LaunchFields:
    """Fields whose values mean the same to every reader of a launch. A spec stores them by these names."""

    periods: Periods = None
    repeats: Repeats = 1
    generator: Generator = "published"
    reasoning_wording: Annotated[
        Plain,
        Choices(WORDINGS),
        Field(title="Wording", description="Which agents get the wording for reasoning models."),
    ] = "auto"
    points: Annotated[
        float | None,
        ErrorSentence("A difference is a number of points, such as 5."),
        Field(
            title="Difference to find, points",
            description="Difference between two agents, in points of 100, that the launch is planned to detect; stages "
            "stop when it can hardly be detected any more.",
        ),
    ] = None
    priority: PriorityWord = "normal"
    runs_at_once: RunsAtOnce = None
    batch: Annotated[
        bool,
        Field(
            title="By batch: half price, up to 24 hours",
            description="For surveys, and models at OpenAI's or Anthropic's own address: query them by the batch "
            "interface of their maker; questions without a valid answer form another batch.",
        ),
    ] = False
    flex: Annotated[
        bool,
        Field(
            title="By flex: half price, slower",
            description="For models at OpenAI's own address that have this service tier; a call waits while the tier "
            "has no capacity.",
        ),
    ] = False


FIELDS: Mapping[str, FieldInfo] = {
    field.name: FieldInfo.from_annotated_attribute(cast(type, field.type), field.default)
    for field in fields(LaunchFields)
}
"""The declaration of each field by its name."""


def launch_field(name: str) -> forms.Field:
    """The form field for a field of LaunchFields, with its description as help."""
    info = FIELDS[name]
    return form_field(info, help_text=lowfirst((info.description or "").removesuffix(".")))
