"""The search over notes and transcripts."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.pages.requests import MemberRequest
from analysis.notes.forms import SearchForm
from analysis.notes.search.selectors import index_state, search
from analysis.notes.search.words import MOST_TERMS
from runs.selectors.experiments import run_or_404, run_title


@require_safe
def search_page(request: MemberRequest) -> HttpResponse:
    form = SearchForm(request.GET, request.organization)
    search_filter = form.search_filter()
    if request.GET.get("run") and search_filter.run is None:
        raise Http404("There is no such run.")
    within = run_or_404(organization=request.organization, run_id=search_filter.run) if search_filter.run else None
    results = search(organization=request.organization, search_filter=search_filter, page=request.GET.get("page"))
    context = {
        "form": form,
        "search_filter": search_filter,
        "results": results,
        "within": within,
        "everywhere": urlencode({"q": search_filter.typed}),
        "title": run_title(within) if within else "",
        "index_state": index_state(organization=request.organization),
        "most_terms": MOST_TERMS,
    }
    return render(request, "analysis/notes/search.html", context)
