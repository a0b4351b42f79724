"""Cluster labels by a language model: requests, costs, stored labels and hostile answers."""

from decimal import Decimal

import pytest

from analysis.notes.models import NotesAnalysis
from analysis.notes.study.labels import LONGEST_LABEL, label_of, names_estimated
from analysis.notes.study.selectors import StudyFilter, scope_of
from analysis.notes.study.services import analysis_start
from infrastructure import limiter
from runs.models import JobCall, MonthlySpend
from tests.stub_provider import StubAnswer, StubProvider

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@pytest.fixture(autouse=True)
def _forgotten():
    limiter.forget()


@pytest.fixture
def named_by(organization, alice, run_with, model_agent):
    """An analysis of two agents' notes whose clusters the stub's model names."""
    for agent, word in (("drifter", "drift"), ("cycler", "cycle")):
        run_with([f"Paragraph {n} on {word}.\n\nMore on {word} {n}." for n in range(6)], agent=agent)

    def start(stub):
        namer = model_agent(stub, input_price=Decimal(2), output_price=Decimal(10))
        return analysis_start(
            organization=organization, user=alice, study_filter=StudyFilter(environment="pricing"), labels_by=namer
        )

    return start


def labels(analysis):
    return {cluster["label"] for cluster in analysis.result["clusters"]}


@pytest.mark.long
def test_cluster_labels_are_requested_and_booked(named_by, computed, page):
    answers = iter(range(100))
    with StubProvider(lambda *_: StubAnswer(text=f'"Topic {next(answers)}"', usage=USAGE)) as stub:
        named_by(stub)
        analysis = computed()
        assert (analysis.state, analysis.problem) == ("done", "")
        assert len(labels(analysis)) == stub.count and all(name.startswith("Topic ") for name in labels(analysis))
        sent = [request.body["messages"][-1]["content"] for request in stub.requests]
        assert all("Paragraph" in text or "More on" in text for text in sent) and len(set(sent)) == stub.count
    # 100 tokens at $2 and 10 at $10 per million.
    booked = 300_000 * stub.count
    assert MonthlySpend.objects.get(user=None).cost_nano == booked and JobCall.objects.count() == stub.count
    text = page.get(f"/notes/{analysis.pk}/").text
    assert "Name by" in text and "Topic 0" in text


@pytest.mark.long
def test_paid_labels_are_not_requested_again_on_resume(named_by, computed, page):
    def refuses_the_third(*_):
        return StubAnswer(status=401, error="bad key") if stub.count == 2 else StubAnswer(text="A name")

    with StubProvider(refuses_the_third) as stub:
        analysis = named_by(stub)
        assert computed().state == "failed" and len(NotesAnalysis.objects.get().labels) == 2
        page.post(f"/notes/{analysis.pk}/resume/")
        done = computed()
        assert done.state == "done" and labels(done) == {"A name"}
        assert stub.count == len(done.result["clusters"]) + 1


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("", ""),
        (" \n“Price drift”.\nBecause they do.", "Price drift"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("**Matching**", "Matching"),
        ("...", ""),
        ("a\x00b", "ab"),
        ("x" * 100_000, "x" * (LONGEST_LABEL - 1) + "…"),
    ],
)
def test_a_label_is_a_single_short_line(answer, label):
    assert label_of(answer).replace("\ufffd", "") == label


@pytest.mark.long
def test_clusters_keep_their_words_if_the_answer_is_unusable(named_by, computed):
    with StubProvider(lambda *_: StubAnswer(text="?")) as stub:
        named_by(stub)
        assert all("drift" in name or "cycle" in name or "paragraph" in name for name in labels(computed()))


def test_the_form_states_queries_and_cost_before_it_starts(named_by, page, organization):
    with StubProvider(lambda *_: StubAnswer()) as stub:
        namer = named_by(stub).labels_by
        text = page.get(f"/notes/new/?environment=pricing&labels_by={namer.pk}").text
        assert "ten paragraphs of each of at most" in text and "about $" in text and "The budget of either" in text
        # At most one cluster for five of 24 paragraphs: four queries of 1,700 tokens at $2 and 50 at $10 per million.
        scope = scope_of(organization=organization, study_filter=StudyFilter(environment="pricing"))
        assert names_estimated(namer, scope, 2) == (4, 4 * 3_900_000)
        assert stub.count == 0
