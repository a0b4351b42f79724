"""A design is validated, frozen once a run uses it, launched by name, and has a separate column on leaderboards."""

import re

import pytest
from django.core.exceptions import ValidationError

from environments.generation import is_design
from runs.launching.again import spec_as_command, spec_as_plan
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.request import read_launch, request_as_plan, written_launch
from runs.models import Design, Instance, Run
from runs.selectors.designs import played_designs
from runs.services.deletions import experiment_delete
from runs.services.designs import (
    FROZEN,
    IN_USE,
    TAKEN,
    design_archive,
    design_change,
    design_create,
    design_delete,
    slug_of,
)
from tests.cast import play_all


def refused(service, **values):
    with pytest.raises(ValidationError) as error:
        service(**values)
    return error.value.message_dict if hasattr(error.value, "error_dict") else error.value.messages


@pytest.mark.long
def test_a_design_has_an_uppercase_slug_and_valid_settings(design_of):
    design = design_of("Tight budget, 2 goods", settings={"nests": 1.0, "products": 2.0, "sigma": 0.5})
    assert (design.slug, design.difficulty) == ("TIGHT-BUDGET-2-GOODS", "CUSTOM+TIGHT-BUDGET-2-GOODS")
    assert is_design(design.difficulty)
    assert Design.objects.get().settings == {"products": 2, "nests": 1}, "without a setting at its usual value"
    assert list(design.ordered_settings) == ["products", "nests"]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("A  b", "A-B"),
        ("über_große Läden", "UBER-GROE-LADEN"),
        ("x" * 60, "X" * 40),
        ("a" * 39 + " b", "A" * 39),
        ("日本", "DESIGN-CF2ABF"),
        ("---", ""),
    ],
)
def test_slugs_contain_only_letters_and_digits(name, slug):
    assert slug_of(name) == slug


def test_invalid_names_settings_and_environments_get_a_sentence_each(organization, alice, design_of):
    create = {"service": design_create, "organization": organization, "user": alice}
    good = {"environment": "pricing", "name": "Good", "settings": {"products": 2, "nests": 1}}
    for change, field, words in (
        ({"name": " "}, "name", "1 to 60 characters"),
        ({"name": "n" * 61}, "name", "1 to 60 characters"),
        ({"name": "---"}, "name", "a letter or a digit"),
        ({"name": "a\nb\x00"}, "name", "1 to 60 characters"),
        ({"environment": "chess"}, "environment", "There is no environment 'chess'."),
        ({"settings": {"products": 2}}, "nests", "Nests is missing."),
        ({"settings": {"products": 2, "nests": 1, "luck": 1}}, "luck", "There is no setting called luck."),
        ({"settings": {"products": 2.5, "nests": 1}}, "products", "Products must be a whole number."),
        ({"settings": {"products": 99, "nests": 1}}, "products", "Products must be between 1 and 50."),
        ({"settings": {"products": 1, "nests": 2}}, "nests", "There cannot be more nests than products."),
    ):
        found = refused(**create, **good | change)
        assert list(found) == [field] and words in found[field][0], (change, found)
    both = refused(**create, **good | {"name": "", "settings": {"products": 2}})
    assert set(both) == {"name", "nests"}
    design_of("Good")
    for alike in ("good", "Good!", " GOOD "):
        assert refused(**create, **good | {"name": alike}) == {"name": [TAKEN]}
    assert Design.objects.count() == 1


def test_two_organizations_can_use_the_same_name(design_of, other):
    design_of("Good")
    assert design_of("Good", organization=other.organization).slug == "GOOD"


def test_a_design_is_frozen_once_a_run_uses_it(design_of, launched_on):
    design = design_of()
    design_change(design=design, name="Three products", settings={"products": 3, "nests": 1})
    assert Design.objects.get().difficulty == "CUSTOM+THREE-PRODUCTS"
    experiment = launched_on(design)
    assert refused(design_change, design=design, name="Four", settings={"products": 4, "nests": 1}) == [FROZEN]
    assert refused(design_delete, design=design) == [IN_USE]
    assert Design.objects.get().settings == {"products": 3, "nests": 1}
    experiment_delete(experiment=experiment)
    assert refused(design_delete, design=design) == [IN_USE], "the deletion can be undone"
    experiment.delete()
    design_change(design=design, name="Four", settings={"products": 4, "nests": 1})
    design_delete(design=design)
    assert not Design.objects.exists()


