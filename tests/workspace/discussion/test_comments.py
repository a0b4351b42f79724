"""Comments: created by every member, edited by their authors, deleted by authors and owners, linked by URL."""

import re

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry
from accounts.services.organizations import member_remove
from runs.services.deletions import experiment_delete
from workspace.discussion.models import Comment, Mention, Star, Tagging
from workspace.discussion.selectors.comments import LATEST_COMMENTS
from workspace.discussion.services.comments import comment_create, comment_edit, star_set
from workspace.discussion.subjects import Subject

HTMX = {"HX-Request": "true"}


@pytest.mark.long
def test_every_member_comments_on_a_run_and_on_a_period(cast, run, text):
    for who in ("alice", "edda", "vera"):
        post = cast.browsers[who].post
        on_run = post(f"/runs/{run.pk}/comments/", {"text": f"A **bold** claim of {who}."})["Location"]
        on_period = post(f"/runs/{run.pk}/periods/2/comments/", {"text": f"Look here, {who}."})["Location"]
        second, first = Comment.objects.order_by("-id")[:2]
        assert on_run == f"/runs/{run.pk}/#comment-{first.pk}"
        assert on_period == f"/runs/{run.pk}/periods/2/?tab=comments#comment-{second.pk}"
        shown = text(who, on_run)
        assert f"A <strong>bold</strong> claim of {who}." in shown and "Look here" not in shown
        assert f"Look here, {who}." in text(who, on_period)


def test_htmx_gets_only_the_changed_part_and_the_number_on_its_tab(cast, run):
    response = cast.browsers["edda"].post(f"/runs/{run.pk}/periods/1/comments/", {"text": "Hm."}, headers=HTMX)
    shown = response.text
    assert response.status_code == 200 and "<html" not in shown and "Hm." in shown
    assert re.search(rf'<span id="count-period-{run.pk}-1"[^>]*hx-swap-oob="true">1</span>', shown)
    assert cast.browsers["edda"].post(f"/runs/{run.pk}/periods/4/comments/", {"text": "?"}).status_code == 404


@pytest.mark.long
def test_only_its_author_can_edit_a_comment_and_edits_are_marked(cast, run, say, text):
    comment = say(cast.vera, "First.")
    edit = f"/comments/{comment.pk}/edit/"
    for who in ("alice", "edda"):
        assert cast.browsers[who].get(edit).status_code == 403
        assert cast.browsers[who].post(edit, {"text": "Yours."}).status_code == 403
    comment_edit(comment=comment, user=cast.vera, text=" First.\r\n")
    comment.refresh_from_db()
    assert (comment.text, comment.edited_at) == ("First.", None), "an unchanged text is not an edit"
    assert "First." in text("vera", edit, headers=HTMX)
    changed = cast.browsers["vera"].post(edit, {"text": "Second."}, headers=HTMX).text
    assert "Second." in changed and "edited" in changed
    page = text("vera", f"/runs/{run.pk}/")
    assert "Second." in page and "First." not in page


@pytest.mark.long
def test_authors_and_owners_delete_comments_and_the_log_records_owners(cast, run, say, text):
    own, foreign = say(cast.vera, "One."), say(cast.vera, "Two.", period=3)
    dialog = f'id="delete-comment-{own.pk}" popover'
    assert dialog in text("vera", f"/runs/{run.pk}/")
    assert "The audit log will say" in text("alice", f"/runs/{run.pk}/")
    assert dialog not in text("edda", f"/runs/{run.pk}/")
    assert cast.browsers["edda"].post(f"/comments/{own.pk}/delete/").status_code == 403
    assert cast.browsers["vera"].post(f"/comments/{own.pk}/delete/")["Location"] == f"/runs/{run.pk}/"
    cast.browsers["alice"].post(f"/comments/{foreign.pk}/delete/", headers=HTMX)
    assert not Comment.objects.exists()
    entry = AuditEntry.objects.get(action="comment.deleted")
    assert (entry.actor_name, entry.subject) == ("alice", f"of vera on period 3 of run {run.pk}")


