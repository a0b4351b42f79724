"""An archive that is too large is refused before it is sent; without scripts an error page explains it."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A file of so many MiB; it takes no room on the disk."""

    def make(size):
        path = tmp_path_factory.mktemp("large") / "old-runs.zip"
        with path.open("wb") as file:
            file.truncate(int(size * MIB))
        return path

    return make


def test_the_form_refuses_a_large_archive_before_sending(page, site, archive):
    sent = []
    page.goto(f"{site.address}/experiments/import/")
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    page.locator("input[type=file]").set_input_files(archive(70))
    error = page.locator("#id_file_error")
    expect(error).to_contain_text("old-runs.zip has 70 MiB. A browser can send at most 64 MiB.")
    expect(error).to_contain_text("bin/econevals import")
    page.get_by_role("button", name="Preview import").click()
    expect(page.locator("input[type=file]")).to_be_focused()
    assert sent == []
    page.locator("input[type=file]").set_input_files(archive(1))
    expect(error).to_be_empty()


@pytest.fixture
def form(page, site, browser):
    """The form in a browser without scripts."""
    plain = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    form = plain.new_page()
    form.goto(f"{site.address}/experiments/import/")
    yield form
    plain.close()


@pytest.mark.parametrize("size", [66, pytest.param(400, marks=pytest.mark.long)])
def test_a_large_archive_gets_an_error_page_without_scripts(size, form, archive):
    form.locator("input[type=file]").set_input_files(archive(size))
    with form.expect_navigation() as answer:
        form.get_by_role("button", name="Preview import").click()
    assert answer.value.status == 413
    expect(form.get_by_role("heading", name="The archive is too large")).to_be_visible()
    expect(form.locator("main")).to_contain_text("at most 64 MiB")
    expect(form.locator("main")).to_contain_text("bin/econevals import FOLDER_OR_ZIP")
    expect(form.get_by_role("link", name="Results")).to_be_visible()
    form.get_by_role("link", name="Go back").click()
    expect(form.get_by_role("heading", name="Import runs")).to_be_visible()


def test_an_archive_just_over_the_limit_is_refused_beside_its_field(form, archive):
    form.locator("input[type=file]").set_input_files(archive(64.5))
    form.get_by_role("button", name="Preview import").click()
    expect(form.locator("#id_file_error")).to_contain_text("old-runs.zip has 64.5 MiB; at most 64 MiB are taken.")
