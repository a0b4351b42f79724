"""Genuine logs of the published code: ceilings, refused actions, actions impossible here, claims."""

import csv
import json
import math

import pytest

from environments.registry import generate
from runs.models import Run
from tests.workspace.transfer.published_log import edit, write_log
from workspace.transfer.writing.records import period_records

MARKET = "collusiveness_vs_competitiveness"
NO_PLAN = {f"Offer_{number}": 0 for number in range(1, 13)}


def test_a_single_seller_has_the_ceiling_of_its_own_optimum(imported):
    run = imported(MARKET, variant="single_agent")
    assert (run.variant, run.source.differences) == ("single_agent", [])


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "ours"), [(MARKET, "2.7 here"), ("pricing", "38.11 here")])
def test_a_different_ceiling_is_reported_as_a_difference(environment, ours, previewed, imported, tmp_path):
    variant = "single_agent" if environment == MARKET else "main"
    write_log(tmp_path, environment, variant=variant, ceiling=2.89)
    (row,) = previewed()
    assert row.differences[0].startswith("Price ceiling told: the log differs in ")
    assert f"first in period 0: 2.89 recorded, {ours}" in row.differences[0]
    assert imported().source.differences == row.differences


@pytest.mark.long
def test_a_preview_compares_nothing_with_an_uncomputed_optimum(previewed, imported, tmp_path):
    good = NO_PLAN | dict.fromkeys(("Offer_4", "Offer_9", "Offer_11", "Offer_12"), 1)
    folder = write_log(tmp_path, "procurement", actions={1: good})
    (row,) = previewed()
    assert (row.differences, row.score) == ([], None)

    edit(folder / "global_params.csv", lambda rows: rows[0].update(opt_utility=2 * float(rows[0]["opt_utility"])))
    (row,) = previewed()
    assert row.differences == []
    assert imported().source.differences[0].startswith("Share of optimum: the log differs in 1 of 3 periods")


@pytest.mark.parametrize("seat", ["seat_0", "seat_1"])
def test_a_refused_action_belongs_to_the_seller_that_submitted_it(seat, imported):
    given = ("{'Product_2': 5.0}", "five dollars", "{'Product_1': 5.0, 'Product_2': 5.0}")
    run = imported(MARKET, refused={(period, seat): action for period, action in enumerate(given)})
    for period in range(3):
        tries = run.exchanges.filter(period_index=period).order_by("seat", "attempt", "step")
        tries = tries.values_list("attempt", "step")
        assert list(tries.filter(seat=seat)) == [(0, 0), (1, 0), (1, 1)]
        assert list(tries.exclude(seat=seat)) == [(0, 0), (0, 1)]
        written = {note.seat: note.text for note in run.notes.filter(period_index=period)}
        assert all(f"period {period}, {one}" in text for one, text in written.items()) and len(written) == 2


def test_unreadable_chats_leave_the_other_chats_with_their_seller(imported, tmp_path):
    def garble(rows):
        of_first = [row for row in rows if row["period"] == "1" and "seat_0" not in row["completion"]]
        of_first[0]["completion"] = "{"

    edit(write_log(tmp_path, MARKET) / "logs.csv", garble)
    run = imported()
    assert run.source.facts["Replies that could not be read"] == "1"
    assert {note.seat: note.text[:24] for note in run.notes.filter(period_index=1)} == {
        "seat_0": "Note of period 1, seat_0",
        "seat_1": "Note of period 1, seat_1",
    }


