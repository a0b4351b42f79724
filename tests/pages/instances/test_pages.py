"""The list, an instance, previews and the designer: content, refusals and secrets."""

import json
from html import unescape

import pytest

from environments.base import Instance as Problem
from environments.generation import GENERATORS
from environments.registry import ENVIRONMENTS, generate
from runs.models import Design, Instance, Run
from tests.cast import play_all
from tests.layout import check_markup

SEALED = "This instance is sealed until its season ends."


@pytest.fixture
def sealed(launch):
    """An instance of a ranked episode of an open season, with a finished run on it."""
    run = launch("random", seeds=(7,)).runs.get()
    Run.objects.filter(pk=run.pk).update(state="finished", score=0.987654)
    Instance.objects.filter(pk=run.instance_id).update(
        content_hash=f"sealed:{'ab' * 28}", parameters={}, hidden={}, reference={}, settings={}, seed=7
    )
    return Instance.objects.get(pk=run.instance_id)


@pytest.mark.long
def test_the_list_counts_runs_and_shows_the_best_score_of_benchmarks(played, page):
    played("random", "optimum", seeds=(0, 1))
    played("optimum", environments=("efficiency_vs_equality",), difficulties=("STANDARD",), periods=None)
    text = page.get("/instances/").text
    check_markup(text)
    assert text.count("<tr>") == 4 and "Efficiency or equality" in text and "STANDARD</a>" not in text
    rows = text.partition("<tbody>")[2].split("</tr>")
    assert "seed 1" in rows[1] and "100.0" in rows[1] and "Runs </span>2" in rows[1]
    assert "–" in rows[0] and "1.00" not in rows[0], "no litmus score is better than another"


@pytest.mark.long
def test_the_list_is_filtered_sorted_and_paged_by_its_address(launch, page):
    launch("random", seeds=tuple(range(60)))
    launch("random", environments=("scheduling",), difficulties=("HARD",), seeds=(3, 4), generator="paper_text")

    def shown(query):
        text = page.get(f"/instances/?{query}").text
        return text.count('<th scope="row">'), text

    assert shown("")[0] == 50 and "1–50 of 62" in shown("")[1]
    assert shown("page=2")[0] == 12
    assert shown("environment=scheduling")[0] == shown("difficulty=HARD")[0] == shown("generator=paper_text")[0] == 2
    assert shown("text=scheduling+4")[0] == 1 and "61 of" not in shown("text=scheduling+4")[1]
    count, text = shown("text=zebra")
    assert count == 0 and "No instance matches" in text and "Show all 62" in text
    first = lambda query: unescape(shown(query)[1].partition("<tbody>")[2].partition("</th>")[0])  # noqa: E731
    assert "seed 59" in first("environment=pricing&sort=-instance") and "seed 0" in first("sort=instance")
    for sort in ("runs", "-runs", "best", "-best", "number", "-number", "nonsense"):
        assert shown(f"sort={sort}")[0] == 50


def test_an_empty_organization_reads_what_to_do(page, viewer):
    assert "No instance was played here yet." in page.get("/instances/").text
    assert "Launch an experiment" not in viewer.get("/instances/").text.partition("<main")[2]
    assert "No designs yet." in page.get("/instances/designs/").text


@pytest.mark.long
def test_an_instance_page_shows_visible_and_hidden_values_and_every_run(played, page):
    run = played("random", environments=("procurement",)).runs.get()
    text = page.get(f"/instances/{run.instance_id}/").text
    check_markup(text)
    assert "Procurement BASIC, seed 0" in text and "drawn as in the published experiments" in text
    hidden, learnt = text.partition("What the agent may learn")[::2]
    assert "Hidden parameters and optimum" in hidden and "A1: 1, A2: 2, A3: 1, A4: 2" in hidden
    assert "Proven: no plan within the budget does better." in hidden and "82.31" in hidden and "HiGHS" in hidden
    assert "$110.06" in learnt and "two-part tariff" in learnt
    assert f'href="/runs/{run.pk}/"' in learnt and 'href="/methodology/benchmarks/#optimum-of-procurement"' in hidden
    assert f'href="/instances/{run.instance_id}/"' in page.get(f"/runs/{run.pk}/").text


