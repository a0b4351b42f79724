"""Runs of earlier versions are marked if their replies show no thinking although an effort was set."""

from runs.conditions import conditions_key, difference, merged
from runs.models import Run
from runs.selectors.conditions import conditions_notes, conditions_words
from workspace.transfer.writing.records import period_records

NOTE = "Its replies show no thinking although effort medium was set, so the effort was probably dropped."
MARKED = {"seat_0": {"dropped_effort": "medium"}}


def test_pages_and_exports_name_the_mark(launch, agent, page):
    agent("gpt-5")
    launch("gpt-5")
    Run.objects.update(conditions=MARKED, conditions_key=conditions_key(MARKED))
    run = Run.objects.get()
    assert conditions_notes(run) == [NOTE] and conditions_words(run) == "effort medium probably dropped"
    assert difference(run.conditions_key, "") == "effort medium was probably dropped"
    assert difference("", run.conditions_key) == "effort medium was probably dropped in its other runs"
    assert NOTE in page.get(f"/runs/{run.pk}/").text
    assert next(period_records(Run.objects.all()))["conditions"] == f"effort medium probably dropped; {NOTE}"


def test_a_marked_run_keeps_its_mark_when_it_continues():
    going_on = merged(MARKED, {"seat_0": {"wire": "chat", "model": "gpt-5"}})
    assert going_on["seat_0"]["dropped_effort"] == "medium"
    assert conditions_key(going_on) != conditions_key({"seat_0": {"wire": "chat", "model": "gpt-5"}})
