"""Tables, figures and reports by API equal those of the pages and cover one organization only."""

import pytest
from django.core.management import call_command

from analysis.answers import TABLES, tables_of
from analysis.figures.light import coloured
from api.resources.leaderboards.figures import BENCHMARK as FIGURES
from runs.findings.services import findings_compute

GREEDY, FAIR = "equality-greedy-efficiency", "equality-greedy-equality"
BENCHMARK, LITMUS, AGENTS = ("random", "optimum"), (GREEDY, FAIR), ("random", GREEDY)
TABLES_AT = {
    "benchmark": ("/tables", BENCHMARK, {"periods": 4}),
    "litmus": ("/tables/litmus", LITMUS, {"scope": "all"}),
    "agents": ("/tables/agents", AGENTS, {}),
}
PAGES = {
    "strip": "/leaderboard/figure.json",
    "by-difficulty": "/leaderboard/by-difficulty.json",
    "convergence": "/convergence/figure.json",
    "learning": "/learning/figure.json",
    "trends": "/trends/figure.json",
    "variance": "/variance/figure.json",
    "cost": "/cost/figure.json",
    "comparison": "/compare/figure.json",
    "pairs": "/behaviour/pairs.json",
    "difficulties": "/behaviour/difficulties.json",
    "metric": "/behaviour/metric.json",
    "releases": "/behaviour/releases.json",
    "litmus-scores": "/behaviour/litmus.json",
}
FILES = {
    "leaderboard": "leaderboard/table",
    "comparisons": "compare/numbers",
    "trends": "trends/slopes",
    "litmus-scores": "behaviour/runs",
    "litmus": "litmus/table",
    "litmus-runs": "litmus/runs",
    "litmus-standings": "litmus/standings",
    "litmus-rates": "litmus/rates",
    "litmus-name-tests": "litmus/name-tests",
    "litmus-comparisons": "compare/litmus/numbers",
    "litmus-instances": "compare/litmus/pairs",
}
STARTED = (
    (LITMUS, {"environments": ("efficiency_vs_equality",), "difficulties": ("STANDARD",)}),
    (BENCHMARK, {"environments": ("procurement",)}),
)
SCORES = ("mean_score", "score", "litmus", "difference", "first_score", "second_score")


@pytest.fixture
def both_kinds(played):
    """Runs of a litmus test and of a benchmark; the experiment of the latter."""
    return [played(*names, seeds=(0, 1), **options) for names, options in STARTED][-1]


@pytest.mark.long
def test_every_table_comes_in_every_form_from_the_api_and_the_command_line(owning, both_kinds, capsys, some):
    forms = {"csv": (), "json": ("--json",), "latex": ("--latex",)}
    for kind, (address, agents, filters) in TABLES_AT.items():
        options = [f"--{name}={value}" for name, value in filters.items()]
        for table in tables_of(kind):
            for form in some(forms, table):
                answer = owning.get(address, table=table, form=form, agents=agents, **filters)
                call_command("table", table, "--agent", *agents, *options, *forms[form])
                printed = capsys.readouterr().out.replace("\r\n", "\n")
                assert answer.status_code == 200 and answer.text.replace("\r\n", "\n") == printed != "", (table, form)
        assert owning.get(address, table="nonsense").status_code == 422
        assert owning.get(address, agents="nobody").status_code == 422


def test_every_table_has_exactly_one_address(owning):
    """Tables whose filter no other answer shares are those of their answer's own address."""
    addressed = [name for kind in TABLES_AT for name in tables_of(kind)]
    alone = {answer.name: answer for name, answer in TABLES.items() if name not in addressed}
    assert sorted([*addressed, *(name for answer in alone.values() for name in answer.tables)]) == sorted(TABLES)
    for name, answer in alone.items():
        assert answer.own_tables.keys() <= owning.get(f"/answers/{name}").json().keys()


def test_the_command_reports_unknown_agents_and_scopes(organization, capsys):
    with pytest.raises(SystemExit):
        call_command("table", "history", "--agent", "nobody")
    assert capsys.readouterr().err == "There is no agent nobody.\n"
    with pytest.raises(SystemExit):
        call_command("table", "litmus", "--scope", "half")
    assert capsys.readouterr().err == "--scope: half is not one of whole, all.\n"


@pytest.mark.long
def test_api_tables_equal_page_files_and_hold_no_foreign_data(owning, page, program, other, launch, both_kinds):
    for names, options in STARTED:
        launch(*names, organization=other.organization, **options)
    stranger = program(other)
    for table, file in FILES.items():
        address, agents, filters = TABLES_AT[TABLES[table].filter_class.kind]
        agents = LITMUS if table == "litmus-scores" else agents
        found = owning.get(address, table=table, agents=agents, **filters).json()
        assert found == page.get(f"/{file}.json", {"agents": agents} | filters).json(), table
        assert found["rows"] or table in ("trends", "litmus-rates", "litmus-name-tests", "litmus-scores"), table
        theirs = stranger.get(
            address, table=table, agents=agents, rows="own" if table == "trends" else "baseline", **filters
        ).json()
        assert all(row.get(name) is None for row in theirs["rows"] for name in SCORES), table