@pytest.mark.long
def test_an_uncomputed_costly_optimum_is_displayed_as_missing(launch, page):
    for name, words in (("procurement", "Optimum"), ("efficiency_vs_equality", "Frontier")):
        difficulty = next(iter(("BASIC",) if name == "procurement" else ("STANDARD",)))
        run = launch("random" if name == "procurement" else "optimum", environments=(name,),
                     difficulties=(difficulty,), periods=None).runs.get()  # fmt: skip
        text = page.get(f"/instances/{run.instance_id}/").text
        assert "Not computed yet." in text and words in text
        assert page.get(f"/instances/{run.instance_id}/figure.json").json()["data"]
    row = Instance.objects.filter(reference=None).values_list("parameters", flat=True)
    assert row.count() == 2, "reading a page computes and stores nothing"


def test_the_file_of_an_instance_contains_the_instance(played, page, viewer, stranger):
    run = played("random").runs.get()
    answer = viewer.get(f"/instances/{run.instance_id}/instance.json")
    assert 'filename="pricing-basic-0.json"' in answer["Content-Disposition"]
    assert Problem(**answer.json()) == generate("pricing", "BASIC", 0)
    previewed = viewer.get("/instances/preview/instance.json?environment=pricing&difficulty=BASIC&seed=0")
    assert previewed.json() == answer.json()
    assert stranger.get(f"/instances/{run.instance_id}/instance.json").status_code == 404


@pytest.mark.long
def test_a_sealed_instance_reveals_only_that_it_is_sealed(sealed, page):
    assert sealed.is_sealed
    text = page.get(f"/instances/{sealed.pk}/").text
    assert SEALED in text and "Pricing" not in text.partition("<main")[2] and "98.8" not in text
    for part in ("figure.json", "instance.json"):
        answer = page.get(f"/instances/{sealed.pk}/{part}")
        assert answer.status_code == 403 and SEALED in answer.text
    for query in ("", "?sort=-best", "?sort=-runs", "?text=pricing"):
        listed = page.get(f"/instances/{query}").text
        row = listed.partition("<tbody>")[2].partition("</tr>")[0]
        assert SEALED in row and "98.8" not in row and "seed" not in row and "abab" not in listed
    assert SEALED not in page.get("/instances/?text=7").text, "its seed cannot be searched for"


def test_an_open_instance_is_not_sealed_in_any_state(launch, played):
    assert not played("random").runs.get().instance.is_sealed
    assert not launch("random", seeds=(5,)).runs.get().instance.is_sealed


def test_the_api_refuses_a_sealed_instance_even_to_its_owner(sealed, owner):
    from datetime import timedelta

    from django.test import Client
    from django.utils import timezone

    from api.services import personal_token_create

    expires = timezone.now() + timedelta(days=1)
    _, token = personal_token_create(actor=owner, name="reads", scopes=["read"], expires_at=expires)
    answer = Client().get(f"/api/v1/instances/{sealed.pk}", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403 and answer.json()["error"] == {"code": "sealed", "message": SEALED, "fields": {}}


@pytest.mark.sampled
@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_instance_can_be_previewed_without_storing_it(name, generator, viewer):
    query = f"environment={name}&seed=11&generator={generator}"
    text = viewer.get(f"/instances/preview/?{query}").text
    check_markup(text)
    assert f"{ENVIRONMENTS[name].title} {'STANDARD' if ENVIRONMENTS[name].litmus else 'BASIC'}, seed 11" in text
    assert "Hidden parameters and optimum" in text and "What the agent may learn" in text
    assert viewer.get(f"/instances/preview/figure.json?{query}").json()["data"]
    assert not Instance.objects.exists()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("environment=pricing&seed=-1", "The seed must be a whole number from 0 to 4294967295."),
        ("environment=pricing&seed=4294967296", "The seed must be a whole number from 0 to 4294967295."),
        ("environment=pricing&seed=two", "The seed must be a whole number from 0 to 4294967295."),
        ("environment=pricing&difficulty=EASY", "There is no difficulty EASY; there are BASIC, MEDIUM, HARD."),
        ("environment=pricing&difficulty=CUSTOM%2BNONE", "There is no design CUSTOM+NONE of this environment here."),
        ("environment=pricing&generator=ranked", "There is no generator ranked."),
        ("difficulty=CUSTOM&environment=pricing&set_products=1000", "Products must be between 1 and 50."),
        (
            "difficulty=CUSTOM&environment=pricing&set_products=2&set_nests=3",
            "There cannot be more nests than products.",
        ),
        ("difficulty=CUSTOM&environment=pricing&set_products=", "Products is missing."),
        ("difficulty=CUSTOM&environment=pricing&set_sigma=inf", "Nesting σ must be a number."),
        ("difficulty=CUSTOM&environment=pricing&set_products=nan", "Products must be a number."),
    ],
)
def test_an_invalid_preview_is_explained_beside_the_field(page, query, sentence):
    answer = page.get(f"/instances/preview/?{query}")
    text = unescape(answer.text)
    assert answer.status_code == 200 and sentence in text and "There is no such instance." in text
    assert page.get(f"/instances/preview/figure.json?{query}").json()["data"] == []
    refused = page.get(f"/instances/preview/instance.json?{query}")
    assert refused.status_code == 422 and sentence in " ".join(refused.json()["errors"].values())


