"""Mentions notify members of the organization only, once, and by e-mail if the site can send it."""

import pytest
from django.core import mail
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.models import Membership, Notice
from accounts.outbox import notices_send
from accounts.services import member_remove
from tests.visitors import signed_in
from workspace.discussion.mentions import mark_mentions
from workspace.discussion.models import Mention
from workspace.discussion.services.comments import comment_edit


def mentioned(**filters):
    return sorted(Mention.objects.filter(**filters).values_list("user__username", flat=True))


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("@vera", ["vera"]),
        ("Ask @vera. And @VERA!", ["vera"]),
        ("(@vera, @v.rubin)", ["vera", "v.rubin"]),
        ("@v.rubin.", ["v.rubin"]),
        ("@vera's and @vera- too", ["vera"]),
        ("me@vera.org, a@vera, @@vera", []),
        ("@verax @ver @nobody https://x.test/@vera", []),
        ("<code>@vera</code> <pre>@vera</pre> <em>@v.rubin</em>", ["v.rubin"]),
        ("@vera&amp;co", ["vera"]),
    ],
)
def test_a_mention_is_a_complete_name_outside_of_code(html, names):
    marked = mark_mentions(SafeString(html), ["vera", "v.rubin"])
    assert list(marked.names) == names
    assert all(f'<span class="mention">@{name}</span>' in marked.html for name in names)


@pytest.mark.long
def test_a_mentioned_member_sees_the_mention_and_opening_it_marks_it_as_read(cast, run, say, text):
    comment = say(cast.edda, "@vera, is **this** odd?", period=2)
    address = f"/mentions/{Mention.objects.get().pk}/"
    assert cast.browsers["alice"].get(address).status_code == 404, "the mention of somebody else"
    assert 'aria-label="Mentions, 1 not opened yet"' in text("vera", "/experiments/")
    page = text("vera", "/mentions/")
    assert f"edda on period 2 of run {run.pk}" in page and "@vera, is this odd?" in page and "1 not opened" in page
    opened = cast.browsers["vera"].get(address)
    assert opened["Location"] == f"/runs/{run.pk}/periods/2/?tab=comments#comment-{comment.pk}"
    assert 'aria-label="Mentions"' in text("vera", "/experiments/")
    assert "All opened." in text("vera", "/mentions/")


def test_all_can_be_marked_as_read_at_once(cast, say):
    for text in ("@vera one", "@vera two", "@alice three"):
        say(cast.edda, text)
    answer = cast.browsers["vera"].post("/mentions/read/", follow=True)
    assert "Marked 2 mentions as read." in answer.text
    assert mentioned(read_at=None) == ["alice"]


def test_the_mentions_page_explains_mentions_if_there_are_none(cast, say, text):
    say(cast.vera, "My own name: @vera.")
    shown = text("vera", "/mentions/")
    assert "No mentions yet." in shown and "@vera" in shown


@pytest.mark.long
def test_only_members_of_the_organization_can_be_mentioned(cast, run, say, text, other, owner, join):
    member_remove(actor=owner, membership=join("gone", "viewer"))
    closed = join("closed", "viewer").user
    closed.is_active = False
    closed.save()
    say(cast.edda, "@mallory @gone @closed @nobody @vera")
    assert mentioned() == ["vera"]
    shown = text("alice", f"/runs/{run.pk}/")
    assert shown.count('class="mention"') == 1 and "@mallory" in shown


@pytest.mark.long
def test_a_removed_member_sees_no_mentions(cast, say, owner, other):
    Membership.objects.create(organization=other.organization, user=cast.vera, role="viewer")
    say(cast.edda, "@vera look")
    number = Mention.objects.get().pk
    member_remove(actor=owner, membership=cast.vera.memberships.get(organization=owner.organization))
    browser = signed_in(cast.vera)
    shown = browser.get("/mentions/").text
    assert "edda" not in shown and 'aria-label="Mentions"' in shown
    assert browser.get(f"/mentions/{number}/").status_code == 404


@pytest.mark.long
def test_a_mention_opens_in_another_organization_of_the_reader(cast, run, say, other):
    Membership.objects.create(organization=other.organization, user=cast.vera, role="viewer")
    browser = cast.browsers["vera"]
    browser.post("/organization/switch/", {"organization": other.organization_id})
    say(cast.edda, "@vera look")
    assert browser.get(f"/runs/{run.pk}/").status_code == 404
    assert browser.get(f"/mentions/{Mention.objects.get().pk}/", follow=True).status_code == 200


def test_an_edit_notifies_only_newly_mentioned_members(cast, say, join):
    join("otto", "editor")
    comment = say(cast.edda, "@vera @alice")
    Mention.objects.update(read_at="2026-01-01T00:00Z")
    comment_edit(comment=comment, user=cast.edda, text="@vera @otto")
    assert mentioned() == ["otto", "vera"]
    assert mentioned(read_at=None) == ["otto"]


def test_a_mentioned_member_gets_a_single_e_mail_with_a_link(cast, run, settings):
    settings.MAIL_WORKS = True
    cast.browsers["edda"].post(f"/runs/{run.pk}/periods/1/comments/", {"text": "@vera & @alice: 3 < 4? @vera"})
    assert not mail.outbox, "a mail server was asked inside a request"
    notices_send()
    assert sorted(message.to[0] for message in mail.outbox) == ["alice@example.org", "vera@example.org"]
    message = next(m for m in mail.outbox if m.to == ["vera@example.org"])
    assert message.subject == f"edda mentioned you in a comment on period 1 of run {run.pk}"
    number = Mention.objects.get(user=cast.vera).pk
    assert f"http://testserver/mentions/{number}/" in message.body and "@alice: 3 < 4?" in message.body


def test_a_site_without_mail_and_mentions_of_oneself_send_no_e_mail(cast, say, settings):
    say(cast.edda, "@vera", site="http://testserver/")
    settings.MAIL_WORKS = True
    say(cast.edda, "@edda and no one else", site="http://testserver/")
    notices_send()
    assert not mail.outbox


def test_a_failed_e_mail_is_retried_unless_the_member_has_left(cast, run, settings, owner):
    settings.MAIL_WORKS = True
    working, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    cast.browsers["edda"].post(f"/runs/{run.pk}/comments/", {"text": "@vera @alice"})
    assert mentioned() == ["alice", "vera"]
    assert notices_send() == 0
    member_remove(actor=owner, membership=cast.vera.memberships.get())
    settings.EMAIL_BACKEND = working
    Notice.objects.update(due_at=timezone.now())
    notices_send()
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]
    assert not Notice.objects.exists()


def test_a_name_with_a_line_break_cannot_add_a_header(cast, run, settings):
    settings.MAIL_WORKS = True
    cast.edda.first_name = "Edda\nBcc: all@example.org"
    cast.edda.save()
    cast.browsers["edda"].post(f"/runs/{run.pk}/comments/", {"text": "@vera"})
    notices_send()
    assert "\n" not in mail.outbox[0].subject and mail.outbox[0].to == ["vera@example.org"]


def test_suggestions_contain_exactly_the_members(cast, other):
    people = cast.browsers["vera"].get("/mentions/people/").json()["people"]
    assert [person["username"] for person in people] == ["alice", "edda", "vera"]
    assert set(people[0]) == {"username", "name"}, "no addresses"
