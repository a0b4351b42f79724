"""Comments: created by every member, edited by their authors, deleted by authors and owners, linked by URL."""

from __future__ import annotations

import re

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry
from accounts.services import member_remove
from discussion.models import Comment, Mention, Tagging
from discussion.selectors.comments import SHOWN
from discussion.services import comment_create, comment_edit
from discussion.subjects import Subject
from runs.services import experiment_delete

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize("who", ["alice", "edda", "vera"])
def test_every_member_comments_on_a_run_and_on_a_period(cast, run, who):
    browser = cast.browsers[who]
    on_run = browser.post(f"/runs/{run.pk}/comments/", {"text": "A **bold** claim."})
    on_period = browser.post(f"/runs/{run.pk}/periods/2/comments/", {"text": "Look here."})
    first, second = Comment.objects.order_by("id")
    assert on_run["Location"] == f"/runs/{run.pk}/#comment-{first.pk}"
    assert on_period["Location"] == f"/runs/{run.pk}/periods/2/?tab=comments#comment-{second.pk}"
    text = browser.get(on_run["Location"]).content.decode()
    assert "A <strong>bold</strong> claim." in text and "Look here." not in text
    assert "Look here." in browser.get(on_period["Location"]).content.decode()


def test_the_answer_to_htmx_is_the_part_that_changed_with_the_number_on_its_tab(cast, run):
    response = cast.browsers["edda"].post(f"/runs/{run.pk}/periods/1/comments/", {"text": "Hm."}, headers=HTMX)
    text = response.content.decode()
    assert response.status_code == 200 and "<html" not in text and "Hm." in text
    assert re.search(rf'<span id="count-period-{run.pk}-1"[^>]*hx-swap-oob="true">1</span>', text)


def test_an_author_changes_a_comment_and_it_says_so(cast, run, say):
    comment = say(cast.vera, "First.")
    browser = cast.browsers["vera"]
    assert "First." in browser.get(f"/comments/{comment.pk}/edit/", headers=HTMX).content.decode()
    changed = browser.post(f"/comments/{comment.pk}/edit/", {"text": "Second."}, headers=HTMX).content.decode()
    assert "Second." in changed and "edited" in changed
    page = browser.get(f"/runs/{run.pk}/").content.decode()
    assert "Second." in page and "First." not in page


def test_saving_what_was_there_is_no_edit(cast, say):
    comment = say(cast.vera, "First.")
    comment_edit(comment=comment, user=cast.vera, text=" First.\r\n")
    comment.refresh_from_db()
    assert comment.edited_at is None


def test_nobody_changes_the_comment_of_somebody_else(cast, say):
    comment = say(cast.vera, "Mine.")
    for who in ("alice", "edda"):
        assert cast.browsers[who].get(f"/comments/{comment.pk}/edit/").status_code == 403
        assert cast.browsers[who].post(f"/comments/{comment.pk}/edit/", {"text": "Yours."}).status_code == 403
    comment.refresh_from_db()
    assert comment.text == "Mine."


def test_authors_and_owners_delete_and_the_log_tells_only_of_the_owners_deed(cast, run, say):
    own, foreign = say(cast.vera, "One."), say(cast.vera, "Two.", period=3)
    assert cast.browsers["edda"].post(f"/comments/{own.pk}/delete/").status_code == 403
    assert cast.browsers["vera"].post(f"/comments/{own.pk}/delete/")["Location"] == f"/runs/{run.pk}/"
    cast.browsers["alice"].post(f"/comments/{foreign.pk}/delete/", headers=HTMX)
    assert not Comment.objects.exists()
    entry = AuditEntry.objects.get(action="comment.deleted")
    assert (entry.actor_name, entry.subject) == ("alice", f"of vera on period 3 of run {run.pk}")


def test_deleting_asks_first_and_only_who_may_is_asked(cast, run, say):
    comment = say(cast.vera, "Mine.")
    dialog = f'id="delete-comment-{comment.pk}" popover'
    assert dialog in cast.browsers["vera"].get(f"/runs/{run.pk}/").content.decode()
    assert "The audit log says" in cast.browsers["alice"].get(f"/runs/{run.pk}/").content.decode()
    assert dialog not in cast.browsers["edda"].get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "Write something first."), (" \n\x00 ", "Write something first."), ("x" * 10_001, "this one has 10,001")],
)
def test_a_text_that_cannot_be_kept_comes_back_with_a_sentence(cast, run, text, sentence):
    for headers in ({}, HTMX):
        response = cast.browsers["vera"].post(f"/runs/{run.pk}/comments/", {"text": text}, headers=headers)
        assert response.status_code == 422
        assert sentence in response.content.decode()
        assert "x" * len(text.strip("\x00 \n")) in response.content.decode()
    assert not Comment.objects.exists()


