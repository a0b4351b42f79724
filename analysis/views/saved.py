"""Saved leaderboards: the list, one leaderboard, and what editors can do with it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, report_deleted, take_errors, typed
from analysis.base.leaderboard import member_links
from analysis.comparing.comparison import MOST_AGENTS
from analysis.cost.panel import cost_panel
from analysis.forms import NAME_AGENTS, FilterForm, as_query, filter_form, offer_tags
from analysis.models import Leaderboard
from analysis.saved import services
from analysis.saved.kinds import CHOICES, KINDS, VIEW, from_json
from analysis.saved.selectors import facts_of, home_leaderboard, leaderboard_or_404, saved_page
from games.registry import LITMUS_CHARTS
from runs.models import Run, RunState
from workspace.discussion.selectors.tags import offered_tags


class LeaderboardForm(forms.Form):
    """The form of a leaderboard's name and description. Its filters are in the form of its page."""

    name = forms.CharField(
        max_length=services.MAX_NAME,
        error_messages={
            "required": "Give the leaderboard a name.",
            "max_length": f"A name has at most {services.MAX_NAME} characters.",
        },
    )
    description = forms.CharField(
        max_length=services.MAX_DESCRIPTION,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="what it shows and for whom; members and people with a link read it",
        error_messages={"max_length": f"A description has at most {services.MAX_DESCRIPTION:,} characters."},
    )


@require_GET
def leaderboards(request: MemberRequest) -> HttpResponse:
    query = {key: typed(request.GET, key) for key in ("text", "kind", "sort")}
    sort = query["sort"] or "-made"
    page = saved_page(
        organization=request.organization,
        text=query["text"],
        kind=query["kind"],
        sort=sort,
        page=request.GET.get("page"),
    )
    filtered = bool(query["text"] or query["kind"])
    context = {"page": page, "query": query, "sort": sort, "kinds": CHOICES, "filtered": filtered}
    return render(request, "analysis/saved_leaderboards.html", context)


@require_GET
def saved_leaderboard_page(request: MemberRequest, leaderboard_id: int) -> HttpResponse:
    """The table and figures of the stored filters. The query string can only sort and choose what the charts show."""
    saved = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    base, run_filter = (from_json(saved.kind, saved.filters, view) for view in (None, request.GET))
    kind = KINDS[saved.kind]
    content, page = kind.build(request.organization, run_filter, member_links(run_filter, base))
    context: dict[str, Any] = {
        "saved": saved,
        "kind": kind,
        "filter": run_filter,
        "leaderboard": content,
        "page": page,
        "facts": facts_of(saved, content),
        "hidden": kind.answer.hidden(request.organization, run_filter),
        "links": services.links_to(saved) if request.membership.may_edit else 0,
    }
    return render(request, "analysis/saved_leaderboard.html", context)


@require_GET
def pinned(request: MemberRequest) -> HttpResponse:
    """The part of the home page with the first rows of one leaderboard, and a litmus figure."""
    organization = request.organization
    board, others = home_leaderboard(organization=organization)
    pictured = Run.objects.filter(
        organization=organization, state=RunState.FINISHED, instance__environment=LITMUS_CHARTS["pareto"][0]
    )
    context = {
        "board": board,
        "others": others,
        "has_litmus": pictured.exists(),
        "cost": cost_panel(organization=organization),
    }
    return render(request, "analysis/_pinned.html", context)


@editor_required
@require_http_methods(["GET", "POST"])
def leaderboard_new(request: MemberRequest) -> HttpResponse:
    """Save the filters of a page; the form can still change them."""
    data = request.POST if request.method == "POST" else request.GET
    kind = data.get("kind", "")
    if kind not in KINDS:
        raise Http404("There is no such kind of leaderboard.")
    return _form_page(request, kind, filter_form(request.organization, KINDS[kind].answer.filter_class, data))


