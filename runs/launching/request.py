"""A launch as data: the body of an API request, or a YAML file with the same fields."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, Field, ValidationError

from accounts.models import Organization
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS, EXAMPLE, GENERATION, variant_names
from infrastructure.money import WHOLE_CENTS, nano
from infrastructure.schemas import In, Plain, choices, sentence_of
from runs.launching.again import spec_as_plan, spec_as_request
from runs.launching.fields import LaunchFields
from runs.launching.plan import LaunchError, LaunchPlan
from runs.models.instances import MOST_DIFFICULTY


def _whole_cents(dollars: float | None) -> float | None:
    if dollars is not None and round(dollars, 2) != dollars:
        raise ValueError(WHOLE_CENTS)
    return dollars


Environment = Annotated[Plain, choices(ENVIRONMENTS)]
Difficulty = Annotated[Plain, Field(max_length=MOST_DIFFICULTY)]
Variant = Annotated[
    Plain,
    Field(description=f"Prompt variant: one of {', '.join(variant_names())}; or an own one, such as main+concise."),
]
Budget = Annotated[
    float | None,
    Field(
        ge=0.01,
        le=1_000_000,
        examples=[25],
        description="Maximum cost in US dollars; null for no limit. The experiment or run pauses when it is spent.",
    ),
    AfterValidator(_whole_cents),
]


class LaunchIn(In, LaunchFields):  # type: ignore[misc] # Pydantic does not inherit the frozenness of a dataclass.
    """A launch of runs: each agent plays every valid combination of environment, difficulty, variant and seed."""

    environments: Annotated[list[Environment], Field(max_length=50, examples=[[EXAMPLE]])] = []
    difficulties: Annotated[list[Difficulty], Field(max_length=50, examples=[["BASIC"]])] = []
    """Benchmarks have `BASIC`, `MEDIUM` and `HARD`; litmus tests have `STANDARD`. `CUSTOM` needs one environment and
    `settings`. `CUSTOM+` and a slug is a saved design, which `GET /designs` lists."""
    seeds: Annotated[Plain, Field(max_length=2000, examples=["0-2"])] = ""
    """Seeds of the instances, such as `0-2` or `0-11, 40`."""
    agents: Annotated[list[Annotated[Plain, Field(max_length=200)]], Field(max_length=1000, examples=[["random"]])] = []
    """Slugs of the agents, which `GET /agents` lists."""
    variants: Annotated[list[Variant], Field(max_length=50, examples=[["main"]])] = ["main"]
    settings: Annotated[dict[Plain, float], Field(max_length=50)] = {}
    """Settings of the difficulty `CUSTOM`, by name."""
    rival: Annotated[Plain | None, Field(max_length=200)] = None
    """Slug of the agent in the second seat of a market of two; null for the agent itself."""
    budget_usd: Budget = None
    """Maximum cost of the experiment in US dollars; null for no limit. When it is spent, the experiment pauses and
    keeps its periods."""
    run_budget_usd: Budget = None
    """Maximum cost of each run in US dollars; null for no limit. A run pauses when it is spent."""
    stages: Annotated[list[int], Field(max_length=20, examples=[[]])] = []
    """Number of seeds after each stage of a comparison of exactly two agents, such as `[4, 8, 12]`. The comparison
    stops when it is decided. An empty list plays all seeds at once."""
    name: Annotated[Plain, Field(max_length=200, examples=["Pricing, first look"])] = ""
    """Name of the experiment; if it is empty, a name is made from the choices."""


def request_as_plan(body: LaunchIn, organization: Organization) -> LaunchPlan:
    """The plan of a request. Raises LaunchError with a sentence for each wrong field, such as `settings.NAME`."""
    if body.settings and CUSTOM not in body.difficulties:
        raise LaunchError({"settings": "Settings go with the difficulty CUSTOM."})
    setting_names = {
        setting.name for name in body.environments if name in GENERATION for setting in GENERATION[name].settings
    }
    if unknown := [name for name in body.settings if name not in setting_names]:
        raise LaunchError({f"settings.{unknown[0]}": "This environment has no such setting."})
    try:
        return spec_as_plan(request_as_spec(body), organization)
    except LaunchError as error:
        fields = LaunchIn.model_fields
        named = {name if name in fields else f"settings.{name}": sentence for name, sentence in error.errors.items()}
        raise LaunchError(named) from None


def request_as_spec(body: LaunchIn) -> dict[str, Any]:
    """The launch in the form of LaunchPlan.as_spec, plus name and budget."""
    return body.model_dump() | {"run_budget_nano": nano(body.run_budget_usd)}


Schema = TypeVar("Schema", bound=In)

MOST_BYTES = 20_000
MOST_DEPTH = 10
SCHEMA = "# A launch of EconEvals: bin/econevals launch FILE. The fields are those of POST /api/v1/experiments.\n"


class _Loader(yaml.CSafeLoader):
    """A safe YAML loader that refuses duplicate keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            raise yaml.MarkedYAMLError(problem="a field is there twice", problem_mark=node.start_mark)
        return mapping


def _check(text: str) -> None:
    """Refuse deep nesting and aliases. A short file with nested aliases can expand to a huge value.

    The check reads the events of the parser, before any value is built.
    """
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise yaml.MarkedYAMLError(problem="it is nested too deep", problem_mark=mark)


def read_yaml(content: bytes, most_bytes: int) -> Any:
    """The value of a YAML file, read without aliases, deep nesting and duplicate keys. Raises LaunchError for `file`."""
    if len(content) > most_bytes:
        raise LaunchError({"file": f"The file has more than {most_bytes:,} bytes."})
    try:
        _check(content.decode())
        return yaml.load(content.decode(), _Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError:
        raise LaunchError({"file": "The file is not text in UTF-8."}) from None
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise LaunchError({"file": f"The file is not YAML that can be read{line}: {error.problem}."}) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise LaunchError({"file": "The file is not YAML that can be read."}) from None


def read_launch(content: bytes) -> LaunchIn:
    """Read a launch from a file. Raises LaunchError with a sentence for each wrong field, or for `file`."""
    document = read_yaml(content, MOST_BYTES)
    if not isinstance(document, dict):
        raise LaunchError({"file": "The file has no fields such as environments and agents."})
    if type(document.get("seeds")) is int:
        document["seeds"] = str(document["seeds"])
    return checked(LaunchIn, document)


def checked(schema: type[Schema], document: Any) -> Schema:
    """The document as this schema. Raises LaunchError with a sentence for each wrong field, by its path in the file."""
    try:
        return schema.model_validate(document)
    except ValidationError as error:
        errors: dict[str, str] = {}
        for wrong in error.errors():
            location = ".".join(map(str, wrong["loc"]))
            errors.setdefault(location, f"{location}: {sentence_of(dict(wrong))}")
        raise LaunchError(errors) from None


def written_launch(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> str:
    """The content of a launch file for a stored launch. Fields with default values are left out."""
    return SCHEMA + yaml.safe_dump(
        spec_as_request(spec, name, budget_nano),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=120,
    )