def test_line_breaks_count_once(cast, say):
    assert say(cast.vera, "a\r\n" * 4_999 + "aa").text == "a\n" * 4_999 + "aa"
    with pytest.raises(ValidationError):
        say(cast.vera, "a\r\n" * 5_000 + "aa")


def test_a_period_that_a_run_does_not_have_cannot_be_commented_on(cast, run):
    assert cast.browsers["alice"].post(f"/runs/{run.pk}/periods/4/comments/", {"text": "?"}).status_code == 404


def test_the_address_of_a_comment_leads_to_its_place_also_of_an_early_one(cast, run, say):
    first = say(cast.edda, "The first.", period=1)
    address = f"/runs/{run.pk}/periods/1/?tab=comments"
    assert cast.browsers["vera"].get(f"/comments/{first.pk}/")["Location"] == f"{address}#comment-{first.pk}"
    for number in range(SHOWN):
        say(cast.edda, f"Number {number}.", period=1)
    leading = cast.browsers["vera"].get(f"/comments/{first.pk}/")["Location"]
    assert leading == f"{address}&comments=all#comment-{first.pk}"
    short = cast.browsers["vera"].get(address).content.decode()
    assert "The first." not in short and "Show 1 earlier comment" in short
    assert "The first." in cast.browsers["vera"].get(leading).content.decode()


def test_comments_of_others_come_in_and_nothing_is_sent_when_nothing_changed(cast, run, say):
    browser, address = cast.browsers["vera"], f"/runs/{run.pk}/comments/"
    version = re.search(r"version=([\d.]+)", browser.get(f"/runs/{run.pk}/").content.decode())[1]
    assert browser.get(address, {"version": version}, headers=HTMX).status_code == 204
    say(cast.edda, "News.")
    assert "News." in browser.get(address, {"version": version}, headers=HTMX).content.decode()
    assert browser.get(address)["Location"] == f"/runs/{run.pk}/", "without a script it is the page"


def test_deleting_one_and_writing_one_is_a_change(cast, run, say):
    from discussion.selectors.comments import comments_of

    reader, subject = cast.vera.memberships.get(), Subject(run)
    first = say(cast.edda, "One.")
    before = comments_of(subject=subject, reader=reader).version
    first.delete()
    say(cast.edda, "Two.")
    assert comments_of(subject=subject, reader=reader).version != before


def test_a_removed_members_comments_stay_under_their_name(cast, run, say, owner):
    say(cast.vera, "I was here.")
    member_remove(actor=owner, membership=cast.vera.memberships.get())
    text = cast.browsers["alice"].get(f"/runs/{run.pk}/").content.decode()
    assert "I was here." in text and "<strong>vera</strong>" in text
    cast.vera.delete()
    assert "<strong>vera</strong>" in cast.browsers["alice"].get(f"/runs/{run.pk}/").content.decode()


def test_periods_with_comments_can_be_jumped_to(cast, run, say):
    say(cast.vera, "One.", period=2)
    say(cast.edda, "Two.", period=2)
    text = cast.browsers["alice"].get(f"/runs/{run.pk}/periods/0/").content.decode()
    assert re.search(rf'href="/runs/{run.pk}/periods/2/\?tab=comments"[^>]*>2 comments', text)


def test_everything_said_goes_with_the_experiment(cast, run, say):
    from discussion.models import Star
    from discussion.services import star_set, tag_add

    say(cast.edda, "@vera look", period=1)
    tag_add(subject=Subject(run, 1), name="odd", user=cast.edda)
    tag_add(subject=Subject(run.experiment), name="odd", user=cast.edda)
    star_set(subject=Subject(run, 1), user=cast.vera, starred=True)
    experiment_delete(experiment=run.experiment)
    for model in (Comment, Mention, Tagging, Star):
        assert not model.objects.exists(), model
    assert run.organization.tags.get().name == "odd"


def test_a_waiting_period_can_be_commented_on_without_losing_what_is_typed(cast, launch):
    run = launch("random").runs.get()
    waiting = cast.browsers["vera"].get(f"/runs/{run.pk}/periods/0/").content.decode()
    talking = cast.browsers["vera"].get(f"/runs/{run.pk}/periods/0/?tab=comments").content.decode()
    assert 'hx-trigger="every 3s"' in waiting and 'hx-trigger="every 3s"' not in talking
    assert comment_create(subject=Subject(run, 0), author=cast.vera, text="I wait.").period_index == 0