@pytest.mark.long
def test_an_invalid_text_is_kept_with_a_sentence_and_line_breaks_count_once(cast, run, say):
    empty = "Write something first."
    for typed, sentence in (("", empty), (" \n\x00 ", empty), ("x" * 10_001, "this one has 10,001")):
        for headers in ({}, HTMX):
            response = cast.browsers["vera"].post(f"/runs/{run.pk}/comments/", {"text": typed}, headers=headers)
            shown = response.text
            assert response.status_code == 422
            assert sentence in shown and typed.strip("\x00 \n") in shown
    with pytest.raises(ValidationError):
        say(cast.vera, "a\r\n" * 5_000 + "aa")
    assert not Comment.objects.exists()
    assert say(cast.vera, "a\r\n" * 4_999 + "aa").text == "a\n" * 4_999 + "aa"


@pytest.mark.long
def test_the_address_of_a_comment_opens_it_even_among_earlier_comments(cast, run, say, text):
    first = say(cast.edda, "The first.", period=1)
    address = f"/runs/{run.pk}/periods/1/?tab=comments"
    assert cast.browsers["vera"].get(f"/comments/{first.pk}/")["Location"] == f"{address}#comment-{first.pk}"
    for number in range(LATEST_COMMENTS):
        say(cast.edda, f"Number {number}.", period=1)
    leading = cast.browsers["vera"].get(f"/comments/{first.pk}/")["Location"]
    assert leading == f"{address}&comments=all#comment-{first.pk}"
    short = text("vera", address)
    assert "The first." not in short and "Show 1 earlier comment" in short
    assert "The first." in text("vera", leading)


@pytest.mark.long
def test_polls_return_new_comments_and_only_after_a_change(cast, run, say, text):
    browser, address = cast.browsers["vera"], f"/runs/{run.pk}/comments/"

    def version():
        return re.search(r"version=([\d.]+)", text("vera", f"/runs/{run.pk}/"))[1]

    before = version()
    assert browser.get(address, {"version": before}, headers=HTMX).status_code == 204
    first = say(cast.edda, "News.")
    assert "News." in browser.get(address, {"version": before}, headers=HTMX).text
    before = version()
    first.delete()
    say(cast.edda, "As many as before.")
    assert "As many" in browser.get(address, {"version": before}, headers=HTMX).text
    assert browser.get(address)["Location"] == f"/runs/{run.pk}/", "without a script it is the page"


@pytest.mark.long
def test_a_removed_members_comments_stay_under_their_name(cast, run, say, text, owner):
    say(cast.vera, "I was here.")
    member_remove(actor=owner, membership=cast.vera.memberships.get())
    shown = text("alice", f"/runs/{run.pk}/")
    assert "I was here." in shown and "<strong>vera</strong>" in shown
    cast.vera.delete()
    assert "<strong>vera</strong>" in text("alice", f"/runs/{run.pk}/")


def test_periods_with_comments_are_jump_targets(cast, run, say, text):
    say(cast.vera, "One.", period=2)
    say(cast.edda, "Two.", period=2)
    shown = text("alice", f"/runs/{run.pk}/periods/0/")
    assert re.search(rf'href="/runs/{run.pk}/periods/2/\?tab=comments"[^>]*>2 comments', shown)


def test_an_experiment_is_deleted_with_its_discussion(cast, run, say, tag):
    say(cast.edda, "@vera look", period=1)
    tag(period=1), tag(on=run.experiment)
    star_set(subject=Subject(run, 1), user=cast.vera, starred=True)
    experiment_delete(experiment=run.experiment)
    run.experiment.delete()
    for model in (Comment, Mention, Tagging, Star):
        assert not model.objects.exists(), model
    assert run.organization.tags.get().name == "odd"


def test_commenting_on_a_waiting_period_keeps_the_typed_text(cast, launch, text):
    run = launch("random").runs.get()
    waiting = text("vera", f"/runs/{run.pk}/periods/0/")
    commenting = text("vera", f"/runs/{run.pk}/periods/0/?tab=comments")
    assert 'hx-trigger="every 2s"' in waiting and 'hx-trigger="every 3s"' not in commenting
    assert comment_create(subject=Subject(run, 0), author=cast.vera, text="I wait.").period_index == 0
