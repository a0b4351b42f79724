"""Comments by keyboard with a suggested mention, tags and stars."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def settle(page):
    """Wait until htmx has bound what it swapped in: a moment earlier a link or form works too, but leaves the page."""
    expect(page.locator(".htmx-swapping, .htmx-settling, .htmx-added")).to_have_count(0)


def test_a_comment_with_a_mention_is_written_changed_and_deleted_in_place(page, site):
    page.goto(f"{site.address}/runs/1/periods/0/?tab=comments")
    field = page.locator("#text-period-1-0")
    field.press_sequentially("Look at this, @ow")
    expect(page.get_by_role("option", name=re.compile("@owner"))).to_have_attribute("aria-selected", "true")
    field.press("Escape")
    expect(page.locator(".suggested")).to_have_count(0)
    field.press_sequentially("n")
    expect(page.get_by_role("option")).to_have_count(1)
    field.press("Enter")
    expect(field).to_have_value("Look at this, @owner ")
    field.press("Control+Enter")
    comment = page.locator("#period .comment")
    expect(comment).to_contain_text("Look at this, @owner")
    expect(page.locator("#count-period-1-0")).to_have_text("1")
    settle(page)
    comment.get_by_role("link", name="Edit", exact=True).press("Enter")
    expect(comment.locator("textarea")).to_be_visible()
    settle(page)
    comment.locator("textarea").fill("Never mind.")
    comment.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(comment).to_contain_text("edited")
    settle(page)
    comment.get_by_role("button", name="Delete", exact=True).press("Enter")
    page.get_by_role("button", name="Delete the comment").press("Enter")
    expect(comment).to_have_count(0)
    expect(page.locator("#count-period-1-0")).to_have_text("")


def test_tags_and_stars_are_set_without_leaving_the_page(page, site):
    page.goto(f"{site.address}/runs/1/periods/0/")
    page.locator("#act-more").press("Enter")
    page.locator("#tags-run-1 summary").press("Enter")
    name = page.locator("#tag-input-run-1")
    expect(name).to_be_focused()
    name.press_sequentially("seen in a browser")
    name.press("Enter")
    expect(page.locator("#tags-run-1 .tag")).to_have_text("seen in a browser")
    star = page.locator("#star-period-1-0")
    star.press("Enter")
    expect(star).to_have_attribute("aria-pressed", "true")
    expect(star).to_be_focused()
    page.locator("body").press("j")
    expect(page.locator("#star-period-1-1")).to_have_attribute("aria-pressed", "false")
    page.goto(f"{site.address}/starred/")
    expect(page.get_by_role("row", name=re.compile("period 0"))).to_be_visible()
    page.goto(f"{site.address}/tags/")
    page.get_by_role("link", name="seen in a browser").click()
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 run")
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator("main")).to_contain_text("Deleted the tag seen in a browser.")
