"""Table writers: known answers, hostile text, missing and infinite numbers, and the links of export menus."""

import csv
import io
import json
from datetime import date

import pytest
from django.urls import reverse

from infrastructure.text.tables import Column, Printed, Table, as_csv, as_json, as_latex, latex, printed
from tests.analysis.matrix import TABLES

HOSTILE = '=cmd|"A1"\n</script>\\input{x} 5 % & $_#~^{}'
TABLE = Table(
    "Scores",
    [
        Column("agent"),
        Column("basic", "BASIC", "points", "Pricing", 1, value_type=float),
        Column("p", digits=3, value_type=float),
        Column("day"),
    ],
    [
        ["House", -4.25, 0.0001, date(2026, 3, 1)],
        [HOSTILE, float("nan"), None, None],
        ["Ten", Printed("−1.0", "± 0.5"), 1, None],
    ],
)


def test_csv_is_unrounded_and_marks_formulas_as_text():
    head, house, hostile, ten = csv.reader(io.StringIO(as_csv(TABLE)))
    assert head == ["agent", "basic", "p", "day"]
    assert house == ["House", "-4.25", "0.0001", "2026-03-01"]
    assert hostile == [f"'{HOSTILE}", "", "", ""]
    assert ten[1:] == ["−1.0 ± 0.5", "1", ""]


def test_json_has_units_of_columns_and_null_for_missing_values():
    found = json.loads(as_json(TABLE))
    assert found["columns"][1] == {"name": "basic", "title": "BASIC", "unit": "points"}
    assert found["rows"][0] == {"agent": "House", "basic": -4.25, "p": 0.0001, "day": "2026-03-01"}
    assert found["rows"][1] == {"agent": HOSTILE, "basic": None, "p": None, "day": None}


def test_latex_is_a_booktabs_table_with_groups_and_numbers_in_math():
    assert as_latex(TABLE).splitlines() == [
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r" & \multicolumn{1}{c}{Pricing} &  &  \\",
        r"\cmidrule(lr){2-2}",
        r"agent & BASIC, points & p & day \\",
        r"\midrule",
        r"House & $-4.2$ & $< 0.001$ & 2026-03-01 \\",
        r'=cmd|"A1" \textless{}/script\textgreater{}\textbackslash{}input\{x\} 5 \% \& '
        r"\$\_\#\textasciitilde{}\textasciicircum{}\{\} & -- & -- & -- \\",
        r"Ten & $-1.0$ {\scriptsize $\pm$ 0.5} & $1$ & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert latex("R² – ±") == r"R\textsuperscript{2} -- $\pm$"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (-0.001, "0.00"), (0.001, "< 0.01"), (float("inf"), "–"), (True, "yes"), (12, "12"), ("", "–")],
)
def test_numbers_are_printed_plainly(value, text):
    assert printed(value) == text


def test_a_table_without_rows_or_groups_is_whole():
    empty = Table("None", [Column("agent"), Column("score")], [])
    assert as_csv(empty) == "agent,score\r\n"
    assert json.loads(as_json(empty))["rows"] == []
    assert r"\multicolumn" not in as_latex(empty) and r"agent & score \\" in as_latex(empty)


@pytest.mark.sampled
@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_a_file_in_every_form_and_names_of_agents_are_escaped(page, run_row, table):
    for number, seed in enumerate(range(3)):
        run_row("house", 0.5 + number / 10, seed=seed, name="=House_1 & co")
        run_row("other", 0.4, seed=seed, name="Other")
    asked = {"agents": ["house", "other"], "chart": "pricing"}
    texts = {ending: page.get(f"/{table}.{ending}", asked).text for ending in ("csv", "json", "tex")}
    found = json.loads(texts["json"])
    lines = list(csv.reader(io.StringIO(texts["csv"])))
    assert [column["name"] for column in found["columns"]] == lines[0] and len(found["rows"]) == len(lines) - 1
    assert texts["tex"].startswith(r"\begin{tabular}")
    if table in ("leaderboard/table", "leaderboard/runs", "compare/pairs", "compare/numbers", "agents/history"):
        assert "'=House_1 & co" in texts["csv"] and r"=House\_1 \& co" in texts["tex"] and len(lines) > 1
        assert any("=House_1 & co" in row.values() for row in found["rows"])


@pytest.mark.long
def test_pages_have_a_menu_for_each_table(page, run_row):
    run_row("house", 0.5)
    run_row("other", 0.4)
    menus = {
        "/compare/?agents=house&agents=other": ("comparisons", "instances"),
        "/trends/": ("trends", "observations"),
        "/litmus/": ("litmus", "litmus-runs"),
        "/agents/house/": ("history",),
        "/findings/?environment=pricing": ("findings",),
        "/behaviour/?chart=procurement": ("reasoning", "metrics"),
    }
    for address, tables in menus.items():
        text = page.get(address).text
        for table in tables:
            for form in ("csv", "json", "latex"):
                assert f'href="{reverse(f"analysis:{table}-{form}")}?' in text, (address, table)