def test_launches_of_a_design_share_its_instance(design_of, launched_on):
    design = design_of(settings={"products": 2, "nests": 1, "market_size": 500})
    first, second = launched_on(design), launched_on(design, "pricing-constant", seeds=(0, 1))
    assert Instance.objects.count() == 2 and first.runs.get().instance == second.runs.first().instance
    play_all(first)
    row = Instance.objects.order_by("seed").first()
    assert row.difficulty == "CUSTOM+TWO-PRODUCTS" and row.hidden["market_size"] == 500
    assert row.settings == {"products": 2, "nests": 1, "market_size": 500}
    assert first.runs.get().state == "finished"


def test_a_launch_combines_designs_with_other_difficulties(agent, design_of):
    two, tasks = design_of(), design_of("Six", "scheduling", {"size": 6, "feedback_pairs": 1})
    values = {"seeds": (0,), "agents": (agent("random"),)}
    plan = LaunchPlan(
        environments=("pricing", "scheduling"),
        difficulties=("BASIC", two.difficulty, tasks.difficulty),
        designs=(two, tasks),
        **values,
    )
    assert [(run.environment, run.difficulty) for run in plan.runs] == [
        ("pricing", "BASIC"),
        ("pricing", "CUSTOM+TWO-PRODUCTS"),
        ("scheduling", "BASIC"),
        ("scheduling", "CUSTOM+SIX"),
    ]
    for changes, words in (
        ({"difficulties": ("CUSTOM+NONE",)}, "There is no design CUSTOM+NONE here, or it is archived."),
        ({"difficulties": (two.difficulty,)}, "There is no design CUSTOM+TWO-PRODUCTS here, or it is archived."),
        ({"difficulties": (two.difficulty,), "designs": (two,)}, "Scheduling has no difficulty CUSTOM+TWO-PRODUCTS"),
        (
            {"difficulties": ("BASIC", tasks.difficulty), "designs": (tasks,), "environments": ("pricing",)},
            "CUSTOM+SIX is a design of Scheduling. Choose Scheduling too.",
        ),
    ):
        with pytest.raises(LaunchError) as error:
            LaunchPlan(**{"environments": ("pricing", "scheduling")} | values | changes)
        assert error.value.errors["difficulties"].startswith(words), error.value.errors


def test_a_design_changed_or_archived_after_planning_is_not_launched(design_of, launched_on):
    stale = design_of()
    design_change(design=Design.objects.get(), name="Two products", settings={"products": 4, "nests": 2})
    with pytest.raises(LaunchError, match="was changed a moment ago"):
        launched_on(stale)
    fresh = Design.objects.get()
    design_archive(design=Design.objects.get(), archived=True)
    with pytest.raises(LaunchError, match="was changed a moment ago"):
        launched_on(fresh)
    assert not Run.objects.exists()
    design_archive(design=fresh, archived=False)
    assert launched_on(Design.objects.get()).runs.count() == 1


def test_a_stored_launch_of_a_design_can_be_repeated_and_written_as_a_command(design_of, launched_on, organization):
    design = design_of()
    experiment = launched_on(design)
    assert experiment.spec["difficulties"] == ["CUSTOM+TWO-PRODUCTS"] and experiment.spec["settings"] is None
    assert spec_as_plan(experiment.spec, organization).as_spec() == experiment.spec
    assert "--difficulty CUSTOM+TWO-PRODUCTS" in spec_as_command(experiment.spec)
    design_archive(design=design, archived=True)
    with pytest.raises(LaunchError, match="or it is archived"):
        spec_as_plan(experiment.spec, organization)


def test_a_launch_file_can_use_designs(design_of, launched_on, organization):
    experiment = launched_on(design_of())
    body = read_launch(written_launch(experiment.spec).encode())
    assert request_as_plan(body, organization).as_spec() == experiment.spec
    body.difficulties.append("CUSTOM+NONE")
    with pytest.raises(LaunchError) as error:
        request_as_plan(body, organization)
    assert error.value.errors == {"difficulties": "There is no design CUSTOM+NONE here, or it is archived."}


@pytest.mark.long
def test_the_form_offers_designs_and_preselects_the_requested_design(page, design_of, organization):
    design = design_of("Two <b>goods</b>")
    text = page.get(f"/experiments/new/?design={design.pk}").text
    assert re.search(r'value="CUSTOM\+TWO-BGOODSB"[^>]* checked', text)
    assert "Two &lt;b&gt;goods&lt;/b&gt;, pricing" in text
    valid = {
        "environments": ["pricing"], "difficulties": [design.difficulty], "generator": "published", "seeds": "0",
        "periods": "2", "variants": ["main"], "reasoning_wording": "auto", "agents": ["random"],
    }  # fmt: skip
    assert "Launch 1 run" in page.post("/experiments/new/preview/", valid).text
    page.post("/experiments/new/", valid)
    assert organization.experiments.get().runs.get().instance.difficulty == design.difficulty
    design_archive(design=design, archived=True)
    assert f'value="{design.difficulty}"' not in page.get("/experiments/new/").text
    assert page.post("/experiments/new/", valid).status_code == 422


