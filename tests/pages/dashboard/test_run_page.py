"""The run page: every period has an address and is readable; runs of litmus tests."""

import re

import pytest

from environments.declarations import POINTS
from environments.registry import score_format, variant_label
from runs.findings.models import Finding, RunFindings
from runs.findings.services import findings_compute
from runs.models import Exchange, Note, Period, Run


@pytest.mark.long
@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_every_period_opens_and_hidden_values_appear_only_on_demand(page, played, environment):
    run = played("random", environments=(environment,), periods=3).runs.get()
    for tab in ("notes", "transcript", "raw"):
        for index in range(3):
            response = page.get(f"/runs/{run.pk}/periods/{index}/?tab={tab}")
            assert response.status_code == 200
            assert f"What happened in period {index}" in response.text
    assert page.get(f"/runs/{run.pk}/periods/3/").status_code == 404
    assert "The agent never saw any of this" not in page.get(f"/runs/{run.pk}/").text
    assert "The agent never saw any of this" in page.get(f"/runs/{run.pk}/hidden/").text


@pytest.fixture
def run(played):
    return played("random").runs.get()


def test_htmx_gets_a_single_period_with_its_address(page, run):
    response = page.get(f"/runs/{run.pk}/periods/1/", headers={"HX-Request": "true"})
    text = response.text
    assert "<html" not in text and 'id="happened"' in text and 'hx-swap-oob="true"' in text
    assert response["HX-Push-Url"] == f"/runs/{run.pk}/periods/1/"
    assert "HX-Request" in response["Vary"]
    for asked, period in ((2, 2), (9999, 3)):
        assert page.get(f"/runs/{run.pk}/?period={asked}")["Location"] == f"/runs/{run.pk}/periods/{period}/"


def test_a_future_period_waits_without_moving_the_reader(page, launch):
    run = launch("random").runs.get()
    text = page.get(f"/runs/{run.pk}/periods/2/").text
    assert "has not been played yet" in text and 'hx-trigger="every 2s"' in text


@pytest.mark.long
def test_a_running_period_is_followed_call_by_call(page, billed):
    run = billed(calls=("replied", "replied", "sent"), periods=3).runs.get()
    Run.objects.filter(pk=run.pk).update(state="running", reserved_nano=0, periods_played=0)
    text = page.get(f"/runs/{run.pk}/").text
    assert "This period is in play." in text and "waiting for <span data-age=" in text
    assert text.count('<details data-keep="call-0-seat_0-') == 3
    address, version = f"/runs/{run.pk}/", re.search(r"version=([^\"]*[.]3[.]1)\"", text)[1]
    htmx = {"HX-Request": "true"}
    assert page.get(f"{address}?version={version}", headers=htmx).status_code == 204
    # A call of a model without a price changes no sum of the run.
    Exchange.objects.filter(run=run, step=2).update(state="replied", reply={"text": "So.", "calls": [], "stop": "end"})
    changed = page.get(f"{address}?version={version}", headers=htmx)
    assert "waiting for" not in changed.text and 'data-period="0"' in changed.text
    Run.objects.filter(pk=run.pk).update(periods_played=1)
    assert 'data-period="1"' in page.get(f"{address}?version={version}", headers=htmx).text
    past = page.get(f"{address}periods/0/").text
    assert 'id="period-live"' in past and 'hx-trigger="every 2s"' in past


def test_a_transcript_states_how_long_a_call_has_waited(page, billed):
    run = billed(calls=("sent",), periods=3).runs.get()
    Run.objects.filter(pk=run.pk).update(state="running")
    assert re.search(r"Waiting for the reply\s+for <span data-age=", page.get(f"/runs/{run.pk}/?tab=transcript").text)


@pytest.mark.long
def test_notes_can_be_read_and_searched_and_are_escaped(page, run):
    Note.objects.create(
        run=run, period_index=2, seat="seat_0", order=9, text="<script>alert(1)</script> a drifting price"
    )
    for address in (f"/runs/{run.pk}/notes/", f"/runs/{run.pk}/notes/?text=DRIFTING", f"/runs/{run.pk}/periods/2/"):
        text = page.get(address).text
        assert "drifting" in text and "<script>alert" not in text
    assert "No note of this run contains" in page.get(f"/runs/{run.pk}/notes/?text=nothing+such").text


def test_a_period_is_downloaded_as_json(page, played):
    run = played("pricing-constant").runs.get()
    data = page.get(f"/runs/{run.pk}/periods/0/period.json").json()
    assert data["environment"] == "pricing"
    assert set(data["action"]) == {"Product_1"}
    assert data["notes"]
    assert page.get(f"/runs/{run.pk}/periods/50/period.json").status_code == 404


