"""Own prompts on leaderboards: a filter selects one, every row is marked, and runs of the paper's prompts stay separate."""

import csv
import html
import io
import re

import pytest
from django.test import Client

from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.benchmark.runs import table_of
from analysis.litmus.runs import litmus_rows, records_of
from analysis.saved.kinds import from_json, to_json
from analysis.saved.services import leaderboard_create
from environments.registry import generate
from sharing.services import share_link_create
from tests.layout import plain
from tests.prompts import prompt_of

MARK = "own prompt, not the paper's"
OWN = "variant=main%2Bconcise"
EQUALITY = "efficiency_vs_equality"


def rows_of(text):
    """The rows of the page's first table with scores, as text."""
    leaderboard = text[text.index('<table class="table board') :].partition("</table>")[0]
    return [
        plain(row)
        for row in re.findall(r"<tr class=.*?</tr>|<tr>.*?</tr>", leaderboard.partition("<tbody>")[2], re.DOTALL)
    ]


def heading(text):
    """What stands above the filters."""
    return plain(text.partition('class="page-head"')[2].partition('class="board-filters"')[0])


@pytest.fixture
def benchmark(run_row, organization):
    """One agent under the paper's prompt, and better under an own one."""
    own = prompt_of(organization)
    for seed in range(3):
        run_row("house", 0.5, seed=seed)
        run_row("house", 0.9, seed=seed, variant=own.variant, prompts=own)
        run_row("rival", 0.7, seed=seed, variant=own.variant, prompts=own)


@pytest.fixture
def litmus(run_row, organization):
    """One agent in all variants of the paper, and under own prompts of one slug without the competency for equality."""
    own = {base: prompt_of(organization, environment=EQUALITY, base=base) for base in ("main", "efficiency")}
    metrics = {"revenue": 1.0, "inequality": 1.0, "frontier_distance": 0.1, "frontier_share": 0.9}
    for seed in range(2):
        asked = {"problem": generate(EQUALITY, "STANDARD", seed), "periods": 30}
        for variant, score in (("main", 0.2), ("efficiency", 1.0), ("equality", 0.9)):
            run = run_row("house", score, variant=variant, metrics=metrics, **asked)
        for base, score in (("main", 0.8), ("efficiency", 0.9)):
            options = {"variant": own[base].variant, "prompts": own[base], "metrics": metrics}
            run_row("house", score, **options, **asked)
    return run.experiment


@pytest.mark.long
def test_the_leaderboard_shows_a_single_prompt_and_marks_its_rows(page, benchmark):
    paper = page.get("/leaderboard/").text
    assert any(row.startswith("house") and "50.0" in row and MARK not in row for row in rows_of(paper))
    assert '<option value="main+concise">Shorter (own prompt, not the paper&#x27;s)</option>' in paper
    assert "under the prompt “Shorter (own prompt, not the paper's)”" in plain(paper)
    own = page.get(f"/leaderboard/?{OWN}").text
    house, rival = sorted(rows_of(own))
    assert (
        house.startswith(f"house {MARK}") and "90.0" in house and rival.startswith(f"rival {MARK}") and "70.0" in rival
    )
    assert "prompt: Shorter (own prompt, not the paper's)" in heading(own)
    assert re.search(r'<a class="chip"\s*href="/leaderboard/\?">prompt Shorter \(own', own), "and so does the chip"
    assert "Published rows are left out" in own and "published" not in "".join(rows_of(own))


@pytest.mark.sampled
@pytest.mark.parametrize("address", ["/compare/?agents=house&agents=rival&", "/trends/?", "/behaviour/?"])
def test_pages_with_leaderboard_filters_accept_and_state_own_prompts(page, benchmark, address):
    text = page.get(f"{address}{OWN}").text
    assert "prompt Shorter (own prompt, not the paper's)" in heading(text)
    assert '<option value="main+concise" selected>' in text


def test_a_comparison_uses_only_runs_under_the_selected_prompt(page, benchmark):
    answer = page.get(f"/compare/?agents=house&agents=rival&environments=pricing&difficulties=BASIC&{OWN}").text
    assert "rival scores 20.0 points less than house" in plain(answer)
    assert " points " not in plain(
        page.get("/compare/?agents=house&agents=rival&environments=pricing").text.split("Answers")[-1]
    )


