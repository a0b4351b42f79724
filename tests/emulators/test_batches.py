"""Batches of the emulated providers, and answers that tests inject."""

import json
from collections import Counter

import httpx2
import pytest

from tests.emulators.asking import KEY, asking, client
from tests.emulators.refusals import REFUSALS
from tests.emulators.troubles import FAILED, LIMITS, ODD_SERVERS

pytestmark = pytest.mark.long

GPT_41, SOL, OPUS_48 = "gpt-4.1-2025-04-14", "gpt-6.2-sol", "claude-opus-4-8"
HEADERS = {"authorization": f"Bearer {KEY}", "anthropic-version": "2026-10-21"}


def question(asker):
    """A request without tools."""
    body = asker.opening()
    for name in ("tools", "tool_choice"):
        body.pop(name)
    return body


def submit_openai(asker, lines, **changes):
    """The id of a new batch of these (custom_id, body)."""
    url = f"/v1/{'responses' if asker.wire == 'responses' else 'chat/completions'}"
    rows = [{"custom_id": name, "method": "POST", "url": url, "body": body} | changes for name, body in lines]
    data = "\n".join(json.dumps(row) for row in rows)
    files = {"file": ("batch.jsonl", data.encode())}
    base = asker.emulator.url + "/v1"
    sent = client().post(f"{base}/files", files=files, data={"purpose": "batch"}, headers=HEADERS)
    assert sent.status_code == 200, sent.text
    created = {"input_file_id": sent.json()["id"], "endpoint": url, "completion_window": "24h"}
    return client().post(f"{base}/batches", json=created, headers=HEADERS).json()["id"]


def results_openai(asker, batch_id):
    """The lines of output and error file of a batch."""
    batch = asker.get(f"/v1/batches/{batch_id}").json()
    return [
        [json.loads(line) for line in asker.get(f"/v1/files/{batch[name]}/content").text.splitlines()]
        if batch[name]
        else []
        for name in ("output_file_id", "error_file_id")
    ]


def submit_anthropic(asker, lines):
    requests = [{"custom_id": name, "params": body} for name, body in lines]
    address = f"{asker.emulator.url}/v1/messages/batches"
    return client().post(address, json={"requests": requests}, headers=HEADERS)


def results_anthropic(asker, batch_id):
    batch = asker.get(f"/v1/messages/batches/{batch_id}").json()
    listed = client().get(batch["results_url"], headers=HEADERS).text.splitlines()
    return {line["custom_id"]: line["result"] for line in map(json.loads, listed)}


@pytest.mark.parametrize(("model", "wire"), [(SOL, "responses"), (GPT_41, "chat")])
def test_a_batch_of_openai_answers_at_half_the_price(model, wire):
    with asking(model, wire=wire) as asker:
        lines = [(f"line-{number}", question(asker) | {"user": str(number)}) for number in range(6)]
        batch_id = submit_openai(asker, lines)
        statuses = []
        for _ in range(4):
            statuses.append(asker.get(f"/v1/batches/{batch_id}").json()["status"])
            asker.emulator.batches.advance()
        assert statuses == ["validating", "in_progress", "finalizing", "completed"]
        output, errors = results_openai(asker, batch_id)
        assert errors == []
        names = [line["custom_id"] for line in output]
        assert sorted(names) == [name for name, _ in lines] != names
        batched = asker.emulator.bill.nanodollars
        single = [asker.reply(body) for _, body in lines]
        assert [line["response"]["body"]["id"] for line in sorted(output, key=lambda line: line["custom_id"])] == [
            reply["id"] for reply in single
        ]
        price = asker.model.prices
        full = [price.nano(charge.usage) for charge in asker.emulator.bill.charges[:6]]
        assert batched == sum(full) / 2


def test_lines_expire_fail_and_are_refused():
    with asking(GPT_41, wire="chat") as asker:
        wrong = question(asker) | {"temperature_": 1}
        lines = [("good", question(asker)), ("late", question(asker)), ("bad", question(asker)), ("wrong", wrong)]
        asker.emulator.batches.outcomes |= {"late": "expired", "bad": "errored"}
        batch_id = submit_openai(asker, lines)
        for _ in range(3):
            asker.emulator.batches.advance()
        output, errors = results_openai(asker, batch_id)
        assert [line["custom_id"] for line in output] == ["good"]
        known = {line["custom_id"]: line for line in errors}
        assert known["late"]["error"]["code"] == "batch_expired"
        assert known["bad"]["response"]["status_code"] == 500
        assert known["wrong"]["response"]["status_code"] == 400
        assert asker.get(f"/v1/batches/{batch_id}").json()["request_counts"] == {
            "total": 4,
            "completed": 1,
            "failed": 3,
        }
        assert asker.emulator.batches.answered == Counter(good=1)
        assert len(asker.emulator.bill.charges) == 1


def test_a_batch_of_two_models_fails():
    with asking(GPT_41, wire="chat") as asker:
        batch_id = submit_openai(asker, [("a", question(asker)), ("b", question(asker) | {"model": SOL})])
        asker.emulator.batches.advance()
        batch = asker.get(f"/v1/batches/{batch_id}").json()
        assert (batch["status"], batch["errors"]["data"][0]["code"]) == ("failed", "mismatched_model")


