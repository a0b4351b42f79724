"""Vectors from an endpoint: requests, results that survive a kill, and failures with a sentence."""

import base64
import json
import struct

import numpy as np
import pytest
from django.utils import timezone

from accounts.services.endpoints import endpoint_create
from agents.llm import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers.embeddings import Embeddings
from analysis.notes.models import NotesAnalysis, VectorBatch, claims
from analysis.notes.study import embedding
from analysis.notes.study.selectors import StudyFilter
from analysis.notes.study.services import analysis_start
from analysis.notes.tasks import sweep
from infrastructure import limiter
from infrastructure.claims import ClaimLost
from runs.models import JobCall, MonthlySpend
from runs.services import job_queries
from runs.services.budgets import organization_set_budget
from runs.services.job_calls import LOST_AFTER, job_call_settle
from tests import stub_provider
from tests.stub_provider import StubAnswer, StubProvider

WORDS = ("drift", "cycle", "budget", "match")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setitem(stub_provider.WIRES, "/v1/embeddings", "embeddings")
    monkeypatch.setattr(job_queries, "LONGEST_WAIT", 0.01)
    monkeypatch.setattr(embedding, "BATCH", 4)
    limiter.forget()


def answered(texts, compact, **changes):
    """An answer with counts of WORDS as vectors."""
    rows = []
    for index, text in enumerate(texts):
        vector = [float(text.count(word)) + 0.01 for word in WORDS]
        raw = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() if compact else vector
        rows.append({"object": "embedding", "index": index, "embedding": raw})
    body = {"object": "list", "data": rows[::-1], "usage": {"prompt_tokens": 7, "total_tokens": 7}}
    return StubAnswer(raw=json.dumps(body | changes).encode())


def honest(wire, body, headers):
    return answered(body["input"], body.get("encoding_format") == "base64")


@pytest.fixture
def asked(organization, alice, run_with):
    """An analysis of 24 paragraphs, twelve of them different, with vectors of a stub."""
    for agent, word in (("drifter", "drift"), ("cycler", "cycle")):
        run_with(
            [f"Paragraph {place} about {word}.\n\nParagraph {place} about {word}." for place in range(6)], agent=agent
        )

    def start(stub):
        endpoint = endpoint_create(
            organization=organization, name="vectors", provider="openai-compatible", base_url=stub.base_url("openai"),
            key="sk-test-key-0001",
        )  # fmt: skip
        study_filter = StudyFilter(environment="pricing")
        return analysis_start(
            organization=organization,
            user=alice,
            study_filter=study_filter,
            endpoint=endpoint,
            model="embed-1",
            price=2,
        )

    return start


def calls():
    """State, tokens and cost of each call."""
    return list(JobCall.objects.order_by("id").values_list("state", "tokens", "cost_nano"))


def months():
    """Booked and reserved amounts of a month by the user name of who pays; None is the organization."""
    rows = MonthlySpend.objects.values_list("user__username", "cost_nano", "reserved_nano")
    return {user: (booked, reserved) for user, booked, reserved in rows}


@pytest.mark.long
def test_each_distinct_paragraph_is_embedded_once_and_the_cost_is_reported(asked, computed, page):
    with StubProvider(honest) as stub:
        asked(stub)
        analysis = computed()
    assert (analysis.state, analysis.problem) == ("done", "")
    sent = [text for body in stub.bodies for text in body["input"]]
    assert len(sent) == len(set(sent)) == 12 and {len(body["input"]) for body in stub.bodies} == {4}
    assert {body["model"] for body in stub.bodies} == {"embed-1"}
    assert {request.key for request in stub.requests} == {"sk-test-key-0001"}
    assert not VectorBatch.objects.exists()
    assert {cluster["dominance"] for cluster in analysis.result["clusters"]} == {1.0}
    text = page.get(f"/notes/{analysis.pk}/").text
    assert "embed-1" in text and "21 tokens" in text and "under $0.0001" in text
    # 7 tokens a call at $2 per million.
    assert calls() == [("replied", 7, 14_000)] * 3 and months() == {"alice": (42_000, 0), None: (42_000, 0)}
    assert "Notes analyses" in page.get("/spend/").text


@pytest.mark.long
def test_paid_batches_are_not_paid_again_after_a_kill(asked, computed, monkeypatch):
    def dies_at_the_third(wire, body, headers):
        if stub.count == 2:
            monkeypatch.setattr(embedding, "settle_and_store", lost)
        return honest(wire, body, headers)

    def lost(*args):
        raise ClaimLost

    stored = embedding.settle_and_store
    with StubProvider(dies_at_the_third) as stub:
        asked(stub)
        assert computed().state == "waiting" and VectorBatch.objects.count() == 2
        monkeypatch.setattr(embedding, "settle_and_store", stored)
        NotesAnalysis.objects.update(claim_until=None)
        claims.held.clear()
        assert computed().state == "done"
    sent = [tuple(body["input"]) for body in stub.bodies]
    # The third was answered to the dead worker, which could not store it.
    assert len(sent) == 4 and len(set(sent)) == 3 and sent[2] == sent[3]
    reserved = JobCall.objects.get(state="sent").most_nano
    assert months() == {"alice": (42_000, reserved), None: (42_000, reserved)}
    JobCall.objects.update(created_at=timezone.now() - LOST_AFTER)
    sweep()
    assert months() == {"alice": (42_000 + reserved, 0), None: (42_000 + reserved, 0)}
    call = JobCall.objects.get(state="lost")
    # The worker was only frozen: its answer corrects the booking, once.
    call.state, call.cost_nano = "replied", 14_000
    for _ in range(2):
        job_call_settle(call=call)
    assert months()[None] == (56_000, 0) and ("late", 0, 14_000) in calls()


