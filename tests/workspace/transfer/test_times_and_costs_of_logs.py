"""Times come from the log; missing times and costs are displayed as unknown, never as 0.0 s or $0.00."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from api.schemas.experiments import ExperimentOut
from api.schemas.runs import PeriodOut, RunOut
from pages.dashboard.selectors.runs.periods import period_json
from runs.selectors.progress import Progress
from runs.transcripts import period_transcripts
from tests.workspace.transfer.published_chats import Clock, stamp, write_chats
from tests.workspace.transfer.published_log import write_log
from tests.workspace.transfer.published_replies import call
from workspace.transfer.reading.times import between, moment

BEGUN = datetime(2025, 3, 1, 10, 0, 0, tzinfo=UTC)


def note_and_act(talk):
    return [[call("write_notes", notes="n")], [talk.action]][min(talk.query, 1)]


@pytest.fixture
def told(page):
    """The text of a page without marks, its white space joined."""

    def read(place):
        answer = page.get(place)
        assert answer.status_code == 200
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))

    return read


def seconds(run):
    return list(run.period_rows.values_list("seconds", flat=True))


def test_time_stamps_of_queries_give_times_of_run_periods_and_calls(imported, told, tmp_path):
    stamp(write_log(tmp_path, "scheduling"), Clock(step=4))
    run = imported()
    assert (run.started_at, run.ended_at) == (BEGUN, BEGUN + timedelta(seconds=24))
    assert seconds(run) == [8.0] * 3
    assert [p.created_at for p in run.period_rows.all()] == [BEGUN + timedelta(seconds=8 * n) for n in (1, 2, 3)]
    assert list(run.exchanges.values_list("seconds", flat=True)) == [4.0] * 6
    head = told(f"/runs/{run.pk}/")
    assert "played 1 Mar 2025, 10:00" in head and "took 24 s" in head
    assert "8 s ·" in head and "8.0 s" not in head


def test_the_two_sellers_of_a_period_share_its_time(imported, tmp_path):
    stamp(next(write_log(tmp_path, "collusiveness_vs_competitiveness").parent.iterdir()), Clock(step=1))
    assert seconds(imported()) == [4.0] * 3


def test_a_time_under_a_second_is_not_displayed_as_missing(imported, told, tmp_path):
    stamp(write_log(tmp_path, "scheduling"), Clock(step=0))
    run = imported()
    assert seconds(run) == [0.0] * 3
    assert "under 1 s ·" in told(f"/runs/{run.pk}/")


def test_a_clock_set_back_leaves_only_its_period_without_a_time(imported, tmp_path):
    class SetBack(Clock):
        def stamps(self):
            if self.now == datetime(2025, 3, 1, 10, 0, 12):
                self.now -= timedelta(hours=1)
            return super().stamps()

    stamp(write_log(tmp_path, "scheduling"), SetBack(step=4))
    run = imported()
    assert seconds(run) == [8.0, None, 8.0]
    assert (run.started_at, run.ended_at) == (BEGUN, None)


def test_older_logs_of_openai_contain_the_time_of_each_answer(imported, tmp_path):
    write_chats(tmp_path, "scheduling", "openai", note_and_act, created=1_740_823_200 - 3)
    run = imported()
    # Three seconds between answers: a period lasts until the first answer of the next; the last has no known end.
    assert seconds(run) == [6.0, None]
    assert (run.started_at, run.ended_at) == (BEGUN, BEGUN + timedelta(seconds=9))
    assert set(run.exchanges.values_list("seconds", flat=True)) == {None}


@pytest.mark.long
def test_data_missing_from_a_log_is_unknown_on_pages_api_and_download(imported, told, page):
    run = imported("scheduling")
    assert seconds(run) == [None] * 3
    assert (run.started_at, run.ended_at) == (BEGUN, None)  # by the name of the folder
    experiment = f"/experiments/{run.experiment_id}/"
    places = [f"/runs/{run.pk}/", f"/runs/{run.pk}/?tab=transcript", experiment, "/experiments/"]
    for place in places:
        text = told(place)
        assert not re.search(r"\b0\.0 s|took \d|\$0\.00", text.replace("$0.00 this month", "")), place
    assert "duration not known" in told(places[0])
    assert "Cost – not in the log" in told(places[0])
    for place, why in zip((places[0], *places[2:]), ("how long this took", *["what this cost"] * 2), strict=True):
        assert f'title="The log does not say {why}."' in page.get(place).text
    assert (RunOut.values(run)["cost_usd"], RunOut.values(run)["ended_at"]) == (None, None)
    assert ExperimentOut.values(run.experiment, Progress())["cost_usd"] is None
    period = PeriodOut.values(run.period_rows.first(), run)
    assert (period["cost_usd"], period["seconds"], period["played_at"]) == (None, None, None)
    kept = period_json(run, 0)
    assert (kept["cost_nano"], kept["seconds"], kept["played_at"]) == (None, None, None)
    assert {one.started_at for one in period_transcripts(run, 0)["seat_0"].exchanges} == {None}


@pytest.mark.long
def test_imported_runs_of_a_leaderboard_cell_have_no_cost(imported, page):
    imported("pricing")
    leaderboard = page.get("/leaderboard/?rows=own&rows=imported").text
    (place,) = set(re.findall(r'href="(/leaderboard/cell/[^"]+)"', leaderboard))
    assert 'title="The log does not say what this cost."' in page.get(unescape(place)).text


def test_times_are_parsed_with_and_without_a_zone_or_unknown():
    assert between(moment("2025-03-01T12:00:00+02:00"), moment("2025-03-01 10:00:05")) == 5
    assert between(None, BEGUN) is None
    days = ("2025-13-01 00:00:00", "0001-01-01 00:00:00+23:59", "9999-12-31 23:59:59")
    for text in ("", "yesterday", *days, "1" * 10_000, "nan"):
        assert moment(text) is None, text