def test_a_batch_refuses_a_repeated_line_id():
    with asking(GPT_41, wire="chat") as asker:
        batch_id = submit_openai(asker, [("a", question(asker)), ("a", question(asker))])
        asker.emulator.batches.advance()
        assert asker.get(f"/v1/batches/{batch_id}").json()["errors"]["data"][0]["code"] == "duplicate_custom_id"


def test_a_batch_can_be_cancelled_after_some_lines():
    with asking(GPT_41, wire="chat") as asker:
        batch_id = submit_openai(asker, [(name, question(asker)) for name in "abc"])
        asker.emulator.batches.advance()
        asker.emulator.batches.advance(lines=2)
        address = f"{asker.emulator.url}/v1/batches/{batch_id}/cancel"
        assert client().post(address, headers=HEADERS).json()["status"] == "cancelling"
        asker.emulator.batches.advance()
        output, errors = results_openai(asker, batch_id)
        assert sorted(line["custom_id"] for line in output) == ["a", "b"]
        assert [line["error"]["code"] for line in errors] == ["batch_cancelled"]
        assert asker.get(f"/v1/batches/{batch_id}").json()["status"] == "cancelled"
        assert client().post(address, headers=HEADERS).status_code == 409


def test_a_batch_of_anthropic_ends_with_results_of_every_kind():
    with asking(OPUS_48) as asker:
        wrong = question(asker) | {"temperature": 0.5}
        lines = [("good", question(asker)), ("late", question(asker)), ("off", question(asker)), ("wrong", wrong)]
        asker.emulator.batches.outcomes |= {"late": "expired", "off": "cancelled"}
        created = submit_anthropic(asker, lines).json()
        assert (created["processing_status"], created["results_url"]) == ("in_progress", None)
        assert asker.get(f"/v1/messages/batches/{created['id']}/results").status_code == 404
        asker.emulator.batches.advance()
        results = results_anthropic(asker, created["id"])
        kinds = {name: result["type"] for name, result in results.items()}
        assert kinds == {"good": "succeeded", "late": "expired", "off": "canceled", "wrong": "errored"}
        assert results["good"]["message"]["content"][0]["text"] == "B"
        assert results["wrong"]["error"]["error"]["type"] == "invalid_request_error"
        usage = results["good"]["message"]["usage"]
        assert asker.emulator.bill.nanodollars == usage["input_tokens"] * 2500 + usage["output_tokens"] * 12_500


def test_an_expired_batch_keeps_its_answered_lines():
    with asking(OPUS_48) as asker:
        created = submit_anthropic(asker, [(name, question(asker)) for name in "ab"]).json()
        asker.emulator.batches.advance(lines=1)
        asker.emulator.batches.expire()
        kinds = {name: result["type"] for name, result in results_anthropic(asker, created["id"]).items()}
        assert kinds == {"a": "succeeded", "b": "expired"}


def test_batches_are_listed_from_the_newest():
    with asking(GPT_41, wire="chat") as asker:
        ids = [submit_openai(asker, [("a", question(asker))]) for _ in range(3)]
        first = asker.get("/v1/batches?limit=2").json()
        rest = asker.get(f"/v1/batches?limit=2&after={first['last_id']}").json()
        assert [batch["id"] for batch in first["data"] + rest["data"]] == ids[::-1]
        assert (first["has_more"], rest["has_more"]) == (True, False)
    with asking(OPUS_48) as asker:
        created = submit_anthropic(asker, [("a", question(asker))]).json()
        assert asker.get("/v1/messages/batches?limit=100").json()["data"] == [created]


def test_a_line_submitted_twice_is_counted_twice():
    with asking(OPUS_48) as asker:
        for _ in range(2):
            submit_anthropic(asker, [("a", question(asker))])
        asker.emulator.batches.advance()
        assert asker.emulator.batches.answered == Counter(a=2)


def test_lines_of_anthropic_need_unique_ids():
    with asking(OPUS_48) as asker:
        assert "unique" in submit_anthropic(asker, [("a", {}), ("a", {})]).json()["error"]["message"]
        assert "pattern" in submit_anthropic(asker, [("a b", {})]).json()["error"]["message"]
        assert submit_anthropic(asker, []).status_code == 400


def test_a_file_needs_its_purpose():
    with asking(GPT_41) as asker:
        sent: httpx2.Response = client().post(
            f"{asker.emulator.url}/v1/files", files={"file": ("x", b"{}")}, data={"purpose": "vision"}, headers=HEADERS
        )
        assert sent.json()["error"]["param"] == "purpose"


def test_refusals_are_sent_unchanged_and_have_unique_ids():
    every = (*REFUSALS, *ODD_SERVERS, *LIMITS, *FAILED)
    assert [name for name, times in Counter(refusal.id for refusal in every).items() if times > 1] == []
    with asking(GPT_41) as asker:
        asker.emulator.fault = lambda number, body: every[number - 1].answer
        for refusal in every:
            answer = asker.post(asker.opening())
            assert (answer.status_code, answer.json()) == (refusal.status, refusal.body)
            assert all(answer.headers[name] == value for name, value in refusal.headers.items())
