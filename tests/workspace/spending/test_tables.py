"""Spending by member, agent, experiment and day equals the sums of the calls; tables are sorted, paged and exported."""

import csv
import io
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership, User
from runs.models import Agent, Exchange, Experiment, MonthlySpend, Run
from runs.models.records import WASTE
from tests.queries import SIGNED_IN, queries_of
from workspace.spending.selectors.breakdown import breakdown, days_spent
from workspace.spending.selectors.months import Spent

MAY = date(2026, 5, 1)


def lines_of(page, month):
    response = page.get("/spend/spend.csv", {"month": month})
    assert response["Content-Disposition"] == f'attachment; filename="spend-{month}.csv"'
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


@pytest.fixture
def may(launch):
    """Calls of May 2026 and around it: in runs of one day, over midnight, over both ends of the month, and of two models."""
    minute, hour = timedelta(minutes=1), timedelta(hours=1)
    played = [
        ((5, 3, 10), minute),
        ((5, 3, 23, 55), minute),
        ((4, 30, 23, 50), 2 * minute),
        ((5, 31, 23, 50), 2 * minute),
        ((5, 5, 0, 0, 10), minute),
        ((5, 20, 8), 20 * hour),
        ((4, 2, 8), hour),
        ((5, 9, 12), minute),
    ]
    experiment = launch("gpt-5", "gpt-4o", seeds=tuple(range(4)))
    duel = launch("gpt-5", environments=("collusiveness_vs_competitiveness",), difficulties=("STANDARD",))
    Run.objects.filter(experiment=duel).update(rival=Agent.objects.get(slug="gpt-4o"))
    runs = [*experiment.runs.order_by("id")[: len(played) - 1], *duel.runs.all()]
    states = ("replied", "replied", "failed", "lost", "late", "replied", "unknown", "replied")
    calls = []
    for run, (moment, step) in zip(runs, played, strict=True):
        first = datetime(2026, *moment, tzinfo=UTC)
        own = [call_of(run, place, state, first + place * step) for place, state in enumerate(states)]
        Exchange.objects.bulk_create(own)
        calls += own
        Run.objects.filter(pk=run.pk).update(
            cost_nano=sum(call.cost_nano for call in own),
            queries=states.count("replied"),
            created_at=first - timedelta(days=1),
            started_at=first,
            progressed_at=own[-1].created_at + timedelta(seconds=20),
        )
    return calls


def test_the_rest_of_a_budget_is_never_negative_and_0_without_a_budget():
    spent = Spent(MAY, cost_nano=30, reserved_nano=20, budget_nano=100)
    assert (spent.percent, spent.percent_words, spent.left_nano) == (30, "30 %", 50)
    over = Spent(MAY, cost_nano=90, reserved_nano=20, budget_nano=100)
    assert (over.percent, over.left_nano) == (90, 0)
    free = Spent(MAY, cost_nano=30)
    assert (free.percent, free.left_nano) == (0, 0)


def call_of(run, place, state, at):
    cost = 0 if state == "failed" else 1_000_000_000 + 7 * place
    seat = f"seat_{place % 2}" if run.rival_id else "seat_0"
    values = {"period_index": 0, "attempt": 0, "step": place, "fence": 1, "cost_nano": cost, "created_at": at}
    return Exchange(run=run, agent=run.agent_in(seat), seat=seat, state=state, **values)


def summed(calls, key):
    """(calls, cost, waste) of the calls of May by a key."""
    groups = defaultdict(list)
    for call in calls:
        if call.created_at.month == MAY.month:
            groups[key(call)].append(call)
    return {
        name: (len(own), sum(c.cost_nano for c in own), sum(c.cost_nano for c in own if c.state in WASTE))
        for name, own in groups.items()
    }


def agent_of(call):
    return Run.objects.select_related("agent", "rival").get(pk=call.run_id).agent_in(call.seat).slug


@pytest.mark.long
def test_sums_of_agents_experiments_and_days_equal_the_calls_of_the_month(may, organization, monkeypatch):
    # The calls of the runs are read by the runs' ids, or by the organization.
    for few in (500, 0):
        monkeypatch.setattr("workspace.spending.selectors.breakdown.FEW_RUNS", few)
        found = breakdown(organization=organization, whole=Spent(MAY))
        agents, experiments = ({row.key: (row.calls, row.cost, row.waste) for row in rows} for rows in found)
        assert agents == summed(may, agent_of)
        assert experiments == summed(may, lambda call: call.run.experiment_id)
        days = days_spent(organization=organization, month=MAY)
        spent = {row.day: (row.calls, row.cost, row.waste) for row in days if row.calls}
        assert spent == summed(may, lambda call: call.created_at.date()) and len(days) == 31