def test_files_of_the_leaderboard_name_the_prompt(page, benchmark):
    rows = list(csv.DictReader(io.StringIO(page.get(f"/leaderboard/table.csv?{OWN}").text)))
    assert {(row["agent"], row["own_prompt"]) for row in rows} == {("house", "main+concise"), ("rival", "main+concise")}
    assert "house, own prompt Shorter" in page.get(f"/leaderboard/table.tex?{OWN}").text
    assert all(not row["own_prompt"] for row in csv.DictReader(io.StringIO(page.get("/leaderboard/table.csv").text)))


@pytest.mark.long
def test_a_cell_lists_only_runs_under_its_prompt(page, benchmark):
    address = html.unescape(re.search(r'<a href="(/leaderboard/cell/[^"]+)"', page.get(f"/leaderboard/?{OWN}").text)[1])
    text = page.get(address).text
    assert f"prompt Shorter, {MARK}" in plain(text) and text.count("/runs/") >= 3 and "50.0" not in text


@pytest.mark.long
def test_an_unknown_prompt_in_an_address_selects_the_default(page, benchmark, stranger):
    assert any("50.0" in row for row in rows_of(page.get("/leaderboard/?variant=main%2Babsent").text))
    foreign, absent = (
        re.sub(r'value="\w{64}"', "", stranger.get(f"/leaderboard/?variant=main%2B{slug}").text)
        for slug in ("concise", "absent")
    )
    assert foreign.replace("concise", "absent") == absent, "it repeats what was asked, and knows nothing of it"


@pytest.mark.long
def test_own_prompts_have_competencies_of_their_own_on_the_litmus_page(page, litmus):
    paper, own = (page.get(f"/litmus/{query}").text for query in ("", f"?{OWN}"))
    (row,) = [row for row in rows_of(paper) if row.startswith("house")]
    assert "0.20" in row and "0.95" in row and MARK not in row
    assert "4 under own prompts Shorter, not the paper's" in plain(paper)
    (row,) = rows_of(own)
    assert row.startswith(f"house {MARK}") and "0.80" in row and "0.95" not in row
    assert "Competency is not known yet: no equality of Shorter run has finished." in plain(own)
    assert "under own prompts Shorter, not the paper's" in heading(own)
    assert "6 under the paper's prompts" in plain(own)
    # A litmus score of 0.8 lies elsewhere in the chart than one of 0.2, so mixed data would show.
    ids = {
        query: set(re.findall(r"/runs/(\d+)/", str(page.get(f"/litmus/pareto.json{query}").json()["data"])))
        for query in ("", f"?{OWN}")
    }
    assert len(ids[""]) == len(ids[f"?{OWN}"]) == 2 and not ids[""] & ids[f"?{OWN}"]


@pytest.mark.long
def test_runs_with_the_texts_of_the_experiments_have_a_separate_leaderboard(page, litmus, run_row, benchmark):
    metrics = {"revenue": 1.0, "inequality": 1.0, "frontier_distance": 0.1, "frontier_share": 0.9}
    for seed in range(2):
        asked = {"problem": generate(EQUALITY, "STANDARD", seed), "periods": 30, "metrics": metrics}
        for variant, score in (("as_run", 0.6), ("efficiency+as_run", 1.0), ("equality+as_run", 0.8)):
            run_row("house", score, variant=variant, **asked)
        run_row("house", 0.3, seed=seed, variant="as_run")
    paper, as_run = (page.get(f"/litmus/{query}").text for query in ("", "?variant=as_run"))
    (row,) = [row for row in rows_of(paper) if row.startswith("house")]
    assert "0.20" in row and "0.60" not in row
    assert "6 under the texts that the experiments sent" in plain(paper)
    (row,) = [row for row in rows_of(as_run) if row.startswith("house")]
    assert "0.60" in row and "0.90" in row and "texts as sent in the experiments" in row and MARK not in row
    rows = rows_of(page.get("/leaderboard/?variant=as_run").text)
    assert any(row.startswith("house") and "30.0" in row for row in rows) and any("GPT-4.1" in row for row in rows)
    assert not any("30.0" in row for row in rows_of(page.get("/leaderboard/").text) if row.startswith("house"))


