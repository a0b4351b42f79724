"""Pages for members: the list of the organization's links, and the dialog that makes links to a thing."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, submit, typed
from sharing.forms import ShareForm
from sharing.kinds import KINDS, title_of
from sharing.models import ShareLink
from sharing.selectors import STATES, link_or_404, links_page, live_links
from sharing.services import share_link_create, share_link_revoke
from sharing.shown.heights import embed_height
from sharing.views.content import first_page
from sharing.views.visits import Visit, site_of


@require_GET
def links(request: MemberRequest) -> HttpResponse:
    filters = {key: typed(request.GET, key) for key in ("state", "sort")}
    sort = filters["sort"] or "-made"
    page = links_page(
        organization=request.organization, state=filters["state"], sort=sort, page=request.GET.get("page")
    )
    context = {"page": page, "filters": filters, "sort": sort, "states": STATES}
    return render(request, "sharing/links.html", context)


@editor_required
@never_cache
@require_http_methods(["GET", "POST"])
def share(request: MemberRequest, kind: str, target_id: int) -> HttpResponse:
    """Show the form and the live links of a thing, and make a link. Only this response shows the address of a new link.

    The response is a dialog for htmx, otherwise a page.
    """
    if kind not in KINDS:
        raise Http404("There is nothing of this kind to share.")
    shared = KINDS[kind]
    target = shared.find(request.organization, target_id)
    posted = request.method == "POST"
    form = ShareForm(
        request.POST if posted else None,
        figures=shared.figures(target),
        notes=shared.notes,
        public=request.membership.may_manage,
    )
    context = {
        "form": form,
        "kind": kind,
        "target": target.pk,
        "name": shared.title(target),
        "content": shared.content,
        "refusal": shared.refusal(target),
        "back": reverse(shared.page, args=[target.pk]),
        "links": live_links(target),
    }
    if made := submit(form, share_link_create, actor=request.membership, target=target):
        link, token = made
        address = request.build_absolute_uri(reverse("sharing:shared", args=[token]))
        frame = request.build_absolute_uri(reverse("sharing:share-embed", args=[token]))
        snippet = _frame_code(request, link, reverse("sharing:shared", args=[token]), frame)
        context |= {"made": link, "address": address, "snippet": snippet}
    # htmx does not show error responses, so it gets status 200.
    status = 422 if form.errors and not request.htmx else 200
    return render(request, f"sharing/{'_share' if request.htmx else 'share'}.html", context, status=status)


def _frame_code(request: MemberRequest, link: ShareLink, base: str, address: str) -> str:
    """HTML for pages of other sites. Our page escapes it once more, so that people copy valid HTML."""
    embedded = first_page(request, Visit(link, base, site_of(request), link.is_public), embedded=True)
    height, title = embed_height(embedded.content.decode()), escape(title_of(link))
    return (
        f'<iframe src="{address}?theme=light" title="{title}" width="100%" height="{height}" loading="lazy"></iframe>'
    )


@editor_required
@require_POST
def revoke(request: MemberRequest, link_id: int) -> HttpResponse:
    link = link_or_404(organization=request.organization, link_id=link_id)
    ended = share_link_revoke(actor=request.membership, link=link)
    sentence = f"The link …{link.last_four} is revoked. It no longer works."
    messages.success(request, sentence if ended else f"The link …{link.last_four} had already ended.")
    return redirect("sharing:links")
