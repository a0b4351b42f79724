"""The small answer behind every door, in the copy of the project that has it."""

import json

import pytest
from django.core.management import call_command

from api.protocol.describing import description
from tests.api.conftest import owning, program  # noqa: F401
from tests.runs.episodes.mcp_messages import ask, call


@pytest.fixture
def runs(run_row):
    return run_row("house", 0.5, periods=7), run_row("other", 0.4, periods=5)


def test_the_page_shows_sentences_tables_filters_and_menus(page, runs):
    text = page.get("/lengths/").text
    assert "<title>Long runs" in text and "The longest run has 7 periods." in text
    assert 'data-figure="/lengths/bars.json?' in text and 'href="/lengths/lengths.csv?' in text
    assert 'name="least"' in text and 'href="/lengths/report/?' in text
    assert "The longest run has 5 periods." in page.get("/lengths/?agents=other").text


def test_files_figures_and_reports_have_the_same_rows(page, runs):
    assert page.get("/lengths/lengths.csv?least=6").text == f"run,agent,periods\r\n{runs[0].pk},house,7\r\n"
    assert page.get("/lengths/bars.json").json()["data"][0]["y"] == [7, 5]
    assert "The longest run has 7 periods." in page.get("/lengths/report/").getvalue().decode()


def test_the_api_documents_and_answers_the_rows(owning, runs):  # noqa: F811
    rows = [{"run": run.pk, "agent": run.agent.name, "periods": run.periods} for run in runs]
    assert owning.get("/answers/lengths").json() == {"sentences": ["The longest run has 7 periods."], "lengths": rows}
    assert owning.get("/answers/lengths", least=0).status_code == 422
    columns = description()["components"]["schemas"]["LengthsTableRow"]["properties"]
    assert columns["run"]["description"] == "Number of the run."


def test_commands_print_the_rows(organization, runs, capsys):
    call_command("answer", "lengths", "--least", "6")
    assert "The longest run has 7 periods." in (printed := capsys.readouterr().out) and "house" in printed
    call_command("table", "lengths", "--json")
    assert [row["periods"] for row in json.loads(capsys.readouterr().out)["rows"]] == [7, 5]
    with pytest.raises(SystemExit):
        call_command("answer", "lengths", "--least", "0")
    assert capsys.readouterr().err == "--least: Ensure this value is greater than or equal to 1.\n"


def test_an_assistant_has_a_tool_for_it(program, runs):  # noqa: F811
    reader = program(scopes=("read",))
    result = ask(call("answer_lengths", least=6), reader.token).json()["result"]
    assert not result["isError"] and "The longest run has 7 periods." in result["content"][0]["text"]
