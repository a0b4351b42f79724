"""Lists show 25 rows on a screen, and what can be done with ticked rows appears with the first tick."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OVERFLOW

pytestmark = pytest.mark.browser

ROWS = """
from runs.models import Experiment, Run
run = Run.objects.filter(instance__environment="pricing").first()
experiment, instance = run.experiment, run.instance
for number in range(26):
    instance.pk, instance.seed = None, 500 + number
    instance.content_hash = instance.recipe = f"list-{number}"
    instance.save()
    copy = Experiment.objects.create(
        organization=experiment.organization, name=f"List {number}", spec=experiment.spec
    )
    run.pk, run.experiment, run.instance, run.metrics = None, copy, instance, None
    run.save()
"""

VISIBLE = """[...document.querySelectorAll("main tbody tr")].filter(
    (row) => row.getBoundingClientRect().bottom <= innerHeight).length"""

LISTS = ("/experiments/", "/runs/", "/instances/")


@pytest.fixture(scope="module")
def rows(site):
    site.run(ROWS)
    return site.address


def test_main_lists_show_25_rows_on_a_screen_and_fit_a_phone(page, rows):
    page.set_viewport_size({"width": 1440, "height": 900})
    for address in LISTS:
        page.goto(rows + address)
        assert page.evaluate(VISIBLE) >= 25, address
    page.set_viewport_size({"width": 390, "height": 844})
    for address in LISTS:
        page.goto(rows + address)
        assert page.evaluate(OVERFLOW) <= 0, address
        assert page.evaluate(
            "document.querySelector('.scroll').scrollWidth <= document.querySelector('.scroll').clientWidth"
        )


def test_bulk_actions_appear_with_the_first_tick_and_stay_without_javascript(page, rows, browser):
    for address in LISTS[:2]:
        page.goto(rows + address)
        actions, first = page.locator(".run-actions"), page.locator(".pick-run").first
        expect(actions).to_be_hidden()
        first.check()
        expect(actions).to_be_visible()
        first.uncheck()
        expect(actions).to_be_hidden()
    plain = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state()).new_page()
    plain.goto(rows + "/runs/")
    expect(plain.locator(".run-actions")).to_be_visible()


def test_page_heads_have_one_primary_and_at_most_two_secondary_buttons(page, rows):
    for address in (*LISTS, "/experiments/1/"):
        page.goto(rows + address)
        buttons = page.locator(".page-head .actions .button:visible")
        primary = page.locator(".page-head .actions .button.primary:visible").count()
        assert primary <= 1 and buttons.count() - primary <= 3, "two secondary buttons and the menu"
        if address == "/instances/":
            continue  # All that can be done there is one button.
        page.locator(".page-head summary", has_text="More").click()
        expect(page.locator(".page-head .menu-panel").last).to_be_visible()