@pytest.mark.long
def test_an_experiment_with_both_prompts_has_a_row_for_each(page, litmus, organization):
    panel = page.get(f"/experiments/{litmus.pk}/litmus/").text
    rows = rows_of(panel)
    assert [row.startswith("house") for row in rows] == [True, True] and [MARK in row for row in rows] == [False, True]
    assert f"/litmus/?experiment={litmus.pk}&amp;variant=main%2Bconcise" in panel
    charts = page.get(f"/litmus/?experiment={litmus.pk}&{OWN}").text
    assert "under own prompts Shorter, not the paper's" in plain(charts) and MARK in rows_of(charts)[0]
    every = LitmusFilter(experiment=litmus.pk, scope="all", variant="")
    found = litmus_rows(records_of(organization=organization, litmus_filter=every), every)
    assert [(row.own_prompt, len(row.scores)) for row in found] == [("", 3), ("concise", 3)]


@pytest.mark.long
def test_an_experiment_with_only_an_own_prompt_is_marked(page, run_row, organization):
    own = prompt_of(organization)
    run = run_row("house", 0.9, variant=own.variant, prompts=own)
    for address in (f"/experiments/{run.experiment_id}/", f"/runs/{run.pk}/", "/runs/", "/agents/house/"):
        assert "own prompt Shorter, not the paper's" in plain(page.get(address).text), address
    report = page.get(f"/experiments/{run.experiment_id}/report/")
    text = plain(b"".join(report.streaming_content).decode() if report.streaming else report.text)
    assert "Pricing, own prompt Shorter, not the paper's" in text
    assert "Own prompts, not the paper's" in text and "Pricing main+concise Reply prompt Go on." in text


@pytest.mark.long
def test_the_tiles_of_an_agent_use_the_prompts_of_the_paper(page, benchmark, litmus):
    text = plain(page.get("/agents/house/").text)
    assert "Pricing 50.0 BASIC" in text and "Efficiency versus equality 0.20" in text
    assert text.count("own prompt Shorter, not the paper's") >= 2
    assert "0.80" not in str(page.get("/agents/house/litmus.json").json()["data"])


@pytest.mark.long
def test_a_saved_leaderboard_keeps_its_prompt_without_runs_and_for_visitors(page, benchmark, organization, owner):
    made = leaderboard_create(
        organization=organization,
        user=owner.user,
        kind="benchmark",
        name="Own",
        filters=TableFilter(variant="main+concise"),
    )
    for kind, chosen in (("benchmark", TableFilter(variant="main+x")), ("litmus", LitmusFilter(variant="main+x"))):
        assert from_json(kind, to_json(chosen)) == chosen
    text = page.get(f"/leaderboards/{made.pk}/").text
    assert all(MARK in row for row in rows_of(text)) and "Shorter (own prompt" in plain(text)
    assert '<option value="main+concise" selected>' in page.get(f"/leaderboards/{made.pk}/change/").text
    _, token = share_link_create(actor=owner, target=made, lasts="30")
    shared = Client().get(f"/s/{token}/").text
    assert all(MARK in row for row in rows_of(shared)) and "published" not in "".join(rows_of(shared))


def test_own_rows_are_ranked_among_themselves(benchmark, organization):
    chosen = TableFilter(environments=("pricing",), difficulties=("BASIC",), variant="main+concise")
    table = table_of(organization=organization, table_filter=chosen)
    assert [(row.name, row.own_prompt, row.standing.ranks is not None) for row in table.rows] == [
        ("house", "main+concise", True),
        ("rival", "main+concise", True),
    ]


WALKED = (
    "/leaderboard/?{own}", "/litmus/", "/compare/?agents=house&agents=rival&{own}", "/trends/?{own}", "/behaviour/?{own}",
    "/sensitivity/", "/conditions/", "/experiments/new/", "/agents/house/", "/experiments/", "/runs/",
    "/experiments/{experiment}/", "/runs/{run}/",
)  # fmt: skip


@pytest.mark.long
def test_pages_show_an_own_prompt_by_its_name(page, benchmark, organization):
    run = organization.runs.filter(variant="main+concise").first()
    for address in WALKED:
        at = address.format(own=OWN, experiment=run.experiment_id, run=run.pk)
        response = page.get(at)
        assert response.status_code == 200, at
        text = plain(re.sub(r"<(pre|code)\b.*?</\1>", "", response.text, flags=re.DOTALL))
        assert "concise" not in text, (at, text[max(0, text.index("concise") - 80) :][:160])
    assert "Shorter" in plain(page.get("/sensitivity/").text)
