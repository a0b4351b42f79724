"""Deleted objects disappear from every page, are listed for a day, and can be restored by a button."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.deletions import KEPT_FOR
from accounts.services.deletions import deleted_remove
from analysis.base.benchmark_filters import TableFilter
from analysis.models import Leaderboard
from analysis.notes.search.indexing import has_work, index_for
from analysis.saved.services import MOST_PINNED, leaderboard_create, leaderboard_delete, leaderboard_pin
from runs.findings.services import findings_compute
from runs.models import Exchange, Experiment, MonthlySpend, Note, Run
from runs.services.deletions import experiment_delete, experiment_undelete
from sharing.services import share_link_create
from workspace.discussion.models import Mention
from workspace.discussion.services.comments import comment_create, star_set
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject

NAME = "Zqx gone tomorrow"


def age(row):
    type(row).with_deleted.filter(pk=row.pk).update(deleted_at=timezone.now() - KEPT_FOR - timedelta(seconds=1))


@pytest.fixture
def leaderboard(organization, alice):
    return lambda name=NAME: leaderboard_create(
        organization=organization, user=alice, kind="benchmark", name=name, filters=TableFilter()
    )


@pytest.fixture
def noticed(played, alice, join):
    """A finished experiment that stands in as many places of the site as it can."""
    experiment = played("random")
    Experiment.objects.filter(pk=experiment.pk).update(name=NAME)
    experiment.refresh_from_db()
    run = experiment.runs.get()
    findings_compute(run=run)
    tag_add(subject=Subject(experiment), name="odd", user=alice)
    tag_add(subject=Subject(run), name="odd", user=alice)
    star_set(subject=Subject(run), user=alice, starred=True)
    comment_create(subject=Subject(run), author=join("bob", "editor").user, text=f"Look at the {NAME}, @alice")
    Note.objects.create(run=run, period_index=0, seat="seat_0", order=9, text=NAME)
    index_for(5)
    return run


@pytest.mark.long
def test_a_deleted_experiment_appears_nowhere_until_the_undo(page, noticed, owner, client):
    run, experiment = noticed, noticed.experiment
    tag, mention = owner.organization.tags.get(), Mention.objects.get()
    links = [share_link_create(actor=owner, target=one, lasts="7")[1] for one in (experiment, run)]
    lists = {
        "/experiments/": NAME,
        "/runs/": f'href="/runs/{run.pk}/"',
        f"/go/?q={run.pk}": f"/runs/{run.pk}/",
        "/go/?q=Zqx": NAME,
        "/starred/": f"/runs/{run.pk}/",
        "/mentions/": f"/mentions/{mention.pk}/",
        f"/tags/{tag.pk}/": NAME,
        "/share/": NAME,
        f"/instances/{run.instance_id}/": f'href="/runs/{run.pk}/"',
        "/agents/random/": f"/runs/{run.pk}/",
        "/agents/history.csv?agents=random": "pricing",
        "/search/?q=gone": f"/runs/{run.pk}/periods/0/",
        "/experiments/?text=Zqx": NAME,
    }
    own = [
        f"/experiments/{experiment.pk}/",
        f"/experiments/{experiment.pk}/scores.json",
        f"/experiments/{experiment.pk}/ledger/",
        f"/experiments/{experiment.pk}/report/",
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/periods/0/",
        f"/runs/{run.pk}/figure.json",
        f"/runs/{run.pk}/quality.json",
        f"/mentions/{mention.pk}/",
        f"/compare/runs/?run={run.pk}&run={run.pk}",
    ]

    def shown():
        at = {address: page.get(address) for address in lists}
        return {address for address, answer in at.items() if lists[address] in answer.content.decode()}

    def codes():
        return [page.get(address).status_code for address in own], [
            client.get(f"/s/{one}/").status_code for one in links
        ]

    before, first = shown(), codes()
    assert before == lists.keys() and first == ([200] * 8 + [302, 200], [200, 200]), (lists.keys() - before, first)
    experiment_delete(experiment=experiment)
    assert not shown()
    assert codes()[0][:9] == [404] * 9 and codes()[1] == [404, 404]
    assert not has_work(), "the search does not wait for hidden runs"
    experiment_undelete(experiment=experiment)
    assert shown() == before and codes() == first


@pytest.mark.long
def test_the_message_and_the_list_of_deletions_offer_an_undo(page, launch, alice):
    experiment = launch("random")
    Experiment.objects.update(name=NAME)
    answer = page.post(f"/experiments/{experiment.pk}/delete/", follow=True)
    undo = f"/deleted/experiment/{experiment.pk}/undo/"
    assert f"Deleted {NAME} with all its runs." in answer.text and f'action="{undo}"' in answer.text
    listed = page.get("/deleted/").text
    assert f">{NAME}</th>" in listed and f">{alice.shown_name}</td>" in listed and re.search(r"1 d|23 h 59", listed)
    back = page.post(undo, follow=True)
    assert back.redirect_chain == [(f"/experiments/{experiment.pk}/", 302)]
    assert f"The experiment {NAME} is back. 1 run is paused; choose Resume to play on." in back.text
    assert page.post(undo).url == f"/experiments/{experiment.pk}/", "twice is no more than once"
    assert "Nothing was deleted within the last day." in page.get("/deleted/").text


@pytest.mark.long
def test_undo_ends_after_a_day_and_after_permanent_deletion(page, stranger, viewer, launch, leaderboard):
    experiment, saved = launch("random"), leaderboard()
    for row, address in ((experiment, f"experiments/{experiment.pk}"), (saved, f"leaderboards/{saved.pk}")):
        page.post(f"/{address}/delete/")
        for kind in ("undo", "remove"):
            where = f"/deleted/{row._meta.model_name}/{row.pk}/{kind}/"
            assert (stranger.post(where).status_code, viewer.post(where).status_code) == (404, 403)
    assert NAME not in viewer.get("/deleted/").text
    age(experiment)
    assert page.post(f"/deleted/experiment/{experiment.pk}/undo/").status_code == 404
    assert experiment.name not in page.get("/deleted/").text
    gone = page.post(f"/deleted/leaderboard/{saved.pk}/remove/", follow=True)
    assert f"Deleted the leaderboard {NAME} for good." in gone.text
    assert not Leaderboard.with_deleted.exists() and "Deleted for good" in page.get("/organization/audit/").text
    assert page.post("/deleted/nothing/1/undo/").status_code == 404


@pytest.mark.long
def test_a_leaderboard_is_restored_with_its_links_unless_its_name_is_in_use(page, client, leaderboard, owner):
    saved = leaderboard()
    leaderboard_pin(leaderboard=saved, pinned=True)
    _, token = share_link_create(actor=owner, target=saved, lasts="7")
    page.post(f"/leaderboards/{saved.pk}/delete/")
    assert page.get(f"/leaderboards/{saved.pk}/").status_code == 404
    assert client.get(f"/s/{token}/").status_code == 404 and NAME not in page.get("/leaderboards/pinned/").text
    other, undo = leaderboard(), f"/deleted/leaderboard/{saved.pk}/undo/"
    assert f"Another leaderboard is called {NAME} now." in page.post(undo, follow=True).text
    leaderboard_delete(leaderboard=other, user=None)
    for number in range(MOST_PINNED):
        leaderboard_pin(leaderboard=leaderboard(f"Pinned {number}"), pinned=True)
    assert page.post(undo).url == f"/leaderboards/{saved.pk}/"
    assert client.get(f"/s/{token}/").status_code == 200
    assert not Leaderboard.objects.get(pk=saved.pk).is_pinned, "there was no more room"


@pytest.mark.long
def test_only_an_agent_without_runs_can_be_deleted(page, launch, agent):
    unused, used = agent("gpt-5"), agent("gpt-5-mini")
    launch(used.slug)
    assert f"/agents/{unused.pk}/delete/" in page.get(f"/agents/{unused.slug}/").text
    assert f"/agents/{used.pk}/delete/" not in page.get(f"/agents/{used.slug}/").text
    assert "Runs have used this agent" in page.post(f"/agents/{used.pk}/delete/", follow=True).text
    answer = page.post(f"/agents/{unused.pk}/delete/", follow=True)
    assert f"Deleted {unused.name}." in answer.text and f"/agents/{unused.slug}/" not in answer.text
    assert f'value="{unused.pk}"' not in page.get("/experiments/new/").text
    assert page.get(f"/agents/{unused.slug}/").status_code == 404
    assert page.post(f"/deleted/agent/{unused.pk}/undo/").url == f"/agents/{unused.slug}/"


@pytest.mark.long
def test_an_experiment_is_removed_after_a_day_and_its_cost_stays_in_the_month(billed, organization):
    experiment = billed()
    Run.objects.update(fence=2)
    spent = MonthlySpend.objects.get(organization=organization, user=None).cost_nano
    experiment_delete(experiment=experiment)
    booked = MonthlySpend.objects.get(organization=organization, user=None)
    assert booked.cost_nano > spent and booked.reserved_nano == 0, "the call in flight is booked at its maximum"
    deleted_remove()
    assert Run.with_deleted.exists() and Exchange.objects.exists(), "the day is not over"
    age(experiment)
    with pytest.raises(ValidationError, match="more than a day ago"):
        experiment_undelete(experiment=experiment)
    deleted_remove()
    assert not Experiment.with_deleted.exists() and not Run.with_deleted.exists() and not Exchange.objects.exists()
    assert MonthlySpend.objects.get(organization=organization, user=None).cost_nano == booked.cost_nano
    with pytest.raises(ValidationError, match="for good"):
        experiment_undelete(experiment=experiment)