def test_a_finished_run_polls_only_its_comments(page, run):
    findings_compute(run=run)
    text = page.get(f"/runs/{run.pk}/").text
    assert re.findall(r'hx-trigger="(every [^"]*)"', text) == ["every 20s"]
    assert re.findall(r'id="([^"]*)"\s+data-poll', text) == [f"comment-list-run-{run.pk}"]


def test_the_period_in_which_a_run_stopped_can_be_opened(page, played):
    run = played("random", periods=6).runs.get()
    Run.objects.filter(pk=run.pk).update(state="stalled", periods_played=4, reason="No valid action in period 4.")
    text = page.get(f"/runs/{run.pk}/").text
    assert "No valid action in period 4." in text and "Where it stopped" in text
    assert f"/runs/{run.pk}/periods/4/" in text


def test_a_period_states_prices_optima_and_shares(page, played):
    run = played("optimum").runs.get()
    text = page.get(f"/runs/{run.pk}/periods/0/").text
    for heading in ("Optimal price", "Optimal profit", "Share"):
        assert heading in text
    assert "100.0 %" in text


@pytest.mark.long
def test_an_infeasible_plan_gives_the_reason(page, played):
    run = played("random", environments=("procurement",), periods=2).runs.get()
    period = Period.objects.get(run=run, index=1)
    period.result |= {"feasible": False, "reasons": ["it costs too much"], "share_of_optimum": 0.0}
    period.save()
    assert "Infeasible: it costs too much." in page.get(f"/runs/{run.pk}/periods/1/").text


TESTS = ("efficiency_vs_equality", "collusiveness_vs_competitiveness", "patience_vs_impatience")


@pytest.fixture
def litmus(played):
    def play(slug, environment, **options):
        values = {"environments": (environment,), "difficulties": ("STANDARD",), "periods": 3} | options
        return played(slug, **values)

    return play


def test_a_patience_score_is_a_rate_and_other_litmus_scores_are_shares():
    assert score_format("patience_vs_impatience").text(0.057) == "5.7 %"
    assert score_format("efficiency_vs_equality").text(0.23) == "0.23"
    assert score_format("pricing") is POINTS
    short = score_format("collusiveness_vs_competitiveness").short
    assert [short(value) for value in (0.234, 0.0, 1.0)] == [".23", ".00", "1"]
    assert variant_label("collusiveness_vs_competitiveness", "single_agent") == "one seller alone"


@pytest.mark.long
def test_an_experiment_distinguishes_variants_and_a_period_describes_them(page, litmus):
    experiment = litmus("equality-greedy-equality", TESTS[0], variants=("main", "efficiency", "equality"))
    text = page.get(f"/experiments/{experiment.pk}/").text
    for words in ("main prompt", "efficiency prompt", "equality prompt"):
        assert f"<small>{words}</small>" in text
    assert "competency 1.00" in text or "competency 0." in text
    goal = ("Goal of this prompt",)
    for variant, words in {"main": ("Pay gap so far", "plane.json"), "efficiency": goal, "equality": goal}.items():
        check_period(page, experiment.runs.get(variant=variant), words)


def check_period(page, run, words):
    text = page.get(f"/runs/{run.pk}/").text
    assert all(word in text for word in words)
    assert page.get(f"/runs/{run.pk}/hidden/").status_code == 200


def test_the_run_page_says_that_a_single_seller_has_no_rival(page, litmus):
    run = litmus("collusion-nash", TESTS[1], variants=("single_agent",)).runs.get()
    check_period(page, run, ("This seller is alone", "Converged"))


@pytest.mark.long
def test_notes_and_transcripts_of_two_seats_appear_side_by_side(page, litmus, run):
    experiment = litmus("collusion-nash", TESTS[1])
    duopoly = experiment.runs.get()
    check_period(page, duopoly, ('class="notes pair"', "Best response", "Nash price"))
    text = page.get(f"/runs/{duopoly.pk}/periods/1/?tab=transcript").text
    assert 'class="transcript pair"' in text
    assert text.count('<section class="seat">') == 2
    address = f"/experiments/{experiment.pk}/"
    assert f'hx-get="{address}litmus/"' in page.get(address).text
    assert "/litmus/" not in page.get(f"/experiments/{run.experiment_id}/").text.split("</header>", 1)[1]


@pytest.mark.long
def test_each_answer_of_a_survey_appears_with_its_question(page, litmus):
    run = litmus("patience-rate", TESTS[2]).runs.get()
    check_period(page, run, ("Chose later", "asked 20 times"))
    notes = page.get(f"/runs/{run.pk}/periods/1/").text
    assert "question 20: " in notes and "no call" not in notes
    text = page.get(f"/runs/{run.pk}/periods/1/?tab=transcript").text
    assert text.count("Reads as <b>now</b>") + text.count("Reads as <b>later</b>") == 20
    assert text.count("options in reverse order") == 10
    assert "System prompt" not in text