@pytest.mark.long
def test_temporary_errors_are_retried_and_permanent_errors_reported(asked, computed):
    def limited_at_first(wire, body, headers):
        return StubAnswer(status=429, error="slow down") if stub.count == 0 else honest(wire, body, headers)

    with StubProvider(limited_at_first) as stub:
        asked(stub)
        assert computed().state == "done" and stub.count == 4
    assert calls()[0] == ("failed", 0, 0)


def test_an_unreadable_answer_is_booked_at_its_maximum(asked, computed):
    def broken_at_first(wire, body, headers):
        return StubAnswer(raw=b"not json") if stub.count == 0 else honest(wire, body, headers)

    with StubProvider(broken_at_first) as stub:
        asked(stub)
        assert computed().state == "done"
    unknown = JobCall.objects.get(state="unknown")
    assert unknown.cost_nano == unknown.most_nano > 0 == unknown.tokens
    assert months()[None] == (42_000 + unknown.cost_nano, 0)


@pytest.mark.long
def test_a_spent_budget_stops_an_analysis_and_a_higher_budget_resumes_it(asked, computed, organization, page):
    # Each call reserves 256,000 and costs 14,000 billionths of a dollar.
    organization_set_budget(organization=organization, budget_nano=260_000)
    with StubProvider(honest) as stub:
        analysis = asked(stub)
        ended = computed()
        assert ended.state == "failed" and "The organization's month has spent" in ended.problem and stub.count == 1
        assert "Resume" in page.get(f"/notes/{analysis.pk}/").text
        organization_set_budget(organization=organization, budget_nano=1_000_000)
        page.post(f"/notes/{analysis.pk}/resume/")
        assert computed().state == "done" and stub.count == 3
    assert [state for state, *_ in calls()] == ["replied"] * 3


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (StubAnswer(status=401, error="bad key"), "refuses the key"),
        (StubAnswer(status=404, error="no model"), "does not know the model"),
        (StubAnswer(raw=b"not json"), "not JSON"),
        (StubAnswer(raw=b'{"data": []}'), "one vector for each text"),
        (StubAnswer(raw=b'{"data": [{"embedding": ["x"]}, {"embedding": "%%"}]}'), "one vector for each text"),
        (StubAnswer(raw=b'{"error": {"message": "out of order"}}'), "error instead of a reply"),
        (StubAnswer(raw=b" " * 3_000_000), "more than 2 MB"),
    ],
)
def test_every_embedding_failure_has_a_sentence(answer, words, asked, computed):
    with StubProvider(lambda *_: answer) as stub:
        asked(stub)
        analysis = computed()
    assert analysis.state == "failed" and words in analysis.problem and "sk-test-key" not in analysis.problem


def test_decimal_vectors_are_read_if_the_endpoint_refuses_base64():
    def plain(wire, body, headers):
        if "encoding_format" in body:
            return StubAnswer(status=400, error="Unknown parameter: encoding_format")
        return honest(wire, body, headers)

    with StubProvider(plain) as stub:
        client = Embeddings(LLMOptions("openai-compatible", "m", stub.base_url("openai")), "")
        vectors, usage = client.embed(["drift", "cycle cycle"])
    assert np.allclose(vectors, [[1.01, 0.01, 0.01, 0.01], [0.01, 2.01, 0.01, 0.01]]) and usage.input_tokens == 7


@pytest.mark.parametrize("value", [[float("nan")], ["1"], None, "AAA", [1, 2], {}])
def test_wrong_vectors_are_refused(value):
    other = base64.b64encode(struct.pack("<f", 1.0)).decode()
    body = json.dumps({"data": [{"index": 0, "embedding": other}, {"index": 1, "embedding": value}]}).encode()
    with StubProvider(lambda *_: StubAnswer(raw=body)) as stub:
        client = Embeddings(LLMOptions("openai-compatible", "m", stub.base_url("openai")), "")
        with pytest.raises((ProviderRetry, ProviderFatal)):
            client.embed(["a", "b"])


@pytest.mark.long
def test_the_form_states_tokens_and_cost_before_it_starts(asked, page, organization):
    with StubProvider(honest) as stub:
        endpoint = asked(stub).endpoint
        where = f"/notes/new/?environment=pricing&endpoint={endpoint.pk}&model=embed-1"
        assert "price that is not known" in page.get(where).text
        assert "about $" in page.get(f"{where}&price=1000").text
        assert "Name the embedding model" in page.get(f"/notes/new/?environment=pricing&endpoint={endpoint.pk}").text
        assert stub.count == 0


def test_batches_are_limited_in_texts_and_characters(monkeypatch):
    monkeypatch.setattr(embedding, "BATCH", 32)
    texts = {str(number).encode(): "x" * length for number, length in enumerate([10] * 40 + [8_000] * 30 + [50_000])}
    found = embedding.batches(list(texts), texts)
    assert [key for batch in found for key in batch] == list(texts)
    assert max(map(len, found)) == 32
    assert all(sum(min(len(texts[key]), 8_000) for key in batch) <= 100_000 for batch in found)
    assert embedding.batches([], {}) == []
