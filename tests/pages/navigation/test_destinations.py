"""The command palette lists what a member may see, and nothing of other organizations."""

import re

from runs.services.experiments import experiment_rename
from tests.queries import PARTIAL, queries_of
from tests.visitors import signed_in


def go_to(client, text=""):
    return client.get("/go/", {"q": text}, headers={"HX-Request": "true"}).text


def test_destinations_are_searched_by_words_of_their_name_and_runs_by_number(page, launch):
    experiment = launch("random")
    run = experiment.runs.get()
    assert f'href="/experiments/{experiment.pk}/"' in go_to(page, "basic PRICING")
    assert 'href="/agents/random/"' in go_to(page, "rando")
    assert f'href="/runs/{run.pk}/"' in go_to(page, str(run.pk))
    assert 'href="/docs/webhooks/"' in go_to(page, "webhooks")
    assert 'href="/trends/"' in go_to(page, "over time")
    assert re.findall(r'href="([^"]+)"', go_to(page, "agents"))[0] == "/agents/"
    assert 'href="/search/?q=100%25%20%26%20more"' in go_to(page, "100% & more")
    for odd in ("9" * 30, "²", "\x00zz", "<b>"):
        text = go_to(page, odd)
        assert "has this name" in text and "<b>" not in text


def test_several_words_find_in_any_order(page, launch):
    experiment = launch("random", "optimum")
    run = experiment.runs.get(agent__slug="random")
    for text, address in (
        ("compare agents", "/compare/"),
        ("agents compare", "/compare/"),
        ("time over scores", "/trends/"),
        ("budgets guide", "/docs/budgets/"),
        ("guide budgets", "/docs/budgets/"),
        ("agent random", "/agents/random/"),
        (f"{experiment.name.split()[-1]} experiment", f"/experiments/{experiment.pk}/"),
        (f"run {run.pk}", f"/runs/{run.pk}/"),
        ("pricing random", f"/runs/{run.pk}/"),
        ("basic random pricing", f"/runs/{run.pk}/"),
        (f"random {run.pk}", f"/runs/{run.pk}/"),
    ):
        assert f'href="{address}"' in go_to(page, text), text
    assert f"/runs/{run.pk}/" not in go_to(page, "optimum pricing")


def test_former_names_of_pages_find_them(page):
    for text, address in (
        ("leaderboard", "/leaderboard/"),
        ("litmus", "/litmus/"),
        ("spend", "/spend/"),
        ("ledger", "/ledger/"),
    ):
        assert f'href="{address}"' in go_to(page, text), text


def test_the_palette_lists_nothing_foreign_or_beyond_the_role(page, launch, other, join):
    experiment = launch("random")
    experiment_rename(experiment=experiment, name="Ours alone")
    run = experiment.runs.get()
    stranger = signed_in(other.user)
    assert "has this name" in go_to(stranger, "Ours alone") and f"/runs/{run.pk}/" not in go_to(stranger, str(run.pk))
    viewer = signed_in(join("victor", "viewer").user)
    for text in ("Audit log", "Launch an experiment"):
        assert "has this name" in go_to(viewer, text) and "has this name" not in go_to(page, text)
    assert '<input id="go-to-text"' in viewer.get("/go/?q=home").text


def test_the_palette_takes_two_queries_and_another_for_runs(page, launch):
    launch("random")
    header = {"HX-Request": "true"}
    assert queries_of(page, "/go/?q=random", **header) == PARTIAL + 2
    assert queries_of(page, "/go/?q=1", **header) == PARTIAL + 3
    assert queries_of(page, "/go/?q=random+pricing", **header) == PARTIAL + 3