PLAN = NO_PLAN | {"Offer_4": 1.5, "Offer_9": 2, "Offer_11": 1, "Offer_12": 3}
NEGATIVE = NO_PLAN | {"Offer_2": -1, "Offer_4": 4, "Offer_7": -1, "Offer_9": -2, "Offer_11": 2}
ODD = {
    "a fraction of an offer": ("procurement", PLAN, "non-negative whole number, but it was 1.5"),
    "less than nothing of an offer": ("procurement", NEGATIVE, "but it was -1"),
    "a negative price": ("pricing", {"Product_1": -2.5}, "price of Product_1 must be a finite number of at least 0"),
    "a negative price in a market": (MARKET, {"seat_0": -0.5, "seat_1": 1.4}, "The price of seat_0 must be a finite"),
}


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "action", "why"), ODD.values(), ids=ODD)
def test_an_action_impossible_here_counts_as_played(environment, action, why, previewed, imported, page, tmp_path):
    write_log(tmp_path, environment, actions={1: action})
    (row,) = previewed()
    assert row.problem == "" and row.differences == []
    run = imported()
    assert run.state == "finished" and run.score is not None and run.source.differences == []
    told = run.source.facts["Not playable here"]
    assert told.startswith(f"1 of {run.periods} periods (1), counted as the published code counted them.")
    assert why in told
    assert row.facts["Not playable here"] == told
    records = list(period_records(Run.objects.filter(pk=run.pk)))
    assert records[1]["action"] == action
    for address in ("", "periods/1/", "periods/1/period.json", "figure.json"):
        assert page.get(f"/runs/{run.pk}/{address}").status_code == 200, address
    assert "Not playable here" in page.get(f"/runs/{run.pk}/").text


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing", "efficiency_vs_equality", MARKET])
def test_a_log_with_the_parameters_of_another_seed_is_refused(environment, previewed, stored, tmp_path):
    folder = write_log(tmp_path, environment, seed=0, name="played")
    other = write_log(tmp_path, environment, seed=1, name="other")
    (other / "global_params.csv").replace(folder / "global_params.csv")
    (other / "logs.csv").unlink()
    (row,) = previewed()
    assert row.problem.startswith(f"{folder.name} does not fit its parameters: in ")
    assert "logs.csv, line " in row.problem and f"seed 1 of {environment}" in row.problem
    again = stored()
    assert again.experiment is None and [one.problem for one in again.rows] == [row.problem]


@pytest.mark.long
def test_the_notebook_averages_another_period_than_the_paper(previewed, imported, page, tmp_path):
    folder = write_log(tmp_path, MARKET, periods=300, queries=1, seed=5)
    (row,) = previewed()
    with (folder / "logs.csv").open() as file:
        prices = [json.loads(line["prices"]) for line in csv.DictReader(file) if line["prices"]]
    notebook = sum(map(sum, prices[249:300])) / 102
    paper = sum(map(sum, prices[-50:])) / 100
    reference = generate(MARKET, "STANDARD", 5).reference
    nash, collusive = reference["nash_price"], reference["collusive_price"]
    theirs, ours = (min(1.0, max(0.0, (price - nash) / (collusive - nash))) for price in (notebook, paper))
    assert theirs - ours > 0.03
    told = row.facts["By the released notebook"]
    rest = f"51 of them; {ours:.4f} over the last 50, as the paper says"
    assert told == f"{theirs:.4f}, the mean over periods 249 to 299, {rest}"
    run = imported()
    assert math.isclose(run.score, ours, abs_tol=1e-9)
    text = page.get(f"/runs/{run.pk}/").text
    assert told in text and "Score in the log" not in text and "by our formula, as from its actions" in text


@pytest.mark.sampled
@pytest.mark.parametrize(("price", "word"), [(1.84, "converged"), (1.86, "did not converge")])
def test_the_notebook_has_a_narrower_band_for_a_single_seller(price, word, previewed, imported, tmp_path):
    """Its tolerance is 0.05, ours 5 % of 1.80: both prices have converged by the paper's words."""
    actions = {period: {"seat_0": price} for period in range(300)}
    write_log(tmp_path, MARKET, variant="single_agent", periods=300, queries=1, actions=actions)
    (row,) = previewed()
    told = f"{word}, by the last 101 prices and a tolerance of 0.05 in units of alpha"
    assert row.facts["By the released notebook"] == told
    run = imported()
    assert run.score == 1.0 and run.source.facts["By the released notebook"] == told
