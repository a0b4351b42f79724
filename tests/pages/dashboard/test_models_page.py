"""The page of models: what is in use first, the rest folded, endpoints as a strip on top; and the pages beside it."""

import re
from datetime import date

import pytest

from accounts.services.endpoints import endpoint_set_key

ROW = re.compile(r'<th scope="row">.*?</th>', re.DOTALL)


def part(text, start, end="</section>"):
    return text.partition(start)[2].partition(end)[0]


@pytest.fixture
def used(painted):
    return painted("gpt-5", seeds=(0, 1, 2), states=("queued", "running", "paused"))


def test_models_with_runs_come_first_and_the_catalog_is_folded(page, used, organization):
    text = page.get("/agents/").text
    in_use = ROW.findall(part(text, 'id="models"'))
    assert ["/agents/gpt-5/" in row for row in in_use] == [True]
    folded = re.search(r'<details class="panel fold catalog"(.*?)>', text)
    assert folded and "open" not in folded[1]
    rest = ROW.findall(text.partition("fold catalog")[2])
    assert len(rest) == organization.agents.filter(baseline="").count() - 1


def test_a_key_moves_the_models_of_an_endpoint_to_those_in_use(page, owner, organization):
    text = page.get("/agents/").text
    assert "No model has runs or a key yet." in text and 'fold catalog" open' in text
    anthropic = organization.endpoints.get(name="Anthropic")
    endpoint_set_key(endpoint=anthropic, actor=owner.user, key="sk-a-key-of-the-test-1")
    in_use = ROW.findall(part(page.get("/agents/").text, 'id="models"'))
    assert len(in_use) == anthropic.agents.count()


def test_the_search_in_the_catalog_narrows_the_folded_models_alone(page, used):
    text = page.get("/agents/", {"find": "GEMINI pro"}).text
    names = re.findall(r'<a href="/agents/([^/]+)/">', text.partition("fold catalog")[2].partition("</details>")[0])
    assert names and all("gemini" in name and "pro" in name for name in names)
    assert 'fold catalog" open' in text and "/agents/gpt-5/" in text
    text = page.get("/agents/", {"find": "no such model"}).text
    assert "No model matches." in text


def test_a_retirement_is_a_chip_that_opens_its_sentence(page, today_is):
    today_is(date(2026, 10, 15))
    text = page.get("/agents/").text
    chip = re.search(
        r'<button class="tag retires warn"[^>]*popovertarget="(retires-\d+)"[^>]*>(.*?)</button>', text, re.DOTALL
    )
    assert chip and chip[2].strip() == "retires 30 Nov"
    sentence = part(text, f'id="{chip[1]}" popover>', "</span>")
    assert "its successor is claude-sonnet-5-5" in sentence and "model=claude-sonnet-5-5" in sentence


def test_the_strip_asks_for_a_missing_key_before_it_resumes_paused_runs(page, owner, viewer, used, organization):
    openai = organization.endpoints.get(name="OpenAI")
    strip = part(page.get("/agents/").text, 'id="endpoints-strip"')
    assert f'id="key-{openai.pk}"' in strip and "1 paused" in strip and "/resume/" not in strip
    endpoint_set_key(endpoint=openai, actor=owner.user, key="sk-a-key-of-the-test-1")
    strip = part(page.get("/agents/").text, 'id="endpoints-strip"')
    assert f'id="endpoint-{openai.pk}"' in strip and f'href="/agents/endpoints/#endpoint-{openai.pk}"' in strip
    assert "1 paused" in strip and f'action="/agents/endpoints/{openai.pk}/resume/"' in strip
    assert "/resume/" not in part(viewer.get("/agents/").text, 'id="endpoints-strip"')
    headers = {"HX-Request": "true", "HX-Target": "endpoints-strip"}
    again = page.get("/agents/endpoints/", headers=headers).text
    assert again.strip().startswith("<section") and 'id="endpoints-strip"' in again and "<html" not in again


@pytest.mark.parametrize("name", ["baselines", "endpoints", "outside"])
def test_each_kind_of_agent_has_a_page_of_its_own(page, viewer, name):
    for member in (page, viewer):
        answer = member.get(f"/agents/{name}/")
        assert answer.status_code == 200 and "<h1>" in answer.text


def test_old_anchors_of_the_agents_page_lead_on(page):
    text = page.get("/agents/").text
    for anchor, address in (("baselines", "/agents/baselines/"), ("outside-agents", "/agents/outside/")):
        assert f'<a id="{anchor}" href="{address}">' in text
    assert re.search(r'<h2 id="endpoints">\s*<a href="/agents/endpoints/">', text)


def test_no_agent_takes_the_address_of_a_page(page, organization):
    endpoint = organization.endpoints.get(name="OpenAI")
    page.post("/agents/new/", {"name": "Outside", "endpoint": endpoint.pk, "model": "m", "temperature": "1"})
    assert organization.agents.get(name="Outside").slug == "outside-2"
