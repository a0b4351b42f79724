"""Pages of one person: stars, and the comments that mention them."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.middleware import SESSION_KEY
from accounts.pages.requests import MemberRequest
from infrastructure.text.formats import counted
from workspace.discussion.selectors.personal import (
    mention_or_404,
    mention_page,
    people_to_mention,
    starred_page,
    unread_mentions,
)
from workspace.discussion.services.personal import mention_read, mentions_read, star_set
from workspace.discussion.views.comments import address_of
from workspace.discussion.views.subjects import deleted_is_404, subject_or_404


@require_POST
@deleted_is_404
def star(request: MemberRequest, **subject_ids: int) -> HttpResponse:
    """Set or remove the star according to `starred`, so that a repeated click changes nothing."""
    subject = subject_or_404(request, **subject_ids)
    starred = request.POST.get("starred") == "1"
    star_set(subject=subject, user=request.user, starred=starred)
    if request.htmx:
        context = {"star_url": subject.star_url, "slug": subject.slug, "starred": starred}
        context["brief"] = "brief" in request.POST
        return render(request, "workspace/discussion/_star.html", context)
    return redirect(subject.url)


@require_GET
def starred(request: MemberRequest) -> HttpResponse:
    page = starred_page(organization=request.organization, user=request.user, page=request.GET.get("page"))
    return render(request, "workspace/discussion/starred.html", {"page": page})


@require_GET
def mentions(request: MemberRequest) -> HttpResponse:
    page = mention_page(organization=request.organization, user=request.user, page=request.GET.get("page"))
    unread = unread_mentions(organization=request.organization, user=request.user)
    return render(request, "workspace/discussion/mentions.html", {"page": page, "unread": unread})


@require_GET
@never_cache
def mention(request: MemberRequest, mention_id: int) -> HttpResponse:
    """Mark the mention as read, switch to its organization, and redirect to the comment."""
    mention = mention_or_404(memberships=request.memberships, user=request.user, mention_id=mention_id)
    mention_read(mention=mention)
    request.session[SESSION_KEY] = mention.organization_id
    return redirect(address_of(mention.comment))


@require_POST
def read_all(request: MemberRequest) -> HttpResponse:
    number = mentions_read(organization=request.organization, user=request.user)
    messages.success(request, f"Marked {counted(number, 'mention,mentions')} as read.")
    return redirect("discussion:mentions")


@require_GET
@never_cache
def people(request: MemberRequest) -> JsonResponse:
    """The members that a comment can mention, for suggestions while typing."""
    return JsonResponse({"people": people_to_mention(request.organization)})
