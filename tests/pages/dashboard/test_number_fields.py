"""Numbers are accepted as typed or refused with a sentence."""

import re

import pytest
from django import forms

from pages.instances.forms import ProblemForm
from pages.play.forms import OwnGameForm, StudyForm
from runs.models import Run
from tests.data_folders import ROOT
from workspace.spending.forms import BudgetForm


@pytest.mark.parametrize(
    ("field", "keyboard"),
    [
        (forms.IntegerField(min_value=0, max_value=9), "numeric"),
        (forms.FloatField(), "decimal"),
        (forms.DecimalField(decimal_places=2), "decimal"),
    ],
)
def test_a_number_is_a_text_field_that_the_wheel_does_not_change(field, keyboard):
    form = type("OneField", (forms.Form,), {"n": field})({"n": '1"<'})
    shown = str(form["n"])
    assert 'type="text"' in shown and f'inputmode="{keyboard}"' in shown and 'value="1&quot;&lt;"' in shown
    assert "required" in shown and 'id="id_n"' in shown and "step=" not in shown and "max=" not in shown


def test_no_template_has_a_number_field():
    for path in (ROOT / "templates").rglob("*.html"):
        assert not re.search(r"""type=["']?number""", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("typed", ["1,5", "1.5x", "1e", "--1", "1 000", "ten", "1.5.5"])
def test_invalid_numbers_are_refused_with_a_sentence(organization, typed):
    budget = BudgetForm({"budget": typed})
    assert budget.errors["budget"] == ["The budget must be an amount in dollars, such as 25.00."]
    game = {"game": "pricing/BASIC", "variant": "main", "seed": typed, "periods": typed}
    for form in (OwnGameForm(organization, game), StudyForm(organization, game | {"practice": typed})):
        assert {"periods"} <= set(form.errors) and "This is a whole number." in form.errors["periods"]
    problem = ProblemForm({"environment": "pricing", "seed": typed}, organization=organization)
    assert problem.errors["seed"]


def test_numbers_with_spaces_or_exponents_are_accepted(organization):
    assert BudgetForm({"budget": " 25.00 "}).is_valid()
    form = OwnGameForm(organization, {"game": "pricing/BASIC", "variant": "main", "seed": " 7 ", "periods": " 12 "})
    assert form.is_valid() and (form.cleaned_data["seed"], form.cleaned_data["periods"]) == (7, 12)
    assert forms.FloatField().clean(" 1e3 ") == 1000


@pytest.mark.parametrize("typed", ["1,5", "-1", "1e1", "three", "4"])
def test_an_invalid_period_is_refused_without_showing_another_period(page, launch, typed):
    launch("random")
    run = Run.objects.get()
    Run.objects.update(periods=4)
    answer = page.get(f"/runs/{run.pk}/", {"period": typed}, follow=True)
    assert f"“{typed}” is not a period of this run. Periods are whole numbers from 0 to 3." in answer.text
    assert page.get(f"/runs/{run.pk}/", {"period": " 3 "})["Location"] == f"/runs/{run.pk}/periods/3/"


def test_an_invalid_run_number_does_not_show_the_full_ledger(page):
    assert page.get("/ledger/?run=1,5").status_code == 404
