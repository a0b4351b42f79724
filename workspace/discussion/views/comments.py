"""Comments on runs and periods: list, create, edit and delete.

Requests by htmx get the part of the page that changed; others get a page or a redirect.
"""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.pages.requests import MemberRequest
from workspace.discussion.models import Comment
from workspace.discussion.selectors.comments import (
    comment_or_404,
    comment_view,
    comments_of,
    comments_version,
    is_early,
)
from workspace.discussion.services.comments import MAX_TEXT, NOT_YOURS, comment_create, comment_delete, comment_edit
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
            comment = comment_create(subject=subject, author=request.user, text=text, site=site)
        except ValidationError as error:
            answer = _section if request.htmx else _form_page
            return answer(request, subject, text, error.messages[0])
        return (
            _section(request, subject) if request.htmx else redirect(f"{subject.discussion_url}#comment-{comment.pk}")
        )
    if not request.htmx:
        return redirect(subject.discussion_url)
    if "version" in request.GET and request.GET["version"] == comments_version(subject):
        return HttpResponse(status=204)
    everything = request.GET.get("comments") == "all"
    comment_list = comments_of(subject=subject, reader=request.membership, everything=everything)
    return render(
        request,
        "workspace/discussion/_comment_list.html",
        {"comments": comment_list, "everything": everything, "live": True},
    )


def _section(request: MemberRequest, subject: Subject, text: str = "", error: str = "") -> HttpResponse:
    comment_list = comments_of(subject=subject, reader=request.membership)
    context = {"comments": comment_list, "text": text, "error": error, "most": MAX_TEXT, "live": True}
    return render(request, "workspace/discussion/_comments.html", context, status=422 if error else 200)


def _form_page(
    request: MemberRequest, subject: Subject, text: str, error: str = "", comment: Comment | None = None
) -> HttpResponse:
    context = {"subject": subject, "comment": comment, "text": text, "error": error, "most": MAX_TEXT}
    return render(request, "workspace/discussion/comment_form.html", context, status=422 if error else 200)


@vary_on_headers("HX-Request")
@require_GET
def comment(request: MemberRequest, comment_id: int) -> HttpResponse:
    """One comment for htmx; otherwise a redirect to it on the page of its subject."""
    comment = comment_or_404(organization=request.organization, comment_id=comment_id)
    if request.htmx:
        return _comment_fragment(request, comment)
    return redirect(address_of(comment))


def address_of(comment: Comment) -> str:
    """The URL of a comment, with the earlier comments shown if it is one of them."""
    url = comment.subject.discussion_url
    if is_early(comment):
        url += ("&" if "?" in url else "?") + "comments=all"
    return f"{url}#comment-{comment.pk}"


def _comment_fragment(request: MemberRequest, comment: Comment) -> HttpResponse:
    context = {"comment": comment_view(comment, request.membership), "subject": comment.subject}
    return render(request, "workspace/discussion/_comment.html", context)


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, comment_id: int) -> HttpResponse:
    comment = comment_or_404(organization=request.organization, comment_id=comment_id)
    if comment.author_id != request.user.pk:
        raise PermissionDenied(NOT_YOURS)
    if request.method == "GET":
        return _editor(request, comment, comment.text)
    text = request.POST.get("text", "")
    try:
        comment_edit(comment=comment, user=request.user, text=text, site=request.build_absolute_uri("/"))
    except ValidationError as error:
        return _editor(request, comment, text, error.messages[0])
    return _comment_fragment(request, comment) if request.htmx else redirect(address_of(comment))


def _editor(request: MemberRequest, comment: Comment, text: str, error: str = "") -> HttpResponse:
    if not request.htmx:
        return _form_page(request, comment.subject, text, error, comment)
    context = {"comment": comment, "subject": comment.subject, "text": text, "error": error, "most": MAX_TEXT}
    return render(request, "workspace/discussion/_comment_edit.html", context, status=422 if error else 200)


@require_POST
def delete(request: MemberRequest, comment_id: int) -> HttpResponse:
    comment = comment_or_404(organization=request.organization, comment_id=comment_id)
    comment_delete(comment=comment, actor=request.membership)
    if request.htmx:
        return _section(request, comment.subject)
    messages.success(request, "Deleted the comment.")
    return redirect(comment.subject.discussion_url)
