"""Pages of own prompts: texts are displayed, checked and kept, for members of the organization only."""

import html
import re

import pytest

from environments.registry import ENVIRONMENTS
from runs.models import PromptVariant
from tests.layout import plain
from tests.prompts import launched_with, prompt_of
from tests.visitors import signed_in

BUILT_IN = ENVIRONMENTS["pricing"].prompt_set.texts("main")
NEW = "/prompts/new/"
PREVIEW = "/prompts/preview/"
MISSING = "The placeholder {upper_bound_price} is missing (price ceiling of the period)."


def typed(environment="pricing", base="main", **changes):
    """What a browser sends: every text with the line breaks of forms."""
    texts = ENVIRONMENTS[environment].prompt_set.texts(base)
    values = {f"texts.{name}": text.replace("\n", "\r\n") for name, text in texts.items()}
    names = {"environment": environment, "base": base, "name": "Concise", "seed": "0"}
    return values | names | {"difficulty": "BASIC" if environment == "pricing" else "STANDARD"} | changes


def test_the_editor_begins_with_built_in_texts_and_saves_changes(page):
    text = page.get(NEW, {"environment": "pricing", "base": "main"}).text
    assert html.escape(BUILT_IN["system"][:60]) in text and "Every text is as in the built-in prompt." in text
    answer = page.post(NEW, typed(**{"texts.reply": "Go on."}))
    made = PromptVariant.objects.get()
    assert answer.headers["Location"] == f"/prompts/{made.pk}/"
    assert made.texts["reply"] == "Go on." and made.texts["initial"] == BUILT_IN["initial"]
    shown = page.get(f"/prompts/{made.pk}/").text
    assert "main+concise" in shown and made.version in shown and "draft, no runs yet" in plain(shown)
    assert "own prompt, not the paper's" in plain(shown)
    assert "Concise" in page.get("/prompts/").text


def test_the_preview_fills_in_values_and_marks_changed_words(page):
    change = {"texts.initial": "Never above {upper_bound_price}.", "texts.reply": "Now use <b>fewer</b> tools."}
    ceilings = []
    for seed in ("0", "1"):
        text = page.post(PREVIEW, typed(**change, seed=seed)).text
        ceilings.append(re.search(r"Never above ([\d.]+\d)\.", plain(text))[1])
    assert ceilings[0] != ceilings[1]
    assert "Differences from main 2 texts" in plain(text)
    assert "Now use <del>more </del><ins>&lt;b&gt;fewer&lt;/b&gt; </ins>tools." in text
    assert not PromptVariant.objects.exists(), "a preview stores nothing"


def test_an_invalid_text_is_explained_beside_its_field_and_kept(page):
    change = {"texts.initial": "Go, whatever it costs.", "texts.tools.set_prices": "Sell for {profit}."}
    live = page.post(PREVIEW, typed(**change)).text
    assert re.search(rf'id="id_texts.initial_error" hx-swap-oob="true">{re.escape(MISSING)}', live)
    answer = page.post(NEW, typed(**change, slug="main"))
    assert answer.status_code == 422 and not PromptVariant.objects.exists()
    for told in (MISSING, "main is reserved", "{profit} is not a placeholder of this text", "Go, whatever it costs."):
        assert told in html.unescape(answer.text), told
    assert '<details class="more" data-keep="tools" open>' in answer.text, "the fold with an error is open"


@pytest.mark.parametrize("seed", ["", "-1", "99999999999", "x", "0x"])
def test_an_invalid_seed_is_explained_and_the_first_instance_displayed(page, seed):
    text = page.post(PREVIEW, typed(seed=seed, difficulty="NONE")).text
    assert "price-setting decisions" in text and ("eed" in plain(text.partition("hx-swap-oob")[2])) is bool(seed)


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "base"), [(n, v) for n, one in ENVIRONMENTS.items() for v in one.variants])
def test_every_built_in_prompt_can_be_opened_and_saved(page, environment, base):
    assert page.get(NEW, {"environment": environment, "base": base}).status_code == 200
    assert page.post(NEW, typed(environment, base)).status_code == 302
    made = PromptVariant.objects.get()
    assert (made.environment, made.variant) == (environment, f"{base}+concise")
    assert "Every text is as in the built-in prompt." in page.get(f"/prompts/{made.pk}/").text