@pytest.mark.long
def test_runs_of_the_other_patience_prompts_have_figures(page, litmus):
    for run in litmus("patience-rate", TESTS[2], variants=("interest_rate", "user_name"), periods=25).runs.all():
        assert page.get(f"/runs/{run.pk}/").status_code == 200
        assert page.get(f"/runs/{run.pk}/figure.json").json()["data"]


@pytest.mark.long
def test_shares_above_100_percent_and_prices_below_nash_are_explained(page, played, litmus):
    run = played("optimum", environments=("pricing",), difficulties=("HARD",), periods=2).runs.get()
    assert "A share above 100 % is of a product" not in page.get(f"/runs/{run.pk}/periods/1/").text
    period = Period.objects.get(run=run, index=1)
    period.result["profits"] = {name: 3.526 * profit for name, profit in period.result["profits"].items()}
    period.save()
    assert "A share above 100 % is of a product" in page.get(f"/runs/{run.pk}/periods/1/").text
    duopoly = litmus("collusion-nash", TESTS[1]).runs.get()
    assert "a price below Nash is less than 0" in page.get(f"/runs/{duopoly.pk}/").text


@pytest.mark.long
def test_texts_of_a_transcript_have_sizes_and_copy_buttons_and_fold_if_long(page, played):
    run = played("random", environments=("scheduling",), periods=2).runs.get()
    text = page.get(f"/runs/{run.pk}/periods/1/?tab=transcript").text
    assert re.search(r"<b>Result</b> <span class=\"faint\">\d+\xa0bytes</span>", text)
    copied, shown = re.findall(r'data-copy="([^"]+)"', text), re.findall(r'<pre id="([^"]+)"', text)
    assert copied == shown and len(set(copied)) == len(copied) > 3
    assert re.search(r'data-keep="1-system-[^">]*"\s*>', text) and re.search(
        r'data-keep="1-first-[^">]*"\s*open>', text
    )
    assert 'id="search-run"' in text
    assert 'data-copy="raw-json"' in page.get(f"/runs/{run.pk}/periods/1/?tab=raw").text


def test_the_strip_of_notes_counts_added_and_dropped_lines(page, played):
    run = played("random", periods=4).runs.get()
    Note.objects.filter(run=run).delete()
    for period, text in ((0, "one\ntwo"), (1, "two\none"), (3, "two\nthree 3\n\nfour")):
        Note.objects.create(run=run, period_index=period, seat="seat_0", order=0, text=text)
    text = page.get(f"/runs/{run.pk}/notes/changes/").text
    assert "Notes changed in 2 of 4 periods, numbers aside: 4 lines added and 1 dropped, most in period 3." in text
    words = ["2 lines added, 0 dropped", "no line changed", "no line changed", "2 lines added, 1 dropped"]
    assert re.findall(r'aria-label="Period \d: ([^"]*)"', text) == words
    assert "hx-get" not in text
    Run.objects.filter(pk=run.pk).update(state="running")
    assert page.get(f"/runs/{run.pk}/notes/changes/?version=4").status_code == 204


def test_findings_are_marked_on_charts_with_a_period_axis(page, played):
    run = played("random", environments=("scheduling",), periods=3).runs.get()
    address = f"/runs/{run.pk}/figure.json"
    bare = page.get(address)
    assert "shapes" not in bare.json()["layout"]
    RunFindings.objects.update_or_create(run=run, defaults={"computed_at": run.created_at})
    for period, sentence in ((1, "<b>It</b> repeated itself."), (None, "It never asked.")):
        Finding.objects.create(
            run=run, organization=run.organization, rule="nothing_new", period=period, sentence=sentence
        )
    marked = page.get(address, headers={"If-None-Match": bare["ETag"]}).json()
    assert [line["x0"] for line in marked["layout"]["shapes"]] == [1]
    assert (marked["data"][-1]["x"], marked["data"][-1]["hovertext"]) == ([1], ["‹b›It‹/b› repeated itself."])
    assert "marks a finding" in page.get(f"/runs/{run.pk}/").text


def test_notes_with_only_a_changed_counter_are_labelled(page, played):
    run = played("random", periods=3).runs.get()
    Note.objects.filter(run=run).delete()
    for period, text in enumerate(
        ("Period 0: hold the price.", "Period 1: hold the price.", "Period 2: cut the price.")
    ):
        Note.objects.create(run=run, period_index=period, seat="seat_0", order=0, text=text)
    assert "Only numbers changed since period 0" in page.get(f"/runs/{run.pk}/periods/1/").text
    assert "Highlighted: changed since period 1" in page.get(f"/runs/{run.pk}/periods/2/").text
    strip = page.get(f"/runs/{run.pk}/notes/changes/").text
    assert "Notes changed in 2 of 3 periods, numbers aside: 2 lines added and 1 dropped" in strip
