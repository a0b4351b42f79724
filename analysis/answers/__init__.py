"""The answers, one file for each question. A new file here or in a folder here is a new answer; see CONTRIBUTING."""

from importlib import import_module
from pkgutil import walk_packages

from analysis.answers.base import Answer

_modules = [import_module(module.name) for module in walk_packages(__path__, f"{__name__}.")]

ANSWERS = {value.name: value for module in _modules for value in vars(module).values() if isinstance(value, Answer)}
"""All answers by name."""

FORMER = {answer.former: answer for answer in ANSWERS.values() if answer.former}
"""Answers by the name that they had before."""

TABLES = {table: answer for answer in ANSWERS.values() for table in answer.tables}
"""The answer of each table, by the table's name."""

FIGURES = {figure: answer for answer in ANSWERS.values() for figure in answer.figures}
"""The answer of each figure, by the figure's name."""


def tables_of(kind: str) -> tuple[str, ...]:
    """Names of the tables that read this kind of filter."""
    return tuple(name for name, answer in TABLES.items() if answer.filter_class.kind == kind)
