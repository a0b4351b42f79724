"""Reports of experiments and comparisons: complete, escaped, and equal by page, API and command."""

import json
import re

import plotly.graph_objects as go
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.figures.light import light_colours
from pages.reports.parts import COMPARING, statistics
from runs.models import Agent, Run
from tests.pages.reports.conftest import HOSTILE
from tests.pages.reports.reading import SCRIPTS, text_of, words

FIGURES = re.compile(r'<script id="figure-\d+" type="application/json">(.*?)</script>', re.DOTALL)


@pytest.mark.long
def test_a_report_has_answers_figures_methods_versions_hashes_and_every_run(page, scored):
    experiment = scored()
    report = text_of(page.get(f"/experiments/{experiment.pk}/report/"))
    seen = words(report)
    assert "Random scores " in seen and " points less than " in seen and "too few instances" in seen
    assert "12 runs: 2 cancelled, 10 finished." in seen and "Cost $0.00" in seen and "EconEvals 0.1.0" in seen
    for run in experiment.runs.select_related("instance"):
        assert f"{run.pk} {run.agent.name} Pricing {run.instance.difficulty} {run.instance.seed}" in seen
    assert "Pricing: Score and metrics" in seen and "sign-flip test" in seen and "scipy" in seen
    figures = [json.loads(data) for data in FIGURES.findall(report)]
    assert len(figures) == 2
    for figure in figures:
        assert "token:" not in json.dumps(figure)
        go.Figure(figure)
    assert "http://" not in SCRIPTS.sub("", report) and "https://" not in SCRIPTS.sub("", report)


@pytest.mark.long
def test_instances_are_identified_by_their_content_hash_once_drawn(page, scored, run_hash):
    experiment = scored()
    assert "not drawn yet" in words(text_of(page.get(f"/experiments/{experiment.pk}/report/")))
    instance = experiment.runs.first().instance
    type(instance).objects.filter(pk=instance.pk).update(content_hash=run_hash)
    assert run_hash in words(text_of(page.get(f"/experiments/{experiment.pk}/report/")))


@pytest.fixture
def run_hash():
    return "ab" * 32


@pytest.mark.long
def test_hostile_names_and_reasons_are_escaped(page, scored):
    experiment = scored(name=HOSTILE)
    Agent.objects.filter(slug="random", organization=experiment.organization).update(name=HOSTILE)
    for address in (f"/experiments/{experiment.pk}/report/", "/compare/report/?agents=random&agents=optimum"):
        report = text_of(page.get(address))
        assert "<img" not in report and HOSTILE in words(report)
        # The figures' data and the two scripts are all there is of scripts.
        assert report.count("</script>") == len(FIGURES.findall(report)) + 2 > 2
        figures = json.dumps([json.loads(data) for data in FIGURES.findall(report)], ensure_ascii=False)
        assert "‹/script›" in figures and "<" not in figures.replace("<br>", "")


def test_a_report_without_a_finished_run_needs_no_scripts(page, launch):
    experiment = launch("random")
    report = text_of(page.get(f"/experiments/{experiment.pk}/report/"))
    assert "<script" not in report and "1 run: 1 queued." in words(report)


def test_a_report_says_that_too_many_agents_cannot_be_compared(page, launch):
    experiment = launch(
        *("random", "optimum", "pricing-constant", "pricing-local-search", "pricing-drift-tracker"),
        environments=("pricing",),
    )
    assert "5 agents played. Only up to 4 are compared" in words(
        text_of(page.get(f"/experiments/{experiment.pk}/report/"))
    )


def test_a_report_of_litmus_runs_has_three_scores(page, launch):
    experiment = launch(
        "collusion-nash", environments=("collusiveness_vs_competitiveness",), difficulties=("STANDARD",)
    )
    assert "Litmus scores by agent" in words(text_of(page.get(f"/experiments/{experiment.pk}/report/")))


@pytest.mark.long
def test_a_report_of_a_comparison_needs_two_agents(page, scored):
    scored()
    seen = words(text_of(page.get("/compare/report/", {"agents": ["random", "optimum"]})))
    assert "Comparison of Random, Clairvoyant optimum" in seen and "Scores by instance" in seen and "All runs" in seen
    assert page.get("/compare/report/", {"agents": ["random"]})["Location"] == "/compare/?agents=random"
    assert "/compare/report/?" in page.get("/compare/", {"agents": ["random", "optimum"]}).text


@pytest.mark.long
def test_the_query_count_of_reports_does_not_grow_with_the_runs(page, scored):
    def queries(experiment):
        with CaptureQueriesContext(connection) as found:
            text_of(page.get(f"/experiments/{experiment.pk}/report/"))
        return len(found)

    assert queries(scored(seeds=3)) == queries(scored(seeds=9)) <= 23


@pytest.mark.long
def test_the_api_and_the_command_give_the_same_report(page, scored, capsys, tmp_path):
    experiment = scored()
    made = re.compile(r"made on .*? with EconEvals")
    expected = made.sub("", words(text_of(page.get(f"/experiments/{experiment.pk}/report/"))))
    call_command("report", experiment.pk)
    assert made.sub("", words(capsys.readouterr().out)) == expected
    call_command("report", experiment.pk, output=str(tmp_path / "report.html"))
    assert made.sub("", words((tmp_path / "report.html").read_text())) == expected
    with pytest.raises(SystemExit):
        call_command("report", 10**9)
    assert "There is no experiment" in capsys.readouterr().err


@pytest.mark.long
def test_the_command_gives_the_same_report_of_a_comparison(page, scored, capsys):
    scored()
    made = re.compile(r"made on .*? with EconEvals")
    shown = made.sub("", words(text_of(page.get("/compare/report/?agents=random&agents=optimum&environments=pricing"))))
    call_command("report", "--agent", "random", "optimum", "--environment", "pricing")
    assert made.sub("", words(capsys.readouterr().out)) == shown
    for wrong, sentence in (
        (("--agent", "random"), "Name two to 4 agents."),
        (("--agent", "random", "nobody"), "There is no agent nobody."),
        (("1", "--environment", "pricing"), "A report of an experiment has all its runs; filters belong to --agent."),
    ):
        with pytest.raises(SystemExit):
            call_command("report", *wrong)
        assert capsys.readouterr().err == f"{sentence}\n"


def test_the_methods_are_copied_from_the_documents():
    assert "sign-flip test of the mean" in statistics(COMPARING) and "<a" not in statistics(COMPARING)
    with pytest.raises(KeyError):
        statistics("Nothing of that name")


def test_reports_use_the_light_colours_of_the_site():
    assert (light_colours()["ink"], light_colours()["panel"]) == ("#191a1c", "#ffffff")
    assert light_colours()["sans"].startswith('"Inter"')


@pytest.mark.long
def test_an_imported_run_has_an_unknown_cost(page, scored):
    experiment = scored()
    Run.objects.filter(pk=experiment.runs.first().pk).update(imported=True)
    assert "not counting 1 imported run" in words(text_of(page.get(f"/experiments/{experiment.pk}/report/")))
