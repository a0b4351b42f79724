"""A launch as a file in YAML, so that it can be kept in version control. Its fields are those of `LaunchIn`."""

from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import ValidationError

from infrastructure.schemas import sentence_of
from runs.launching.again import spec_as_request
from runs.launching.plan import LaunchError
from runs.launching.request import LaunchIn

MOST_BYTES = 20_000
MOST_DEPTH = 10
SCHEMA = "# A launch of EconEvals: bin/econevals launch FILE. The fields are those of POST /api/v1/experiments.\n"


class _Loader(yaml.CSafeLoader):
    """Refuses names that occur twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            raise yaml.MarkedYAMLError(problem="a field is there twice", problem_mark=node.start_mark)
        return mapping


def _check(text: str) -> None:
    """Refuse aliases, by which a short file can stand for a huge value, and deep nesting, before anything is built."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise yaml.MarkedYAMLError(problem="it is nested too deep", problem_mark=mark)


def read_launch(content: bytes) -> LaunchIn:
    """The launch in a file. Raises LaunchError with a sentence for each wrong field, or for `file`."""
    if len(content) > MOST_BYTES:
        raise LaunchError({"file": f"The file has more than {MOST_BYTES:,} bytes."})
    try:
        _check(content.decode())
        document = yaml.load(content.decode(), _Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError:
        raise LaunchError({"file": "The file is not text in UTF-8."}) from None
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise LaunchError({"file": f"The file is not YAML that can be read{line}: {error.problem}."}) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise LaunchError({"file": "The file is not YAML that can be read."}) from None
    if not isinstance(document, dict):
        raise LaunchError({"file": "The file has no fields such as environments and agents."})
    if type(document.get("seeds")) is int:
        document["seeds"] = str(document["seeds"])
    try:
        return LaunchIn.model_validate(document)
    except ValidationError as error:
        errors: dict[str, str] = {}
        for wrong in error.errors():
            location = ".".join(map(str, wrong["loc"]))
            errors.setdefault(location, f"{location}: {sentence_of(dict(wrong))}")
        raise LaunchError(errors) from None


def written_launch(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> str:
    """The file of a stored launch, without default values."""
    fields = spec_as_request(spec, name, budget_nano)
    return SCHEMA + yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
