"""Comments on runs and periods: read, written, changed and deleted where they stand.

htmx gets the part that changed; without a script every address answers with a page or leads back to one.
"""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.pages.requests import MemberRequest
from discussion.models import Comment
from discussion.places import Place
from discussion.selectors.comments import comment_or_404, comment_view, comments_of, comments_version, is_early
from discussion.services import comment_create, comment_delete, comment_edit
from discussion.services.comments import MAX_TEXT, NOT_YOURS
from discussion.views.places import gone_is_404, place_or_404


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "POST"])
@gone_is_404
def comments(request: MemberRequest, **where: int) -> HttpResponse:
    place = place_or_404(request, **where)
    if request.method == "POST":
        return _post(request, place)
    if not request.htmx:
        return redirect(place.talk_url)
    if "version" in request.GET and request.GET["version"] == comments_version(place):
        return HttpResponse(status=204)
    everything = request.GET.get("comments") == "all"
    found = comments_of(place=place, reader=request.membership, everything=everything)
    return render(request, "discussion/_comment_list.html", {"comments": found, "everything": everything, "live": True})


def _post(request: MemberRequest, place: Place) -> HttpResponse:
    text = request.POST.get("text", "")
    try:
        made = comment_create(place=place, author=request.user, text=text, site=_site(request))
    except ValidationError as error:
        return _refused(request, place, text, error.messages[0])
    if request.htmx:
        return _section(request, place)
    return redirect(f"{place.talk_url}#comment-{made.pk}")


def _refused(request: MemberRequest, place: Place, text: str, error: str) -> HttpResponse:
    """What was typed comes back with the sentence beside it."""
    if request.htmx:
        return _section(request, place, text, error)
    return _form_page(request, place, text, error)


def _section(request: MemberRequest, place: Place, text: str = "", error: str = "") -> HttpResponse:
    found = comments_of(place=place, reader=request.membership)
    context = {"comments": found, "text": text, "error": error, "most": MAX_TEXT, "live": True}
    return render(request, "discussion/_comments.html", context, status=422 if error else 200)


def _form_page(
    request: MemberRequest, place: Place, text: str, error: str = "", comment: Comment | None = None
) -> HttpResponse:
    context = {"place": place, "comment": comment, "text": text, "error": error, "most": MAX_TEXT}
    return render(request, "discussion/comment_form.html", context, status=422 if error else 200)


@vary_on_headers("HX-Request")
@require_GET
def comment(request: MemberRequest, comment_id: int) -> HttpResponse:
    """The comment alone for htmx; otherwise its place, with it in view."""
    found = comment_or_404(organization=request.organization, comment_id=comment_id)
    if request.htmx:
        return _one(request, found)
    return redirect(address_of(found))


def address_of(comment: Comment) -> str:
    """Where a comment stands, with the earlier ones shown if it is one of them."""
    url = Place(comment.run, comment.period_index).talk_url
    if is_early(comment):
        url += ("&" if "?" in url else "?") + "comments=all"
    return f"{url}#comment-{comment.pk}"


def _one(request: MemberRequest, comment: Comment) -> HttpResponse:
    place = Place(comment.run, comment.period_index)
    context = {"comment": comment_view(comment, request.membership), "place": place}
    return render(request, "discussion/_comment.html", context)


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, comment_id: int) -> HttpResponse:
    found = comment_or_404(organization=request.organization, comment_id=comment_id)
    if found.author_id != request.user.pk:
        raise PermissionDenied(NOT_YOURS)
    if request.method == "GET":
        return _editor(request, found, found.text)
    text = request.POST.get("text", "")
    try:
        comment_edit(comment=found, user=request.user, text=text, site=_site(request))
    except ValidationError as error:
        return _editor(request, found, text, error.messages[0])
    return _one(request, found) if request.htmx else redirect(address_of(found))


def _editor(request: MemberRequest, comment: Comment, text: str, error: str = "") -> HttpResponse:
    place = Place(comment.run, comment.period_index)
    if not request.htmx:
        return _form_page(request, place, text, error, comment)
    context = {"comment": comment, "place": place, "text": text, "error": error, "most": MAX_TEXT}
    return render(request, "discussion/_comment_edit.html", context, status=422 if error else 200)


@require_POST
def delete(request: MemberRequest, comment_id: int) -> HttpResponse:
    found = comment_or_404(organization=request.organization, comment_id=comment_id)
    place = Place(found.run, found.period_index)
    comment_delete(comment=found, actor=request.membership)
    if request.htmx:
        return _section(request, place)
    messages.success(request, "Deleted the comment.")
    return redirect(place.talk_url)


def _site(request: MemberRequest) -> str:
    return request.build_absolute_uri("/")