def whole_length(run_ids):
    """Leaderboards show only runs of the paper's 100 periods."""
    Run.objects.filter(pk__in=run_ids).update(periods=100, periods_played=100)


@pytest.mark.long
def test_a_design_gets_a_marked_column_without_published_scores(design_of, launched_on, launch, page, organization):
    design = design_of()
    own, stock = launched_on(design, "random", "pricing-constant"), launch("random", periods=2)
    for experiment in (own, stock):
        play_all(experiment)
        whole_length(experiment.runs.values_list("pk", flat=True))
    assert played_designs(organization=organization, environments=["pricing"]) == [design.difficulty]
    query = "environments=pricing&environments=scheduling&difficulties=BASIC&difficulties=CUSTOM%2BTWO-PRODUCTS"
    text = page.get(f"/leaderboard/?{query}").text
    assert text.count("own design, not the paper") >= 1
    assert "is an own design, not a difficulty of the paper" in text
    head = text.partition("<thead>")[2].partition("</thead>")[0]
    assert head.count(">Two products<") == 1, "a design is of one environment"
    assert re.findall(r'colspan="(\d)" class="group">', head) == ["2", "1"]
    usual = page.get("/leaderboard/?environments=pricing").text
    assert "of your design Two products" in usual, "what the filters hide is told, with the filter that shows it"
    assert "difficulties=CUSTOM%2BTWO-PRODUCTS" in usual
    answer = page.get("/leaderboard/table.csv?environments=pricing&difficulties=CUSTOM%2BTWO-PRODUCTS").text
    rows = [line.split(",") for line in answer.splitlines()[1:]]
    assert {row[3] for row in rows} == {"CUSTOM+TWO-PRODUCTS"} and "published" not in {row[1] for row in rows}
    figure = page.get("/leaderboard/figure.json?environments=pricing&difficulties=CUSTOM%2BTWO-PRODUCTS").json()
    assert figure["layout"]["annotations"][0]["text"] == "Two products, score in points"
    cell = page.get("/leaderboard/cell/?agent=random&environment=pricing&difficulty=CUSTOM%2BTWO-PRODUCTS&periods=100")
    assert cell.status_code == 200 and "own design, not the paper" in cell.text and "seed 0" in cell.text


@pytest.mark.long
def test_pages_that_order_difficulties_omit_designs(design_of, launched_on, page):
    experiment = launched_on(design_of(), "random", "pricing-constant")
    play_all(experiment)
    whole_length(experiment.runs.values_list("pk", flat=True))
    query = "environments=pricing&difficulties=CUSTOM%2BTWO-PRODUCTS"
    for address in (f"/trends/?{query}", f"/behaviour/?{query}"):
        answer = page.get(address)
        assert answer.status_code == 200 and "Select a valid choice" not in answer.text
    compared = page.get(f"/compare/?{query}&agents=random&agents=pricing-constant").text
    assert "Constant price" in compared and "1 instance" in compared


@pytest.mark.long
def test_a_saved_leaderboard_keeps_a_design_without_runs(design_of, launched_on, page, organization):
    experiment = launched_on(design_of())
    play_all(experiment)
    whole_length(experiment.runs.values_list("pk", flat=True))
    query = "?kind=benchmark&environments=pricing&difficulties=CUSTOM%2BTWO-PRODUCTS"
    page.post(f"/leaderboards/new/{query}", {"name": "Designs", "kind": "benchmark", "environments": "pricing",
                                            "difficulties": "CUSTOM+TWO-PRODUCTS"})  # fmt: skip
    leaderboard = organization.leaderboards.get()
    assert leaderboard.filters["difficulties"] == ["CUSTOM+TWO-PRODUCTS"]
    assert "own design, not the paper" in page.get(f"/leaderboards/{leaderboard.pk}/").text
    experiment_delete(experiment=experiment)
    assert page.get(f"/leaderboards/{leaderboard.pk}/").status_code == 200
    leaderboard.refresh_from_db()
    assert leaderboard.filters["difficulties"] == ["CUSTOM+TWO-PRODUCTS"]


@pytest.mark.long
def test_a_design_of_a_litmus_test_has_a_separate_table(design_of, launched_on, page):
    design = design_of("Two workers", "efficiency_vs_equality", {"workers": 2, "productivity_gap": 4, "total_size": 90})
    play_all(launched_on(design, "equality-greedy-equality", periods=None))
    assert "with custom settings" in page.get("/litmus/").text, "what the filters hide is told"
    text = page.get("/litmus/?scope=CUSTOM%2BTWO-WORKERS").text
    assert "Two workers only: own design, not the paper" in text and "Greedy equality" in text
