"""Findings on the run page, in tables of runs, by agent, for visitors, by API and by command."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from api.services import personal_token_create
from environments.findings import VERSION
from runs.findings.models import Finding, RunFindings
from runs.findings.selectors import agent_table
from runs.findings.services import FINDINGS, findings_compute
from runs.models import Run
from sharing.services import share_link_create


@pytest.fixture
def run(finished):
    run = finished()
    findings_compute(run=run)
    return run


def stored(run, rule, **values):
    """A finding of a run, to which all rules apply then, though it is short."""
    RunFindings.objects.update(inapplicable="")
    values = {"sentence": f"<b>{rule}</b>", "period": 1} | values
    return Finding.objects.create(organization=run.organization, run=run, rule=rule, **values)


@pytest.mark.long
def test_the_run_page_lists_findings_as_links_and_jumps(page, run):
    stored(run, "infeasible_plans")
    stored(run, "a_rule_of_later", period=None)
    text = page.get(f"/runs/{run.pk}/periods/2/").text
    assert "It first found the optimal plan in period 0." in text and "&lt;b&gt;infeasible_plans&lt;/b&gt;" in text
    assert text.count(f'href="/runs/{run.pk}/periods/1/"') >= 1
    assert 'Infeasible plans <span class="faint">period 1</span>' in text and "A rule of later" in text
    assert "data-poll" not in text[text.index('id="findings"') :][:200]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("finished", "Not computed yet. A worker computes them in the background."),
        ("paused", "Findings are computed when the run has finished."),
        ("cancelled", "This run was cancelled. Only finished runs have findings."),
    ],
)
def test_a_run_without_findings_gives_the_reason(page, finished, state, words):
    run = finished()
    Run.objects.update(state=state)
    assert words in page.get(f"/runs/{run.pk}/").text


@pytest.mark.long
def test_a_run_without_any_finding_says_so(page, run):
    Finding.objects.all().delete()
    assert "None of the rules of this environment found anything." in page.get(f"/runs/{run.pk}/").text


@pytest.mark.long
def test_the_panel_polls_until_findings_exist(page, finished):
    run = finished()
    address, headers = f"/runs/{run.pk}/findings/", {"HX-Request": "true"}
    assert f"{address}?state=pending" in page.get(f"/runs/{run.pk}/").text
    assert page.get(f"{address}?state=pending", headers=headers).status_code == 204
    findings_compute(run=run)
    assert "It first found the optimal plan" in page.get(f"{address}?state=pending", headers=headers).text
    assert page.get(address).url == f"/runs/{run.pk}/#findings"


@pytest.mark.long
def test_tables_of_runs_count_findings_and_filter_by_them(page, run, finished):
    other = finished("random")
    findings_compute(run=other)
    text = page.get("/runs/").text
    assert f'href="/runs/{run.pk}/#findings" title="Found the optimum"' in text
    for address in (
        "/runs/?finding=first_optimum",
        "/runs/?agent=optimum",
        "/runs/?finding=first_optimum&agent=optimum",
    ):
        text = page.get(address).text
        assert f'id="r{run.pk}"' in text and f'id="r{other.pk}"' not in text and "Show all 2" in text
    assert "No runs match" in page.get("/runs/?finding=first_optimum&environment=pricing").text
    assert "No runs match" in page.get(f"/experiments/{other.experiment_id}/?finding=first_optimum").text


@pytest.mark.long
def test_findings_by_agent_link_to_their_runs_and_count_applicable_runs(page, run, finished, organization):
    for one in (finished("random"), finished("random", environments=("pricing",)), finished("optimum", seeds=(1,))):
        findings_compute(run=one)
    stored(run, "infeasible_plans")
    table = agent_table(organization=organization)
    assert [rule.key for rule in table.rules] == ["infeasible_plans", "first_optimum"]  # mistakes first
    shares = {(agent.slug, share.rule.key): (share.runs, share.of) for agent in table.agents for share in agent.shares}
    assert shares == {
        ("optimum", "infeasible_plans"): (1, 2),
        ("optimum", "first_optimum"): (2, 2),
        ("random", "infeasible_plans"): (0, 1),
        ("random", "first_optimum"): (0, 1),
    }
    text = page.get("/findings/?environment=procurement").text
    address = "/runs/?finding=infeasible_plans&amp;agent=optimum&amp;environment=procurement"
    assert f'href="{address}"' in text and "50 %" in text
    assert "50 %" not in page.get("/findings/?environment=scheduling").text
    assert len(page.get(address.replace("&amp;", "&")).context["page"].object_list) == 1


@pytest.mark.long
def test_an_agent_has_no_share_of_a_rule_that_applies_to_no_run(page, finished, organization):
    short = finished("random")
    findings_compute(run=short)
    stored(short, "infeasible_plans")
    stored(short, "notes_unchanged")
    assert counted(agent_table(organization=organization))["random", "infeasible_plans"] == (1, 1)
    others = [finished("random", seeds=(1,)), finished("random", seeds=(2,))]
    for one in others:
        findings_compute(run=one)
    table = counted(agent_table(organization=organization))
    assert table["random", "infeasible_plans"] == (1, 1), "the others have too few periods"
    assert table["random", "notes_unchanged"] == (1, 0), "baselines write fixed notes"


def counted(table):
    return {(one.slug, share.rule.key): (share.runs, share.of) for one in table.agents for share in one.shares}


@pytest.mark.long
def test_each_agent_of_a_market_has_findings_about_its_own_seat(page, finished, agent, organization):
    slugs, market = ("collusion-nash", "collusion-collusive"), {"environments": ("collusiveness_vs_competitiveness",)}
    first, rival = map(agent, slugs)
    run = finished(first.slug, difficulties=("STANDARD",), **market)
    findings_compute(run=run)
    Run.objects.filter(pk=run.pk).update(rival=rival)
    stored(run, "followed_cuts", seat="seat_1")
    stored(run, "changed_course", seat="seat_0")
    stored(run, "near_collusive")
    own = {(first.slug, "changed_course"): (1, 1), (first.slug, "followed_cuts"): (0, 1)}
    others = {(rival.slug, "changed_course"): (0, 1), (rival.slug, "followed_cuts"): (1, 1)}
    both = {(slug, "near_collusive"): (1, 1) for slug in slugs}
    assert counted(agent_table(organization=organization)) == own | others | both
    assert counted(agent_table(organization=organization, agent=rival)) == {
        (rival.slug, "followed_cuts"): (1, 1),
        (rival.slug, "near_collusive"): (1, 1),
    }
    # Each share leads to its runs.
    for slug, rule, runs in [(*key, number) for key, (number, _) in (own | others | both).items()]:
        text = page.get(f"/runs/?finding={rule}&agent={slug}").text
        assert (f'id="r{run.pk}"' in text) is bool(runs), (slug, rule)
    # An agent that plays both seats has all of them, once.
    for same in (None, first):
        Run.objects.filter(pk=run.pk).update(rival=same)
        rules = ("near_collusive", "followed_cuts", "changed_course")
        assert counted(agent_table(organization=organization)) == {(first.slug, rule): (1, 1) for rule in rules}
        assert f'id="r{run.pk}"' in page.get(f"/runs/?finding=followed_cuts&agent={first.slug}").text


@pytest.mark.long
def test_the_findings_page_without_findings_says_what_is_missing(page, finished):
    assert "No finished runs yet." in page.get("/findings/").text
    run = finished("random")
    assert "The findings of these runs are being computed." in page.get("/findings/").text
    findings_compute(run=run)
    assert "No rule found anything in these runs." in page.get("/findings/").text


@pytest.mark.long
def test_other_organizations_see_no_findings(stranger, run):
    assert "No finished runs yet." in stranger.get("/findings/").text
    assert stranger.get(f"/runs/{run.pk}/findings/", headers={"HX-Request": "true"}).status_code == 404
    assert "No runs yet." in stranger.get("/runs/?finding=first_optimum").text


@pytest.mark.long
def test_the_api_and_the_command_give_the_same_findings(client, run, owner, capsys):
    expires = timezone.now() + timedelta(days=1)
    _, secret = personal_token_create(actor=owner, name="reader", scopes=["read"], expires_at=expires)
    headers = {"Authorization": f"Bearer {secret}"}
    one = client.get(f"/api/v1/runs/{run.pk}/findings", headers=headers).json()
    assert one["state"] == "ready" and one["findings"][0] == {
        "rule": "first_optimum",
        "title": "Found the optimum",
        "is_problem": False,
        "period": 0,
        "seat": "",
        "value": 0.0,
        "sentence": "It first found the optimal plan in period 0.",
    }
    call_command("findings", str(run.pk), "--json")
    assert json.loads(capsys.readouterr().out)["findings"] == one["findings"]
    counts = client.get("/api/v1/findings?environment=procurement", headers=headers).json()
    assert counts["agents"][0]["rules"] == [{"rule": "first_optimum", "runs": 1, "of": 1}]
    call_command("findings", "--environment", "procurement", "--json")
    assert json.loads(capsys.readouterr().out) == counts
    call_command("findings")
    assert "Found the optimum: 100 %, 1 of 1" in capsys.readouterr().out


@pytest.mark.long
def test_the_command_computes_missing_findings(finished, capsys):
    call_command("findings", str(finished().pk))
    assert capsys.readouterr().out == "Found the optimum: It first found the optimal plan in period 0.\n"


@pytest.mark.sampled
@pytest.mark.parametrize("with_notes", [True, False])
def test_visitors_see_findings_of_a_shared_run_and_links_to_shared_periods(client, run, owner, with_notes):
    _, token = share_link_create(actor=owner, target=run, lasts="7", with_notes=with_notes)
    text = client.get(f"/s/{token}/").text
    assert "It first found the optimal plan in period 0." in text
    assert (f'href="/s/{token}/runs/1/periods/0/">period 0' in text) is with_notes


@pytest.fixture
def changed(finished):
    """A finished run of pricing whose prices jump at random, so that it has three largest changes."""
    run = finished("random", environments=("pricing",), periods=20)
    findings_compute(run=run)
    return run


def test_the_largest_changes_are_lines_jumps_and_marks_but_not_findings(page, changed, organization):
    changes = RunFindings.objects.get().changes
    assert len(changes) == 3 and all(set(one) == {"kind", "period", "seat", "size", "sentence"} for one in changes)
    Finding.objects.all().delete()
    text = page.get(f"/runs/{changed.pk}/").text
    assert "None of the rules of this environment found anything." in text and "Largest changes" in text
    periods = sorted(one["period"] for one in changes)
    jumps = text[text.index('id="period-jump"') :]
    for one in changes:
        assert one["sentence"] in text
        assert f'<span class="faint">period {one["period"]}</span>' in jumps and "Change of " in jumps
    marked = page.get(f"/runs/{changed.pk}/figure.json").json()
    assert [line["x0"] for line in marked["layout"]["shapes"]] == periods
    assert "▾ marks a finding or a large change" in text
    assert agent_table(organization=organization).rules == [], "they are no findings"


def test_the_api_and_the_command_list_the_largest_changes(client, changed, owner, capsys):
    expires = timezone.now() + timedelta(days=1)
    _, secret = personal_token_create(actor=owner, name="reader", scopes=["read"], expires_at=expires)
    answer = client.get(f"/api/v1/runs/{changed.pk}/findings", headers={"Authorization": f"Bearer {secret}"}).json()
    stored = RunFindings.objects.get().changes
    assert answer["changes"] == sorted(stored, key=lambda one: one["period"])
    call_command("findings", str(changed.pk))
    assert f"Change of {stored[0]['kind']}: {stored[0]['sentence']}" in capsys.readouterr().out


def test_runs_judged_by_earlier_rules_have_no_changes_until_recomputed(page, changed):
    RunFindings.objects.update(changes=[], rules_version=VERSION - 1)
    assert "Largest changes" not in page.get(f"/runs/{changed.pk}/").text
    assert FINDINGS.work_next()
    assert "Largest changes" in page.get(f"/runs/{changed.pk}/").text


@pytest.mark.parametrize("with_notes", [True, False])
def test_visitors_without_notes_see_no_finding_that_quotes_them(client, run, owner, with_notes):
    stored(run, "strategy_changed", sentence="From period 1 on, its notes use other words: new are “secret”.")
    _, token = share_link_create(actor=owner, target=run, lasts="7", with_notes=with_notes)
    assert ("secret" in client.get(f"/s/{token}/").text) is with_notes
