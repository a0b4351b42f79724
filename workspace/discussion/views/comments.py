"""Comments on runs and periods, and the lists of one person: stars, and comments that mention them.

Requests by htmx get the part of the page that changed; others get a page or a redirect.
"""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.middleware import SESSION_KEY
from accounts.pages.requests import MemberRequest
from infrastructure.text.formats import counted
from workspace.discussion.models import Comment
from workspace.discussion.selectors import comments as reading
from workspace.discussion.services import comments as writing
from workspace.discussion.subjects import Subject
from workspace.discussion.views.subjects import deleted_is_404, subject_or_404


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "POST"])
@deleted_is_404
def comments(request: MemberRequest, **subject_ids: int) -> HttpResponse:
    subject = subject_or_404(request, **subject_ids)
    if request.method == "POST":
        text, site = request.POST.get("text", ""), request.build_absolute_uri("/")
        try:
            comment = writing.comment_create(subject=subject, author=request.user, text=text, site=site)
        except ValidationError as error:
            return (_section if request.htmx else _form_page)(request, subject, text, error.messages[0])
        return (
            _section(request, subject) if request.htmx else redirect(f"{subject.discussion_url}#comment-{comment.pk}")
        )
    if not request.htmx:
        return redirect(subject.discussion_url)
    if "version" in request.GET and request.GET["version"] == reading.comments_version(subject):
        return HttpResponse(status=204)
    everything = request.GET.get("comments") == "all"
    return render(
        request,
        "workspace/discussion/_comment_list.html",
        {
            "comments": reading.comments_of(subject=subject, reader=request.membership, everything=everything),
            "everything": everything,
            "live": True,
        },
    )


def _section(request: MemberRequest, subject: Subject, text: str = "", error: str = "") -> HttpResponse:
    return _form(
        request,
        "_comments",
        text,
        error,
        comments=reading.comments_of(subject=subject, reader=request.membership),
        live=True,
    )


def _form_page(request: MemberRequest, subject: Subject, text: str, error: str) -> HttpResponse:
    return _form(request, "comment_form", text, error, subject=subject)


def _form(request: MemberRequest, template: str, text: str, error: str, **context: Any) -> HttpResponse:
    """A template with the form of a comment. Status 422 with an error."""
    context |= {"text": text, "error": error, "most": writing.MAX_TEXT}
    return render(request, f"workspace/discussion/{template}.html", context, status=422 if error else 200)


@vary_on_headers("HX-Request")
@require_GET
def comment(request: MemberRequest, comment_id: int) -> HttpResponse:
    """One comment for htmx; otherwise a redirect to it on the page of its subject."""
    comment = reading.comment_or_404(organization=request.organization, comment_id=comment_id)
    if request.htmx:
        return _comment_fragment(request, comment)
    return redirect(address_of(comment))


def address_of(comment: Comment) -> str:
    """The URL of a comment. It also shows the earlier comments if the comment is one of them."""
    url = comment.subject.discussion_url
    if reading.is_early(comment):
        url += ("&" if "?" in url else "?") + "comments=all"
    return f"{url}#comment-{comment.pk}"


def _comment_fragment(request: MemberRequest, comment: Comment) -> HttpResponse:
    return render(
        request,
        "workspace/discussion/_comment.html",
        {"comment": reading.comment_view(comment, request.membership), "subject": comment.subject},
    )


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, comment_id: int) -> HttpResponse:
    comment = reading.comment_or_404(organization=request.organization, comment_id=comment_id)
    if comment.author_id != request.user.pk:
        raise PermissionDenied(writing.NOT_YOURS)
    if request.method == "GET":
        return _editor(request, comment, comment.text)
    text = request.POST.get("text", "")
    try:
        writing.comment_edit(comment=comment, user=request.user, text=text, site=request.build_absolute_uri("/"))
    except ValidationError as error:
        return _editor(request, comment, text, error.messages[0])
    return _comment_fragment(request, comment) if request.htmx else redirect(address_of(comment))


def _editor(request: MemberRequest, comment: Comment, text: str, error: str = "") -> HttpResponse:
    return _form(
        request,
        "_comment_edit" if request.htmx else "comment_form",
        text,
        error,
        comment=comment,
        subject=comment.subject,
    )


@require_POST
def delete(request: MemberRequest, comment_id: int) -> HttpResponse:
    comment = reading.comment_or_404(organization=request.organization, comment_id=comment_id)
    writing.comment_delete(comment=comment, actor=request.membership)
    if request.htmx:
        return _section(request, comment.subject)
    messages.success(request, "Deleted the comment.")
    return redirect(comment.subject.discussion_url)


@require_POST
@deleted_is_404
def star(request: MemberRequest, **subject_ids: int) -> HttpResponse:
    """Set or remove the star according to the field `starred`, so that a repeated click changes nothing."""
    subject = subject_or_404(request, **subject_ids)
    starred = request.POST.get("starred") == "1"
    writing.star_set(subject=subject, user=request.user, starred=starred)
    if request.htmx:
        return render(
            request,
            "workspace/discussion/_star.html",
            {
                "star_url": subject.star_url,
                "slug": subject.slug,
                "starred": starred,
                "brief": "brief" in request.POST,
            },
        )
    return redirect(subject.url)


@require_GET
def starred(request: MemberRequest) -> HttpResponse:
    page = reading.starred_page(organization=request.organization, user=request.user, page=request.GET.get("page"))
    return render(request, "workspace/discussion/starred.html", {"page": page})


@require_GET
def mentions(request: MemberRequest) -> HttpResponse:
    page = reading.mention_page(organization=request.organization, user=request.user, page=request.GET.get("page"))
    unread = reading.unread_mentions(organization=request.organization, user=request.user)
    return render(request, "workspace/discussion/mentions.html", {"page": page, "unread": unread})


@require_GET
@never_cache
def mention(request: MemberRequest, mention_id: int) -> HttpResponse:
    """Mark the mention as read, switch to its organization, and redirect to the comment."""
    mention = reading.mention_or_404(memberships=request.memberships, user=request.user, mention_id=mention_id)
    writing.mention_read(mention=mention)
    request.session[SESSION_KEY] = mention.organization_id
    return redirect(address_of(mention.comment))


@require_POST
def read_all(request: MemberRequest) -> HttpResponse:
    number = writing.mentions_read(organization=request.organization, user=request.user)
    messages.success(request, f"Marked {counted(number, 'mention,mentions')} as read.")
    return redirect("discussion:mentions")


@require_GET
@never_cache
def people(request: MemberRequest) -> JsonResponse:
    """The members that a comment can mention, as JSON, for suggestions while typing."""
    return JsonResponse({"people": reading.people_to_mention(request.organization)})
