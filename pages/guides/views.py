"""The pages of the guides. Everybody may read them, since they contain only the project's own documents."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.guards import public
from pages.guides.collection import (
    METHODOLOGY,
    PARTS,
    address_of_definition,
    chapters,
    chapters_by_name,
    definition_html,
    definitions,
    guides,
    guides_by_name,
)
from pages.guides.search import LONGEST_QUERY, search


@public
@require_safe
def guides_page(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    return render(
        request,
        "pages/guides/guides.html",
        {"groups": guides().items(), "query": query, "documents": search(query)},
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
    """The list of all sections of the methodology, with the headings in them."""
    return render(
        request,
        "pages/guides/methodology.html",
        {"guide": guides_by_name()[METHODOLOGY], "parts": chapters().items()},
    )


@public
@require_safe
def methodology_section(request: HttpRequest, section: str) -> HttpResponse:
    if section not in chapters_by_name():
        raise Http404
    context = {"guide": chapters_by_name()[section], "is_methodology": True}
    return render(request, "pages/guides/guide.html", context)


@public
@require_safe
def definition(request: HttpRequest, anchor: str) -> HttpResponse:
    """The definition of a term, for the popover beside it."""
    if anchor not in definitions():
        raise Http404
    section, chapter = definitions()[anchor]
    context = {"section": section, "chapter": chapter, "address": address_of_definition(anchor)}
    return render(request, "pages/guides/_definition.html", context | {"html": definition_html(anchor)})