@pytest.mark.long
def test_an_unknown_environment_is_reported_and_hostile_values_escaped(page):
    for value in ("chess", "<script>alert(1)</script>", "", "\x00"):
        text = page.get("/instances/preview/", {"environment": value, "difficulty": value, "text": value}).text
        assert "<script>alert" not in text
    assert "There is no environment chess." in page.get("/instances/preview/?environment=chess").text
    assert "Pricing BASIC, seed 0" in page.get("/instances/preview/").text
    # The difficulty of the environment that was chosen before.
    changed = page.get("/instances/preview/?environment=patience_vs_impatience&difficulty=HARD").text
    assert "Patience versus impatience STANDARD, seed 0" in changed


@pytest.mark.long
def test_designs_of_other_organizations_give_404(design_of, other, page, stranger, viewer):
    theirs = design_of("Theirs", organization=other.organization)
    for part in ("", "design.json", "edit/", "measure/live/", "measured.json"):
        assert page.get(f"/instances/designs/{theirs.pk}/{part}").status_code == 404
        assert stranger.get(f"/instances/designs/{theirs.pk}/{part}").status_code == 200
    assert "Theirs" not in page.get("/instances/designs/?which=all").text
    query = "environment=pricing&difficulty=CUSTOM%2BTHEIRS"
    assert "There is no design CUSTOM+THEIRS" in page.get(f"/instances/preview/?{query}").text
    assert page.get(f"/instances/designs/new/?from={theirs.pk}").status_code == 404
    assert page.get(f"/experiments/new/?design={theirs.pk}").status_code == 404


@pytest.mark.long
def test_a_viewer_can_read_but_not_change_designs(design_of, viewer):
    design = design_of()
    text = viewer.get(f"/instances/designs/{design.pk}/").text
    check_markup(text)
    assert "CUSTOM+TWO-PRODUCTS" in text and "Measure its difficulty" not in text and "Launch</a>" not in text
    assert "New design" not in viewer.get("/instances/designs/").text
    for address in ("new/", f"{design.pk}/edit/", "preview/"):
        assert viewer.get(f"/instances/designs/{address}").status_code == 403
    for action in ("archive", "delete", "measure", "measure/cancel", "edit"):
        assert viewer.post(f"/instances/designs/{design.pk}/{action}/").status_code == 403
    assert Design.objects.get().archived_at is None


FORM = {"environment": "pricing", "set_products": "4", "set_nests": "2", "seed": "0", "generator": "published"}


@pytest.mark.long
def test_the_designer_saves_valid_forms_and_keeps_invalid_values(page, organization):
    for change, sentence in (
        ({"name": ""}, "Give the design a name."),
        ({"name": "x" * 61}, "A name has 1 to 60 characters."),
        ({"name": "Four", "set_nests": "3"}, "At most half as many nests as products"),
        ({"name": "Four", "set_products": "four"}, "Products must be a number."),
        ({"name": "Four", "set_nests": ""}, "Nests is missing."),
        ({"name": "Four", "seed": "-1"}, "The seed must be a whole number"),
    ):
        answer = page.post("/instances/designs/new/", FORM | change)
        assert answer.status_code == 422 and sentence in unescape(answer.text), change
        kept = (FORM | change)["name"]
        assert f'value="{kept}"' in answer.text or not kept
    assert not organization.designs.exists()
    saved = page.post("/instances/designs/new/", FORM | {"name": "Four", "set_sigma": "0.25"})
    design = organization.designs.get()
    assert saved["Location"] == f"/instances/designs/{design.pk}/"
    assert (design.environment, design.settings) == ("pricing", {"products": 4, "nests": 2, "sigma": 0.25})
    again = page.post("/instances/designs/new/", FORM | {"name": "four"})
    assert again.status_code == 422 and "Another design has this name" in again.text