@editor_required
@require_http_methods(["GET", "POST"])
def leaderboard_edit(request: MemberRequest, leaderboard_id: int) -> HttpResponse:
    leaderboard = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    data = request.POST if request.method == "POST" else as_query(leaderboard.filters)
    return _form_page(
        request,
        leaderboard.kind,
        filter_form(request.organization, KINDS[leaderboard.kind].answer.filter_class, data, leaderboard.filters),
        saved=leaderboard,
    )


def _form_page(
    request: MemberRequest, kind: str, filters: FilterForm[Any], saved: Leaderboard | None = None
) -> HttpResponse:
    """The page of the form. If it was posted without errors, the leaderboard is saved and shown."""
    posted = request.method == "POST"
    initial = {"name": saved.name, "description": saved.description} if saved else None
    form = LeaderboardForm(request.POST if posted else None, initial=initial)
    names_agents = posted and filters.is_valid() and filters.filter_class.OF_NAMED_AGENTS
    if names_agents and not 2 <= len(filters.cleaned_data["agents"]) <= MOST_AGENTS:
        filters.add_error("agents", NAME_AGENTS)
    if posted and form.is_valid() & filters.is_valid():
        values: dict[str, Any] = {"user": request.user, "filters": filters.to_filter(), **form.cleaned_data}
        try:
            if saved:
                services.leaderboard_change(leaderboard=saved, **values)
            leaderboard = saved or services.leaderboard_create(organization=request.organization, kind=kind, **values)
        except ValidationError as error:
            take_errors(form, error)
            if saved:
                saved.name = form.initial["name"]
        else:
            messages.success(request, f"{'Changed' if saved else 'Saved'} {leaderboard.name}.")
            return redirect("analysis:saved-leaderboard", leaderboard.pk)
    offer_tags(filters, offered_tags(request.organization))
    hidden = {name: filters.data.get(name, "") for name in ("experiment", *VIEW[:1]) if name in filters.fields}
    context = {
        "form": form,
        "filters": filters,
        "heading": f"Change {saved.name}" if saved else KINDS[kind].form_title,
        "kind": KINDS[kind],
        "kind_name": kind,
        "saved": saved,
        "hidden": {name: value for name, value in hidden.items() if value},
        "links": services.links_to(saved) if saved else 0,
    }
    return render(request, "analysis/leaderboard_form.html", context, status=422 if posted else 200)


@editor_required
@require_POST
def leaderboard_duplicate(request: MemberRequest, leaderboard_id: int) -> HttpResponse:
    leaderboard = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    duplicate = services.leaderboard_duplicate(leaderboard=leaderboard, user=request.user)
    messages.success(request, f"Made {duplicate.name}.")
    return redirect("analysis:saved-leaderboard", duplicate.pk)


@editor_required
@require_POST
def leaderboard_delete(request: MemberRequest, leaderboard_id: int) -> HttpResponse:
    leaderboard = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    services.leaderboard_delete(leaderboard=leaderboard, user=request.user)
    report_deleted(request, f"Deleted {leaderboard.name}. The runs it showed are kept.", "leaderboard", leaderboard)
    return redirect("analysis:saved-leaderboards")


@editor_required
@require_POST
def leaderboard_pin(request: MemberRequest, leaderboard_id: int, pinned: bool) -> HttpResponse:
    leaderboard = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    try:
        services.leaderboard_pin(leaderboard=leaderboard, pinned=pinned)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        change = "is now on the home page" if pinned else "is no longer on the home page"
        messages.success(request, f"{leaderboard.name} {change}.")
    return redirect("analysis:saved-leaderboard", leaderboard.pk)


@editor_required
@require_POST
def leaderboard_up(request: MemberRequest, leaderboard_id: int) -> HttpResponse:
    leaderboard = leaderboard_or_404(organization=request.organization, leaderboard_id=leaderboard_id)
    services.leaderboard_move_up(leaderboard=leaderboard)
    return redirect("home")
