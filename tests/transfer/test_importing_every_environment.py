"""Log folders of every environment become runs with our scores, notes and transcripts."""

from __future__ import annotations

import pytest

from environments.registry import ENVIRONMENTS
from runs.models import Run
from tests.transfer.published_log import MODELS, write_log, write_patience
from transfer.models import ImportedRun
from transfer.reading.sources import opened
from transfer.services.imports import import_preview

LOGGED = [name for name in ENVIRONMENTS if name != "patience_vs_impatience"]


@pytest.mark.parametrize("environment", LOGGED)
def test_a_log_becomes_a_finished_run_scored_here(environment, stored, tmp_path):
    write_log(tmp_path, environment)
    imported = stored()
    assert [row.problem for row in imported.rows] == [""]
    run = imported.experiment.runs.select_related("instance", "source").get()
    assert run.state == "finished" and run.imported
    assert run.source.differences == []
    assert run.source.recorded_score == pytest.approx(run.score, abs=1e-4)
    assert run.periods_played == run.period_rows.count() == run.periods
    assert run.instance.environment == environment and run.instance.reference is not None


@pytest.mark.parametrize("wire", MODELS)
def test_replies_of_every_provider_become_a_transcript_with_notes(wire, stored, tmp_path):
    from runs.transcripts import period_transcripts

    write_log(tmp_path, "procurement", wire=wire)
    run = stored().experiment.runs.select_related("instance", "source", "agent").get()
    assert (run.agent.name, run.agent.imported) == (f"{MODELS[wire]} (imported)", True)
    assert run.queries == 6 and run.output_tokens == 240
    assert run.notes.filter(period_index=1).get().text == 'Note of period 1, seat_0: it\'s "fine".\nGo on.'
    talk = period_transcripts(run, 1)["seat_0"]
    assert (talk.system, talk.prompt) == ("You are an agent.", "Now you can start using the tools.")
    assert [call.name for exchange in talk.exchanges for call in exchange.calls] == [
        "write_notes",
        "submit_purchase_plan",
    ]


def test_the_two_agents_of_a_market_keep_their_own_chats_and_notes(stored, tmp_path):
    write_log(tmp_path, "collusiveness_vs_competitiveness")
    run = stored().experiment.runs.get()
    written = {(note.seat, note.period_index): note.text for note in run.notes.all()}
    assert len(written) == 6
    assert all(f"period {period}, {seat}" in text for (seat, period), text in written.items())


def test_prices_that_the_log_rounds_are_taken_from_the_call(stored, tmp_path):
    write_log(tmp_path, "pricing")
    run = stored().experiment.runs.get()
    prices = [price for period in run.period_rows.all() for price in period.action.values()]
    assert any(round(price, 2) != price for price in prices)


def test_the_horizons_of_a_model_are_one_patience_run(stored, tmp_path):
    for horizon in ("one_month", "one_year"):
        write_patience(tmp_path, horizon=horizon)
    run = stored().experiment.runs.select_related("instance", "source").get()
    assert (run.state, run.periods, run.source.differences) == ("finished", 70, [])
    assert [h["label"] for h in run.instance.parameters["horizons"]] == ["1 month", "1 year"]
    assert run.score == pytest.approx(run.metrics["litmus_rate"])


def test_a_log_that_breaks_off_can_be_looked_at_and_has_no_score(stored, tmp_path):
    write_log(tmp_path, "procurement", periods=5, played=2)
    run = stored().experiment.runs.get()
    assert (run.state, run.score, run.periods_played) == ("cancelled", None, 2)
    assert run.reason == "The log ends after 2 of 5 periods; it can be looked at but has no score."


def test_the_same_log_is_known_again_under_another_name(stored, organization, tmp_path):
    folder = write_log(tmp_path, "scheduling")
    run = stored().experiment.runs.get()
    folder.rename(tmp_path / "elsewhere")
    again = stored()
    assert again.experiment is None
    assert [row.known_as for row in again.rows] == [run.pk]
    assert Run.objects.count() == ImportedRun.objects.count() == 1


def test_the_same_log_twice_in_one_folder_is_stored_once(stored, tmp_path):
    write_log(tmp_path / "a", "scheduling")
    write_log(tmp_path / "b", "scheduling")
    imported = stored()
    assert imported.experiment.runs.count() == 1
    assert [row.problem for row in imported.rows if row.problem] == [
        "b/2025-03-01-10-00-00__run is the same log as a/2025-03-01-10-00-00__run."
    ]


def test_a_preview_stores_nothing(organization, tmp_path):
    write_log(tmp_path, "procurement")
    with opened(tmp_path) as source:
        (row,) = import_preview(organization=organization, source=source)
    assert (row.environment, row.difficulty, row.seed, row.periods) == ("procurement", "BASIC", 0, 3)
    assert (row.model, row.is_whole, row.problem) == (MODELS["anthropic"], True, "")
    assert "Budget" in row.facts
    assert Run.objects.count() == 0


def test_a_deleted_import_can_be_imported_again(stored, tmp_path):
    from runs.services import experiment_delete

    write_log(tmp_path, "scheduling")
    experiment_delete(experiment=stored().experiment)
    assert stored().experiment is not None
