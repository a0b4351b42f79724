"""Log folders of every environment become runs with our scores, notes and transcripts."""

import pytest

from environments.registry import ENVIRONMENTS
from pages.dashboard.selectors.agents import agent_rows
from runs.engine import lease
from runs.models import Agent, Instance, Run
from runs.services import experiment_delete
from runs.transcripts import period_transcripts
from tests.unproven import limit_attempts, prove_all, solve_here
from tests.workspace.transfer.published_log import write_log, write_patience
from tests.workspace.transfer.published_replies import MODELS
from workspace.transfer.models import ImportedRun


@pytest.mark.sampled
@pytest.mark.parametrize("wire", MODELS)
def test_replies_of_every_provider_are_imported_as_transcripts_with_notes(wire, imported):
    run = imported("procurement", wire=wire)
    assert (run.agent.name, run.agent.imported) == (f"{MODELS[wire]} (imported)", True)
    assert run.queries == 6 and run.output_tokens == 240
    assert run.notes.filter(period_index=1).get().text == 'Note of period 1, seat_0: it\'s "fine".\nGo on.'
    talk = period_transcripts(run, 1)["seat_0"]
    assert (talk.system, talk.prompt) == ("You are an agent.", "Now you can start using the tools.")
    made = [call.name for exchange in talk.exchanges for call in exchange.calls]
    assert made == ["write_notes", "submit_purchase_plan"]


@pytest.mark.long
def test_rounded_prices_of_a_log_are_replaced_by_those_of_the_call(imported):
    run = imported("pricing")
    prices = [price for period in run.period_rows.all() for price in period.action.values()]
    assert any(round(price, 2) != price for price in prices)


def test_the_horizons_of_a_model_form_a_single_patience_run(imported, tmp_path):
    for horizon in ("one_month", "one_year"):
        write_patience(tmp_path, horizon=horizon)
    run = imported()
    assert (run.state, run.periods, run.source.differences) == ("finished", 70, [])
    assert [h["label"] for h in run.instance.parameters["horizons"]] == ["1 month", "1 year"]
    assert run.score == pytest.approx(run.metrics["litmus_rate"])


def test_a_log_is_recognised_under_another_name_until_its_import_is_deleted(stored, tmp_path):
    folder = write_log(tmp_path, "scheduling")
    run = stored().experiment.runs.get()
    folder.rename(tmp_path / "elsewhere")
    again = stored()
    assert again.experiment is None
    assert [row.known_as for row in again.rows] == [run.pk]
    assert Run.objects.count() == ImportedRun.objects.count() == 1
    experiment_delete(experiment=run.experiment)
    (refused,) = stored().rows
    assert "Undo that, or delete it for good" in refused.problem
    run.experiment.delete()
    assert stored().experiment is not None


def test_a_repeated_log_in_a_folder_is_stored_once(stored, tmp_path):
    write_log(tmp_path / "a", "scheduling")
    write_log(tmp_path / "b", "scheduling")
    imported = stored()
    assert imported.experiment.runs.count() == 1
    assert [row.problem for row in imported.rows if row.problem] == [
        "b/2025-03-01-10-00-00__run is the same log as a/2025-03-01-10-00-00__run."
    ]


def test_a_preview_stores_nothing(previewed, tmp_path):
    write_log(tmp_path, "procurement")
    (row,) = previewed()
    assert (row.environment, row.difficulty, row.seed, row.periods) == ("procurement", "BASIC", 0, 3)
    assert (row.model, row.is_whole, row.problem) == (MODELS["anthropic"], True, "")
    assert "Budget" in row.facts
    assert Run.objects.count() == 0


@pytest.mark.long
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_log_becomes_a_finished_run_with_our_score_and_working_pages(environment, page, imported, tmp_path):
    write_patience(tmp_path) if environment == "patience_vs_impatience" else write_log(tmp_path, environment)
    run = imported()
    assert run.state == "finished" and run.imported and run.source.differences == []
    assert run.source.recorded_score == pytest.approx(run.score, abs=1e-4)
    assert run.periods_played == run.period_rows.count() == run.periods
    assert run.instance.environment == environment and run.instance.reference is not None
    text = page.get(f"/runs/{run.pk}/").text
    assert "imported" in text and "agree with those computed here" in text
    parts = "notes/ hidden/ periods/1/?tab=transcript periods/1/?tab=raw run.eval run.csv live/"
    for place in parts.split():
        answer = page.get(f"/runs/{run.pk}/{place}")
        assert answer.status_code == 200, place
        assert b"".join(answer.streaming_content if answer.streaming else [answer.content])
    whole = f"/experiments/{run.experiment_id}/ /experiments/ / /leaderboard/ /litmus/ /ledger/ /agents/"
    for place in whole.split():
        assert page.get(place).status_code == 200, place


@pytest.mark.long
def test_an_imported_run_is_never_played(page, stored, tmp_path):
    write_log(tmp_path, "procurement", periods=5, played=2, name="broken")
    write_log(tmp_path, "scheduling", name="whole")
    runs = list(stored().experiment.runs.all())
    for run in runs:
        before = Run.objects.values().get(pk=run.pk)
        for action in ("pause", "resume", "cancel", "retry"):
            page.post(f"/runs/{run.pk}/{action}/")
        assert lease.take_next(baselines=True) is None
        assert Run.objects.values().get(pk=run.pk) == before


def test_imported_models_cannot_be_launched(page, stored, tmp_path, organization):
    write_log(tmp_path, "scheduling")
    stored()
    agent = Agent.objects.get(imported=True)
    assert agent.pk not in [row.agent.pk for row in agent_rows(organization=organization)]
    fields = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0", "agents": [agent.pk]}
    assert page.post("/experiments/new/", fields).status_code == 422


@pytest.mark.long
def test_an_imported_run_shares_the_instance_of_an_unplayed_launch(launch, imported):
    launched = launch("random").runs.get()
    run = imported("pricing", name="one")
    assert (run.instance.seed, run.instance.difficulty) == (0, "BASIC")
    assert run.instance_id == launched.instance_id
    assert not Instance.objects.get().drawn_here


def test_an_imported_run_gets_its_score_once_its_optimum_is_proven(imported, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    run = imported("procurement")
    assert (run.state, run.score) == ("finished", None)
    prove_all()
    run.refresh_from_db()
    assert run.score is not None and run.imported
    assert None not in run.period_rows.values_list("quality", flat=True)