@pytest.mark.long
def test_a_prompt_with_runs_is_read_only_and_edits_become_a_copy(page, organization, launch):
    made = prompt_of(organization)
    address = f"/prompts/{made.pk}/"
    assert "Save the changes" in page.get(address).text
    launched_with(launch, organization, "random")
    text = page.get(address).text
    assert "used by 1 run" in plain(text) and "Duplicate it to change the copy." in text
    assert "Save the changes" not in text and "Delete…" not in text and text.count("readonly") >= len(BUILT_IN)
    late = page.post(address, typed(**{"texts.reply": "Something new."}))
    assert late.status_code == 422 and "Below are your changes as a new prompt." in late.text
    assert "Something new." in late.text and f'action="{NEW}?' in late.text
    page.post(NEW, typed(name="Concise 2", **{"texts.reply": "Something new.", "from": made.pk}))
    assert PromptVariant.objects.get(slug="concise-2").texts["reply"] == "Something new."
    made.refresh_from_db()
    assert made.texts["reply"] == "Go on."
    page.post(f"/prompts/{made.pk}/delete/")
    assert PromptVariant.objects.filter(pk=made.pk).exists()


def test_a_slug_comes_from_the_name_and_is_asked_for_only_if_it_is_taken(page, organization):
    assert 'name="slug"' not in page.get(NEW, {"environment": "pricing", "base": "main"}).text
    page.post(NEW, typed(name="Be bold, Ünder 10 %"))
    assert PromptVariant.objects.get().slug == "be-bold-under-10"
    again = page.post(NEW, typed(name="Be bold: under 10"))
    assert again.status_code == 422 and "There is a prompt main+be-bold-under-10" in again.text
    assert re.search(r'name="slug" value="be-bold-under-10"', again.text)
    page.post(NEW, typed(name="Be bold: under 10", slug="bolder"))
    other = PromptVariant.objects.get(slug="bolder")
    page.post(f"/prompts/{other.pk}/", typed(name="Another name"))
    other.refresh_from_db()
    assert (other.name, other.slug) == ("Another name", "bolder"), "launch files know a draft by its slug"


def test_a_duplicate_has_the_texts_under_a_free_name(page, organization):
    made = prompt_of(organization, reply="Onwards.")
    prompt_of(organization, slug="concise-2")
    text = page.get(NEW, {"from": made.pk}).text
    assert 'value="Shorter 2"' in text and "Onwards." in text
    prompt_of(organization, slug="shorter-2")
    assert 'value="Shorter 3"' in page.get(NEW, {"from": made.pk}).text


def test_edits_of_a_deleted_prompt_are_not_lost(page, organization):
    made = prompt_of(organization)
    page.post(f"/prompts/{made.pk}/delete/")
    answer = page.post(f"/prompts/{made.pk}/", typed(**{"texts.reply": "Hours of work."}))
    assert answer.status_code == 404 and "Hours of work." in answer.text
    assert "This prompt does not exist any more." in answer.text and f'action="{NEW}?' in answer.text
    assert page.post(NEW, typed(**{"texts.reply": "Hours of work."})).status_code == 302


@pytest.mark.long
def test_viewers_can_read_prompts_and_strangers_get_the_answer_for_missing_prompts(viewer, stranger, organization):
    made = prompt_of(organization, reply="Zq7 onwards.")
    address = f"/prompts/{made.pk}/"
    text = viewer.get(address).text
    assert "Zq7 onwards." in text and "Save" not in plain(text) and "Duplicate" not in text
    assert "Write your own" not in viewer.get("/prompts/").text
    for deed in (lambda: viewer.post(address, typed()), lambda: viewer.post(NEW, typed()), lambda: viewer.get(NEW)):
        assert deed().status_code == 403
    foreign, absent = (stranger.post(f"/prompts/{number}/", typed()) for number in (made.pk, made.pk + 10**6))
    without = lambda answer: re.sub(r'value="[^"]{64}"|/prompts/\d+/', "", answer.text)  # noqa: E731
    assert (foreign.status_code, without(foreign)) == (404, without(absent))
    assert stranger.get(NEW, {"from": made.pk}).status_code == 404
    assert "Zq7 onwards" not in stranger.get("/prompts/").text
    assert PromptVariant.objects.get().texts["reply"] == "Zq7 onwards."


