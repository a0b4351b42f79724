"""Command-line options of the filters of tables."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404

from accounts.models import Organization
from analysis.base.filters import Filter
from analysis.base.hidden import Hidden
from analysis.forms import FilterType, as_query, checked_filter
from infrastructure.declared import add_option
from runs.management.launches import default_organization, fail, organization_named

NAMES = {"environments": "environment", "difficulties": "difficulty", "agents": "agent"}
"""Names of options by the field that they set, if the names differ."""

OF_PAGES = ("sort", "chart", "agent")
"""Fields that change the page of a table and not its numbers."""


def add_filter_options(parser: ArgumentParser, *filter_classes: type[Filter]) -> None:
    """Add the organization, and an option for each field of the filters."""
    parser.add_argument("--organization", metavar="SLUG", help="default: the first of the site")
    fields = {name: info for filter_class in filter_classes for name, info in filter_class.model_fields.items()}
    for name, info in fields.items():
        if name not in OF_PAGES:
            add_option(parser, option(name), name, info)


def option(field: str) -> str:
    return f"--{NAMES.get(field, field)}"


def owner_from(slug: str | None) -> Organization:
    return organization_named(slug) if slug else default_organization()


def filter_from(owner: Organization, filter_class: type[FilterType], options: Mapping[str, Any]) -> FilterType:
    """The filter of the options. Exits with an error message for a wrong value."""
    values = {
        name: value
        for name, value in options.items()
        if name in filter_class.model_fields and name not in OF_PAGES and value
    }
    try:
        return checked_filter(owner, filter_class, as_query(values))
    except ValidationError as error:
        name, sentences = next(iter(error.message_dict.items()))
        fail(sentences[0] if name == "agents" else f"{option(name)}: {sentences[0]}")
    except Http404:
        fail(f"There is no experiment {values['experiment']}.")


def hidden_words(hidden: Hidden) -> str:
    """A sentence about hidden runs, with the options that show most of them; empty if none are hidden."""
    group = hidden.largest
    if group is None or group.changes is None or not all(group.changes.values()):
        return hidden.sentence
    options = (option(name) if name == "mixed" else f"{option(name)} {_typed(v)}" for name, v in group.changes.items())
    return f"{hidden.sentence} Show the {group.runs:,} by {' '.join(options)}."


def _typed(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