def test_games_of_people_and_outside_agents_do_not_count_as_paid_calls(organization, may):
    before, _ = breakdown(organization=organization, whole=Spent(MAY))
    person = Agent.objects.create(organization=organization, slug="person", name="Person", player_class="human")
    Run.objects.filter(pk=may[0].run_id).update(agent=person)
    after, _ = breakdown(organization=organization, whole=Spent(MAY))
    assert sorted(row.key for row in after) == ["gpt-4o", "gpt-5"]
    assert sum(row.calls for row in before) - sum(row.calls for row in after) == 8


@pytest.mark.long
def test_the_page_and_the_chart_take_a_fixed_number_of_queries(page, billed):
    billed("gpt-5")
    few = queries_of(page, "/spend/"), queries_of(page, "/spend/figure.json")
    for seed in range(5):
        billed("gpt-5", "gpt-4o", seeds=(seed, seed + 10))
    assert (queries_of(page, "/spend/"), queries_of(page, "/spend/figure.json")) == few
    assert few[0] <= SIGNED_IN + 11 and few[1] <= SIGNED_IN - 1 + 4
    with CaptureQueriesContext(connection) as queries:
        b"".join(page.get("/spend/spend.csv").streaming_content)
    assert len(queries) <= SIGNED_IN - 1 + 12


def test_the_header_and_the_chart_separate_waste(page, billed):
    experiment = billed("gpt-5")
    response = page.get("/spend/")
    assert 0 < response.context["waste"] < response.context["whole"].cost_nano
    text = response.text
    assert "of it waste" in text and 'data-figure="/spend/figure.json?month=' in text
    figure = page.get("/spend/figure.json").json()
    steps, waste = figure["data"]
    assert (steps["name"], waste["name"]) == ("steps of runs", "waste")
    assert sum(steps["y"]) + sum(waste["y"]) == pytest.approx(experiment.cost_nano / 1e9)
    assert sum(waste["y"]) > 0
    assert "of which" in figure["layout"]["meta"]["description"]
    empty = page.get("/spend/figure.json", {"month": "2020-01"}).json()
    assert empty["data"] == [] and "Nothing was spent" in empty["layout"]["meta"]["description"]


@pytest.mark.long
def test_tables_of_members_and_agents_are_sorted_and_paged_separately(page, organization, billed):
    people = User.objects.bulk_create(User(username=f"member {n:02}", email=f"m{n}@example.org") for n in range(30))
    Membership.objects.bulk_create(Membership(organization=organization, user=u, role="viewer") for u in people)
    billed("gpt-5"), billed("gpt-4o", "gpt-5", seeds=(3,))
    context = page.get("/spend/", {"members_sort": "name", "members": "2", "agents_sort": "name"}).context
    assert [row.name for row in context["members"]] == [f"member {n:02}" for n in range(24, 30)]
    assert [row.name for row in context["agents"]] == ["GPT-4o", "GPT-5"]
    context = page.get("/spend/", {"agents_sort": "-name"}).context
    assert [row.name for row in context["agents"]] == ["GPT-5", "GPT-4o"]
    assert context["members"].object_list[0].name == "alice"
    text = page.get("/spend/", {"members": "2", "sort": "name"}).text
    assert "26–31 of 31" in text and "members_sort=name#members" in text
    assert "members=2&amp;" not in text.split("members_sort=")[0].rsplit('href="', 1)[1]
    for nonsense in ("?members=x&agents=-1", "?members_sort=x&agents_sort=%00", "?agents=99999999999999"):
        assert page.get("/spend/" + nonsense).status_code == 200


@pytest.mark.long
def test_the_csv_states_the_month_in_exact_dollars(page, may, organization, alice):
    total = sum(cost for _, cost, _ in summed(may, agent_of).values())
    month = {"organization": organization, "month": MAY, "cost_nano": total, "budget_nano": 100 * 10**9}
    MonthlySpend.objects.create(**month), MonthlySpend.objects.create(**month, user=alice)
    lines = lines_of(page, "2026-05")
    by = Counter()
    for line in lines:
        by[line["by"]] += int(Decimal(line["booked_usd"]) * 10**9)
    assert by == {"organization": total, "member": total, "agent": total, "experiment": total, "day": total}
    assert lines[0]["budget_usd"] == "100.000000000" and lines[0]["name"] == "Market Lab"


def test_names_in_the_csv_are_not_formulas(page, billed):
    billed("gpt-5")
    Experiment.objects.update(name='=HYPERLINK("https://evil.example")')
    names = [line["name"] for line in lines_of(page, f"{datetime.now(UTC):%Y-%m}") if line["by"] == "experiment"]
    assert names == ['\'=HYPERLINK("https://evil.example")']


def test_sums_exclude_other_organizations(stranger, billed):
    billed("gpt-5")
    context = stranger.get("/spend/").context
    assert context["agents"].object_list == [] and context["whole"].cost_nano == 0
    assert stranger.get("/spend/figure.json").json()["data"] == []
    assert {line["booked_usd"] for line in lines_of(stranger, f"{datetime.now(UTC):%Y-%m}")} == {"0.000000000"}
