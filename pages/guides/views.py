"""The pages of the guides. Everybody may read them, since they contain only the project's own documents."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.guards import public
from pages.guides.collection import LONGEST_QUERY, METHODOLOGY, PARTS, guides, guides_by_name, search


@public
@require_safe
def guides_page(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    return render(
        request,
        "pages/guides/guides.html",
        {"groups": guides().items(), "query": query, "hits": search(guides_by_name().values(), query)},
    )


@public
@require_safe
def guide_page(request: HttpRequest, guide: str) -> HttpResponse:
    if guide in PARTS:
        return redirect("guides:methodology")
    if guide not in guides_by_name():
        raise Http404
    return render(request, "pages/guides/guide.html", {"guide": guides_by_name()[guide]})


@public
@require_safe
def methodology_page(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/guides/guide.html", {"guide": guides_by_name()[METHODOLOGY]})