@pytest.mark.long
def test_the_list_is_filtered_and_sorted_and_says_what_to_do(page, organization, launch, join):
    assert "No own prompts yet." in page.get("/prompts/").text
    prompt_of(organization, name="First")
    prompt_of(organization, environment="procurement", slug="b", name="Second")
    gone = prompt_of(organization, slug="c", name="Third")
    page.post(f"/prompts/{gone.pk}/archive/")
    launched_with(launch, organization, "random")

    def listed(**query):
        return re.findall(r'<a href="/prompts/\d+/" title="[^"]+">(\w+)</a>', page.get("/prompts/", query).text)

    assert listed() == ["First", "Second"] and listed(sort="-made") == ["Second", "First"]
    assert listed(sort="-runs") == ["First", "Second"] and listed(sort="nonsense") == ["First", "Second"]
    assert (listed(state="archived"), listed(state="used"), listed(state="draft")) == (["Third"], ["First"], ["Second"])
    assert listed(environment="procurement") == listed(text="second b") == ["Second"]
    assert "No prompts match." in page.get("/prompts/", {"text": "zebra"}).text
    page.post(f"/prompts/{gone.pk}/restore/")
    assert listed() == ["First", "Second", "Third"]
    editor = signed_in(join("edda", "editor").user)
    assert "Write your own" in editor.get("/prompts/").text


@pytest.mark.long
def test_own_prompts_are_launched_from_the_launch_form(page, organization):
    prompt_of(organization, environment="procurement", slug="other")
    made = prompt_of(organization)
    text = page.get("/experiments/new/", {"environment": "pricing", "variant": "main+concise"}).text
    assert re.search(r'value="main\+concise"[^>]*checked', text) and 'data-environments="procurement"' in text
    chip = text.partition('value="main+concise"')[2].partition("</label>")[0]
    assert plain(chip).split(">")[-1].strip() == "Shorter pricing", "a person reads the name"
    form = {
        "environments": "pricing", "difficulties": "BASIC", "generator": "published", "seeds": "0", "periods": "2",
        "variants": ["main", "main+concise"], "reasoning_wording": "auto", "agents": "random",
    }  # fmt: skip
    assert "Launch 2 runs" in page.post("/experiments/new/preview/", form).text
    wrong = page.post("/experiments/new/", form | {"variants": "main+other"})
    assert "The chosen environments have no variant &#x27;main+other&#x27;." in wrong.text
    address = page.post("/experiments/new/", form).headers["Location"]
    assert made.runs.count() == 1
    again = page.get("/experiments/new/", {"from": address.split("/")[2]}).text
    assert re.search(r'value="main\+concise"[^>]*checked', again)
    page.post(f"/prompts/{made.pk}/archive/")
    archived = page.post("/experiments/new/", form).text
    assert "The prompt main+concise is archived. Restore it on its page, or choose another." in archived
    assert 'value="main+concise"' not in page.get("/experiments/new/").text


def test_a_refused_new_prompt_keeps_its_address(page, organization):
    text = page.post("/prompts/new/", {"environment": "pricing", "base": "main", "name": "", "slug": ""}).text
    action = "/prompts/new/?environment=pricing&amp;base=main"
    assert f'action="{action}"' in text
    assert page.get(action.replace("&amp;", "&")).status_code == 200
    made = prompt_of(organization, system="Sell at good prices.")
    assert f'action="/prompts/new/?from={made.pk}"' in page.get(f"/prompts/new/?from={made.pk}").text
