"""Chat messages: a sentence in the format of the receiver."""

import json

import pytest

from tests.workspace.webhooks.receiver import Receiver, Respond
from workspace.webhooks import payloads
from workspace.webhooks.models import Delivery, EventKind
from workspace.webhooks.payloads import message_of, sentence_of
from workspace.webhooks.services import webhook_create


def chat(field):
    """A receiver that refuses messages without this field, as chats do."""
    return Receiver(lambda request: Respond(200) if request.json.get(field) else Respond(400, b"no_text"))


@pytest.mark.parametrize(("form", "field"), [("text", "text"), ("content", "content")])
def test_a_chat_message_is_a_sentence_with_a_link(owner, played, deliver_due, form, field):
    with chat(field) as receiver:
        webhook_create(actor=owner, url=receiver.url, events=["run.finished", "experiment.finished"], form=form)
        experiment = played("random")
        assert deliver_due() == 2
        texts = [message.json[field] for message in receiver.got]
    assert {delivery.status for delivery in Delivery.objects.all()} == {200}
    (run,) = experiment.runs.all()
    assert any(f"Run {run.pk} finished: pricing BASIC seed 0, Random, score" in text for text in texts), texts
    assert any(f"/experiments/{experiment.pk}/" in text for text in texts)


def test_names_are_escaped_and_mention_no_person(organization, played):
    experiment = played("random")
    experiment.name = "<!channel> @everyone <https://evil.example|here> & more"
    body = payloads.event(organization, EventKind.EXPERIMENT_FINISHED, payloads.experiment_data(experiment)).body
    text = json.loads(message_of(body, "text"))["text"]
    assert "<" not in text and ">" not in text and "&lt;!channel&gt;" in text
    message = json.loads(message_of(body, "content"))
    assert message["allowed_mentions"] == {"parse": []} and len(message["content"]) <= 2000
    assert message_of(body, "event") == body


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"watch": {"sentence": "Small: The score is lower.", "url": "https://e/drift/7/"}},
            "lower. https://e/drift/7/",
        ),
        ({"message": "This is a test."}, "This is a test."),
        ({"budget": {"percent": 52, "month": "2026-11", "url": "https://e/spend/"}}, "52 % of a budget of Market Lab"),
        ({"budget": {"percent": 52, "run": {"id": 7, "url": "https://e/runs/7/"}}}, "https://e/runs/7/"),
    ],
)
def test_every_kind_of_event_has_a_sentence(data, words):
    assert words in sentence_of({"organization": {"id": 1, "name": "Market Lab"}, "data": data})
