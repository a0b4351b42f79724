"""Pages, the API and the command of watches."""

import json

import pytest
from django.core.management import call_command

from tests.queries import SIGNED_IN, queries_of
from tests.workspace.drift.conftest import replay, replay_scored
from workspace.drift.models import Watch

FORM = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-5", "interval": "month", "periods": "1"}


def test_an_editor_creates_a_watch_on_the_page_of_an_agent(page, agent):
    address = f"/drift/new/?agent={agent.slug}"
    assert address.replace("&", "&amp;") in page.get(f"/agents/{agent.slug}/").text
    assert 'value="0-3"' in page.get(address).text
    made = page.post(address, FORM | {"budget": "5"}, follow=True)
    watch = Watch.objects.get()
    assert "The agent has such a watch already." in page.post(address, FORM | {"budget": "5"}).text
    assert made.redirect_chain == [(f"/drift/{watch.pk}/", 302)] and "No round has been launched yet." in made.text
    assert (watch.spec["seeds"], watch.spec["agents"], watch.budget_nano) == ("0-5", [agent.slug], 5 * 10**9)
    assert "Watched for drift every month" in page.get(f"/agents/{agent.slug}/").text
    assert f"/drift/{watch.pk}/" in page.get("/drift/").text


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"seeds": "0-4"}, "5 instances are too few: a round every month needs at least 6,"),
    ({"seeds": "0-5", "interval": "week"}, "6 instances are too few: a round every week needs at least 7,"),
    ({"environments": []}, "Choose at least one environment."),
    ({"budget": "0.01", "periods": ""}, "It would cost about $"),
])  # fmt: skip
def test_a_watch_that_is_useless_or_too_expensive_is_refused_with_a_sentence(page, agent, changes, sentence):
    answer = page.post(f"/drift/new/?agent={agent.slug}", FORM | changes)
    assert answer.status_code == 422 and sentence in answer.text and not Watch.objects.exists()


def test_a_watch_is_controlled_on_its_page(page, watched):
    watch = watched()
    where = f"/drift/{watch.pk}/"
    for levels in ((0.8, 0.8), (0.8,), (0.4,)):
        replay_scored(watch, *levels)
    shown = page.get(where).text
    assert "The score is 40.0 points lower than in the baseline" in shown and "baseline 1" in shown
    assert "The next round will cost about $" in shown and "New baseline…" in shown
    figure = page.get(f"{where}scores.json").json()
    assert [trace["name"] for trace in figure["data"]] == ["mean of the baseline", "instance", "mean of a round"]
    assert "Resumed" not in page.post(f"{where}pause/", follow=True).text
    assert "Nothing is launched before" in page.get(where).text
    assert "Resumed" in page.post(f"{where}resume/", follow=True).text
    page.post(f"{where}seen/", {"baseline": "1"})
    watch.refresh_from_db()
    assert (watch.state, watch.baseline) == ("active", 2)
    experiments = watch.organization.experiments.count()
    assert "No agent is watched yet." in page.post(f"{where}delete/", follow=True).text
    assert (Watch.objects.count(), watch.organization.experiments.count()) == (0, experiments)


def test_a_viewer_can_only_read_watches_and_strangers_get_404(viewer, stranger, watched):
    watch = watched()
    watch.notices.create(kind="stopped", sentence="Small model: The watch has paused.")
    assert "Delete…" not in viewer.get(f"/drift/{watch.pk}/").text
    assert viewer.post(f"/drift/{watch.pk}/pause/").status_code == 403
    for address in ("", "scores.json"):
        assert stranger.get(f"/drift/{watch.pk}/{address}").status_code == 404
    for action in ("pause", "resume", "seen", "delete"):
        assert stranger.post(f"/drift/{watch.pk}/{action}/").status_code == 404
    assert "Small model" not in stranger.get("/drift/").text + stranger.get("/").text


def test_query_counts_of_watches_do_not_grow_with_the_rounds(page, watched):
    watch = watched()
    replay_scored(watch, 0.8, 0.8)
    addresses = ("/drift/", f"/drift/{watch.pk}/", f"/drift/{watch.pk}/scores.json")
    few = {address: queries_of(page, address) for address in addresses}
    for _ in range(3):
        replay_scored(watch, 0.1)
    watched(interval="week", seeds=tuple(range(7)))
    assert {address: queries_of(page, address) for address in addresses} == few
    assert few["/drift/"] == SIGNED_IN + 1


def test_the_api_creates_reads_and_controls_watches(client, owner, agent, maker):
    from django.utils import timezone

    from api.services import personal_token_create

    later = timezone.now() + timezone.timedelta(days=1)
    _, token = personal_token_create(actor=owner, name="drift", scopes=["read", "launch"], expires_at=later)
    options = {"content_type": "application/json", "headers": {"Authorization": f"Bearer {token}"}}
    body = {"agent": agent.slug, "environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-5", "periods": 1}

    def post(path, body):
        return client.post(f"/api/v1/watches{path}", json.dumps(body), **options)

    few, absent = post("", body | {"seeds": "0"}).json(), post("", body | {"agent": ""}).json()
    assert few["error"]["fields"]["seeds"].startswith("1 instance is too few:")
    assert absent["error"]["fields"] == {"agent": "Choose at least one agent."}
    made = post("", body)
    assert made.status_code == 201, made.text
    watch = Watch.objects.get()
    assert made.json()["id"] == watch.pk and made.json()["interval"] == "month"
    replay_scored(watch, 0.8, 0.8)
    replay_scored(watch, 0.4)
    got = client.get(f"/api/v1/watches/{watch.pk}", **options).json()
    assert [row["score"] for row in got["rounds"]] == [80.0, 80.0, 40.0] and got["notices"][0]["kind"] == "score"
    assert client.get("/api/v1/watches", **options).json()["items"][0]["id"] == watch.pk
    assert post(f"/{watch.pk}/pause", {}).json()["state"] == "paused"
    assert post(f"/{watch.pk}/resume", {}).json()["state"] == "active"
    assert post(f"/{watch.pk}/seen", {"new_baseline": True}).json() == {"changed": 1}
    assert client.delete(f"/api/v1/watches/{watch.pk}", **options).status_code == 204
    assert not Watch.objects.exists()


@pytest.mark.long
def test_the_command_lists_watches_and_prints_the_rounds_of_a_watch(watched, capsys):
    call_command("drift")
    assert capsys.readouterr().out.startswith("No agent is watched.")
    watch = watched()
    replay(watch, 2)
    call_command("drift")
    assert capsys.readouterr().out == f"{watch.pk}: Small model, every month, active\n"
    call_command("drift", str(watch.pk))
    lines = capsys.readouterr().out.splitlines()
    assert "(baseline) gpt-a-2026-01-01; default; North" in lines[0] and "(0.0, p = 1.00)" in lines[2]
    call_command("drift", str(watch.pk), "--json")
    assert json.loads(capsys.readouterr().out)["rounds"][2]["calls"]["upstream"]["North"] > 0
    with pytest.raises(SystemExit):
        call_command("drift", str(watch.pk + 1))
