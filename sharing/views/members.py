"""Links of the organization: the list, the dialog of a thing, making and revoking."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import take_errors
from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from sharing.forms import ShareForm
from sharing.kinds import KINDS, Target
from sharing.selectors import STATES, link_or_404, links_page, live_links
from sharing.services import share_link_create, share_link_revoke


@require_GET
def links(request: MemberRequest) -> HttpResponse:
    asked = {key: typed(request.GET, key) for key in ("state", "sort")}
    sort = asked["sort"] or "-made"
    page = links_page(organization=request.organization, state=asked["state"], sort=sort, page=request.GET.get("page"))
    context = {"page": page, "asked": asked, "sort": sort, "states": STATES}
    return render(request, "sharing/links.html", context)


@editor_required
@never_cache
@require_http_methods(["GET", "POST"])
def share(request: MemberRequest, kind: str, target_id: int) -> HttpResponse:
    """The form for a new link and the list of live links, in a dialog for htmx and else as a page.

    The address of a new link is shown only in the response that creates it.
    """
    if kind not in KINDS:
        raise Http404("There is nothing of this kind to share.")
    shared = KINDS[kind]
    target = shared.find(request.organization, target_id)
    posted = request.method == "POST"
    form = ShareForm(
        request.POST if posted else None,
        figures=shared.figures(target),
        notes=shared.has_notes,
        public=request.membership.may_manage,
    )
    made: dict[str, Any] = {}
    if form.is_valid():
        try:
            link, token = share_link_create(actor=request.membership, target=target, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            snippet = _snippet(request, token, shared.title(target))
            made = {"made": link, "address": _address(request, token), "snippet": snippet}
    return _panel(request, target, kind, form, made, 422 if form.errors else 200)


@editor_required
@require_POST
def revoke(request: MemberRequest, link_id: int) -> HttpResponse:
    link = link_or_404(organization=request.organization, link_id=link_id)
    ended = share_link_revoke(actor=request.membership, link=link)
    said = f"The link …{link.last_four} is revoked. It no longer works."
    messages.success(request, said if ended else f"The link …{link.last_four} had already ended.")
    return redirect("sharing:links")


def _address(request: MemberRequest, token: str, name: str = "shared") -> str:
    return request.build_absolute_uri(reverse(f"sharing:{name}", args=[token]))


def _snippet(request: MemberRequest, token: str, title: str) -> str:
    """HTML for a page of another site, as plain text."""
    address = f"{_address(request, token, 'share-embed')}?theme=light"
    # The page escapes this text once more, so that the copied text is valid HTML.
    return f'<iframe src="{address}" title="{escape(title)}" width="100%" height="480" loading="lazy"></iframe>'


def _panel(
    request: MemberRequest, target: Target, kind: str, form: ShareForm, made: dict[str, Any], status: int
) -> HttpResponse:
    context = {
        "form": form,
        "kind": kind,
        "target": target.pk,
        "name": KINDS[kind].title(target),
        "back": reverse(KINDS[kind].page, args=[target.pk]),
        "links": live_links(target),
        **made,
    }
    if request.htmx:
        # htmx does not show error responses, so this one has status 200.
        return render(request, "sharing/_share.html", context)
    return render(request, "sharing/share.html", context, status=status)
