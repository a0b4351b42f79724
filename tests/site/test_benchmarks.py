"""Documents name commands for measured figures that exist and take the options named."""

import re
from importlib import import_module

import pytest

from benchmarks.__main__ import NAMES, parser_of
from tests.data_folders import ROOT

DOCUMENTS = [ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
COMMAND = re.compile(r"python3?\s-m benchmarks (\w+)([^`#\n]*)")
COMMANDS = sorted({match for path in DOCUMENTS for match in COMMAND.findall(path.read_text(encoding="utf-8"))})


@pytest.mark.parametrize(("name", "arguments"), COMMANDS)
def test_a_command_for_a_figure_exists_and_takes_its_options(name, arguments):
    assert name in NAMES
    parser_of(import_module(f"benchmarks.{name}")).parse_args(arguments.split())


def test_every_measurement_is_named_in_a_document_or_where_its_file_is_read():
    assert set(NAMES) - {name for name, _ in COMMANDS} == {"optima"}


@pytest.mark.parametrize("arguments", [["--years", "many"], ["--weeks", "1"], ["5"]])
def test_what_a_measurement_does_not_take_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        parser_of(import_module("benchmarks.drift")).parse_args(arguments)
    assert "usage: python -m benchmarks drift" in capsys.readouterr().err