@pytest.mark.long
def test_the_preview_of_the_designer_explains_errors_beside_each_field(page):
    right = page.get("/instances/designs/preview/", FORM).text
    assert "Hidden parameters and optimum" in right and "set_products=4" in right
    assert '<p class="error" id="design-set_nests_error" hx-swap-oob="true"></p>' in right
    wrong = page.get("/instances/designs/preview/", FORM | {"set_nests": "3", "name": ""}).text
    assert "These settings give no instance." in wrong
    assert 'id="design-set_nests_error" hx-swap-oob="true">At most half as many nests' in wrong
    assert "Give the design a name" not in wrong, "a name is needed when it is saved"
    huge = page.get("/instances/designs/preview/", FORM | {"set_products": "40"}).text
    assert "Baselines are measured up to 25" in huge


@pytest.mark.long
def test_an_instance_opens_in_the_designer_and_in_the_launch_form(page, played):
    run = played("random", difficulties=("HARD",), seeds=(9,)).runs.get()
    text = page.get(f"/instances/{run.instance_id}/").text
    assert "/instances/designs/new/?environment=pricing&amp;seed=9&amp;generator=published&amp;set_products=10" in text
    designer = page.get("/instances/designs/new/?environment=pricing&seed=9&set_products=10&set_nests=3").text
    assert 'name="set_products" value="10"' in designer and 'name="seed" value="9"' in designer
    form = page.get("/experiments/new/?environment=pricing&difficulty=HARD&seeds=9").text
    assert "environment=pricing&amp;difficulty=HARD&amp;seeds=9" in text and 'value="9"' in form


@pytest.mark.long
def test_a_design_is_changed_duplicated_archived_and_deleted_from_its_page(design_of, launched_on, page):
    design = design_of()
    address = f"/instances/designs/{design.pk}/"
    assert (
        "Change</a>" in page.get(address).text and "they can be changed until a run uses them" in page.get(address).text
    )
    page.post(f"{address}edit/", FORM | {"name": "Four"})
    assert Design.objects.get().settings == {"products": 4, "nests": 2}
    copy = page.get(f"/instances/designs/new/?from={design.pk}").text
    assert 'value="Four (copy)"' in copy and 'name="set_products" value="4"' in copy
    play_all(launched_on(Design.objects.get()))
    text = page.get(address).text
    assert "frozen, since runs use them" in text and "Archive</button>" in text and "Delete the design" not in text
    assert "Instances played here" in text and "difficulties=CUSTOM%2BFOUR" in text
    assert "no longer changes" in page.get(f"{address}edit/", follow=True).text
    assert page.post(f"{address}edit/", FORM | {"name": "Five"}).status_code == 422
    assert "so it stays" in page.post(f"{address}delete/", follow=True).text
    page.post(f"{address}archive/", {"archived": "1"})
    assert (
        "archived" in page.get(address).text
        and "No design matches" not in page.get("/instances/designs/?which=all").text
    )
    assert "Four" in page.get("/instances/designs/?which=archived").text
    assert "Four" not in page.get("/instances/designs/").text.partition("<tbody>")[2]
    page.post(f"{address}archive/")
    assert Design.objects.get().archived_at is None
    instance = page.get(f"/instances/{Instance.objects.get().pk}/").text
    assert f'<a href="{address}">Four</a>, own design, not the paper' in unescape(instance)


def test_the_file_of_a_design_works_for_api_and_commands(design_of, viewer, capsys):
    from django.core.management import call_command

    design = design_of(settings={"products": 3, "nests": 1, "sigma": 0.25})
    exported = viewer.get(f"/instances/designs/{design.pk}/design.json").json()
    assert exported == {
        "environment": "pricing", "difficulty": "CUSTOM+TWO-PRODUCTS", "name": "Two products",
        "settings": {"products": 3, "nests": 1, "sigma": 0.25},
    }  # fmt: skip
    options = [word for name, value in exported["settings"].items() for word in ("--set", f"{name}={value}")]
    call_command("instance", "pricing", exported["difficulty"], "--seed", "2", *options, "--json")
    printed = json.loads(capsys.readouterr().out)
    query = "environment=pricing&difficulty=CUSTOM%2BTWO-PRODUCTS&seed=2"
    assert printed == viewer.get(f"/instances/preview/instance.json?{query}").json()
