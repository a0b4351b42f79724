"""The home page: first steps that are ticked by what happened, and one leaderboard."""

import pytest

from analysis.base.benchmark_filters import TableFilter
from analysis.saved.services import leaderboard_create, leaderboard_pin
from runs.findings.models import Finding, RunFindings
from tests.visitors import signed_in

DONE = '<span class="tag">done</span>'


def test_the_first_run_opens_at_the_period_that_tells_most(page, painted, organization):
    plain = painted("random", seeds=(0, 1), states=("finished",))
    run = plain.runs.order_by("id").first()
    changes = [{"kind": "price", "period": period, "seat": "", "size": size, "sentence": "It changed."}
               for period, size in ((3, 2.0), (2, 9.0))]  # fmt: skip
    RunFindings.objects.create(run=run, rules_version=1, changes=changes)
    assert f'href="/runs/{plain.runs.order_by("id").last().pk}/">Open a finished run' in page.get("/").text
    Finding.objects.create(organization=organization, run=run, rule="profit_fell", period=1, sentence="It fell.")
    assert f'href="/runs/{run.pk}/periods/2/">Open a finished run' in page.get("/").text


def test_a_step_is_ticked_when_it_happened_and_the_panel_goes_with_the_last(page, painted, launch, join):
    assert DONE not in page.get("/").text
    run = painted("random", states=("finished",)).runs.get()
    run.experiment.created_by = None
    run.experiment.save()
    page.get(f"/runs/{run.pk}/")
    assert page.get("/").text.count(DONE) == 1
    launched = launch("gpt-5")
    assert page.get("/").text.count(DONE) == 2
    launched.runs.update(queries=1)
    assert "First steps" not in page.get("/").text
    assert "First steps" in signed_in(join("bob", "editor").user).get("/").text, "another person has not begun"


@pytest.mark.long
def test_home_has_one_leaderboard_of_eight_rows_with_published_models(page, painted, organization, alice):
    painted("random", states=("finished",))
    text = page.get("/leaderboards/pinned/").text
    assert text.count("<table") == 1 and text.count('<th scope="row"') == 8
    assert ">published</span>" in text
    for name in ("First board", "Second board"):
        saved = leaderboard_create(
            organization=organization, user=alice, kind="benchmark", name=name, filters=TableFilter()
        )
        leaderboard_pin(leaderboard=saved, pinned=True)
    text = page.get("/leaderboards/pinned/").text
    assert text.count("<table") == 1 and text.index("First board") < text.index("Also pinned:") < text.index(
        "Second board"
    )