@pytest.mark.long
def test_a_figure_of_the_api_equals_the_figure_of_the_page(owning, page, both_kinds):
    for figure in FIGURES:
        asked = {"agents": BENCHMARK, "periods": 4, "chart": "procurement"}
        asked |= {"metric": "within_budget_rate"} if FIGURES[figure].key == "metric" else {}
        if figure == "trends":
            asked = {}
        found = owning.get("/figures", figure=figure, **asked)
        assert found.status_code == 200 and found.json() == coloured(page.get(PAGES[figure], asked).json()), figure
        # One difficulty alone has no line, and one instance no variance.
        assert found.json()["data"] or figure in ("releases", "litmus-scores", "by-difficulty", "variance"), figure


@pytest.mark.long
def test_figures_hold_no_foreign_data(program, other, both_kinds, owning):
    asked = {"figure": "comparison", "agents": BENCHMARK, "periods": 4}
    link = f"/runs/{both_kinds.runs.earliest('pk').pk}/"
    assert link in owning.get("/figures", **asked).text
    theirs = program(other)
    assert theirs.get("/figures", **asked).status_code == 422, "none of these agents has played there"
    assert theirs.get("/figures", figure="comparison").json()["error"]["fields"] == {"agents": "Name two to 4 agents."}
    for place in ("figures/scores", "figures/progress"):
        assert theirs.get(f"/experiments/{both_kinds.pk}/{place}").status_code == 404


def test_unknown_figures_and_metrics_get_a_sentence(owning):
    for asked, field, sentence in (
        ({"figure": "nonsense"}, "figure", "trends"),
        ({"figure": "metric"}, "metric", "Give one of budget_95_100_rate, within_budget_rate"),
        ({"figure": "metric", "metric": "x"}, "metric", "Give one of budget_95_100_rate"),
        ({"figure": "trends", "metric": "x"}, "metric", "There is no metric here."),
        ({"chart": "chess"}, "chart", "chess"),
    ):
        answer = owning.get("/figures", **asked)
        assert answer.status_code == 422 and sentence in answer.json()["error"]["fields"][field], asked


@pytest.mark.long
def test_figures_of_agents_experiments_and_litmus_comparisons_equal_the_pages(owning, page, both_kinds):
    number, scope = both_kinds.pk, {"agents": LITMUS, "scope": "all"}
    for address, of_page, asked in (
        (f"/experiments/{number}/figures/scores", f"/experiments/{number}/scores.json",
         {"environment": "procurement", "variant": "main"}),
        (f"/experiments/{number}/figures/progress", f"/experiments/{number}/progress.json", {}),
        ("/agents/random/figures/scores", "/agents/random/scores.json", {}),
        (f"/agents/{GREEDY}/figures/litmus", f"/agents/{GREEDY}/litmus.json", {}),
        ("/compare/litmus/figure", "/compare/litmus/figure.json", scope),
    ):  # fmt: skip
        found = owning.get(address, **asked)
        assert found.status_code == 200 and found.json() == coloured(page.get(of_page, asked).json()), address
        assert found.json()["data"], address
    scores = f"/experiments/{number}/figures/scores"
    assert owning.get(scores, environment="chess").status_code == owning.get(scores, variant="x").status_code == 422
    assert owning.get(scores).json() == owning.get(scores, environment="procurement", variant="main").json()
    assert owning.get("/compare/litmus/figure", agents=GREEDY).status_code == 422
    assert owning.get("/agents/nobody/figures/scores").status_code == 404


@pytest.mark.long
def test_the_report_of_a_comparison_is_a_single_file_and_needs_two_agents(owning, played):
    played("random", "optimum", seeds=(0, 1))
    answer = owning.get("/compare/report", agents=["random", "optimum"], periods=4)
    report = b"".join(answer.streaming_content).decode()
    assert answer.status_code == 200 and "Comparison of Random, Clairvoyant optimum" in report and "4 runs" in report
    assert owning.get("/compare/report", agents="random").status_code == 422


@pytest.mark.long
def test_tables_of_agents_list_every_condition_and_every_applicable_rule(owning, played):
    for run in played("random", "optimum", environments=("procurement",), seeds=(0, 1), periods=3).runs.all():
        findings_compute(run=run)
    (row,) = owning.get("/tables/agents", agents="optimum").json()["rows"]
    assert (row["environment"], row["periods"], row["instances"], row["cost"]) == ("procurement", 3, 2, 0.0)
    assert row["mean"] == pytest.approx(1.0)
    found = owning.get("/tables/agents", table="findings", environment="procurement", agents="optimum").json()["rows"]
    optimal = next(row for row in found if row["rule"] == "first_optimum")
    assert (optimal["runs_with_it"], optimal["runs"], optimal["share"], optimal["mistake"]) == (2, 2, 100.0, False)
    assert owning.get("/tables/agents", environment="scheduling").json()["rows"] == []
