"""Saved views of the lists of runs."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.pages.requests import MemberRequest, report_deleted, submit
from pages.dashboard.forms.run_views import RunViewForm
from pages.dashboard.models import RunView
from pages.dashboard.selectors.runs.views import list_query, removable, run_view_or_404
from pages.dashboard.services import run_view_change, run_view_delete, run_view_save
from pages.dashboard.views.responses import back


@require_http_methods(["GET", "POST"])
def view_new(request: MemberRequest) -> HttpResponse:
    """Save the filters, order and columns of the address under a name."""
    query = list_query(request.GET)
    form = RunViewForm(request.POST if request.method == "POST" else None)
    values = {"organization": request.organization, "user": request.user, "query": query}
    if view := submit(form, run_view_save, **values):
        messages.success(request, f"Saved the view {view.name}.")
        return redirect(f"{back(request.GET)}?{query}")
    return _page(request, form, query)


@require_http_methods(["GET", "POST"])
def view_edit(request: MemberRequest, view_id: int) -> HttpResponse:
    view = run_view_or_404(member=request.membership, view_id=view_id)
    name = view.name
    initial = {"name": name, "is_shared": view.is_shared}
    form = RunViewForm(request.POST if request.method == "POST" else None, initial=initial)
    submit(form, run_view_change, view=view)
    if form.is_valid():
        messages.success(request, f"Saved the view {view.name}.")
        return redirect(f"{back(request.GET)}?{view.query}")
    view.name = name
    return _page(request, form, view.query, view)


def _page(request: MemberRequest, form: RunViewForm, query: str, view: RunView | None = None) -> HttpResponse:
    context = {
        "form": form,
        "view": view,
        "back": f"{back(request.GET)}?{query}",
        "labels": [label for label, _ in removable(query)],
    }
    return render(request, "pages/dashboard/run_view.html", context, status=422 if form.is_bound else 200)


@require_POST
def view_delete(request: MemberRequest, view_id: int) -> HttpResponse:
    view = run_view_or_404(member=request.membership, view_id=view_id)
    run_view_delete(view=view, actor=request.user)
    report_deleted(request, f"Deleted the view {view.name}.", "view", view)
    return redirect("dashboard:runs")
