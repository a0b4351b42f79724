"""Saved leaderboards: the list, one of them, and what editors do to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import take_errors
from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from analysis.benchmark.forms import offer_tags
from analysis.benchmark.selectors import played_agents, played_lengths
from analysis.hooks import links_to
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import VIEW, AnyForm, as_query, filter_of, form_of, thaw
from analysis.saved.forms import BoardForm
from analysis.saved.selectors import (
    facts_of,
    hidden_of,
    leaderboard_or_404,
    links_of,
    pinned_boards,
    saved_board,
    saved_page,
)
from analysis.saved.services import (
    leaderboard_change,
    leaderboard_create,
    leaderboard_delete,
    leaderboard_duplicate,
    leaderboard_move,
    leaderboard_pin,
)
from discussion.selectors.tags import offered_tags


@require_GET
def boards(request: MemberRequest) -> HttpResponse:
    asked = {key: typed(request.GET, key) for key in ("text", "kind", "sort")}
    sort = asked["sort"] or "-made"
    page = saved_page(
        organization=request.organization,
        text=asked["text"],
        kind=asked["kind"],
        sort=sort,
        page=request.GET.get("page"),
    )
    filtered = bool(asked["text"] or asked["kind"])
    context = {"page": page, "asked": asked, "sort": sort, "kinds": BoardKind.choices, "filtered": filtered}
    return render(request, "analysis/boards.html", context)


@require_GET
def board(request: MemberRequest, board_id: int) -> HttpResponse:
    """Table and figures with exactly its filters; the address may only sort them and choose what is drawn."""
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    base, chosen = (thaw(found.kind, found.filters, view) for view in (None, request.GET))
    shown = saved_board(organization=request.organization, chosen=chosen, links=links_of(chosen, base))
    context: dict[str, Any] = {
        "saved": found,
        "filter": chosen,
        "board": shown.board,
        "page": shown.page,
        "facts": facts_of(found, shown),
        "hidden": hidden_of(organization=request.organization, chosen=chosen),
        "links": links_to(found) if request.membership.may_edit else 0,
    }
    return render(request, "analysis/board.html", context)


@require_GET
def pinned(request: MemberRequest) -> HttpResponse:
    """The pinned leaderboards as small tables, for the home page."""
    return render(request, "analysis/_pinned.html", {"pinned": pinned_boards(organization=request.organization)})


@editor_required
@require_http_methods(["GET", "POST"])
def board_new(request: MemberRequest) -> HttpResponse:
    """Save the filters of a page; they can still be changed here."""
    posted = request.method == "POST"
    data = request.POST if posted else request.GET
    kind = data.get("kind", "")
    if kind not in BoardKind.values:
        raise Http404("There is no such kind of leaderboard.")
    form, filters = BoardForm(data if posted else None), _filters(request, kind, data)
    if posted and form.is_valid() & filters.is_valid():
        try:
            made = leaderboard_create(
                organization=request.organization,
                user=request.user,
                kind=kind,
                filters=filter_of(filters),
                **form.cleaned_data,
            )
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"Saved {made.name}.")
            return redirect("analysis:board", made.pk)
    return _form_page(request, form, filters, kind, None, 422 if posted else 200)


@editor_required
@require_http_methods(["GET", "POST"])
def board_edit(request: MemberRequest, board_id: int) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    posted = request.method == "POST"
    initial = {"name": found.name, "description": found.description}
    form = BoardForm(request.POST if posted else None, initial=initial)
    data = request.POST if posted else as_query(found.filters)
    filters = _filters(request, found.kind, data, found)
    if posted and form.is_valid() & filters.is_valid():
        try:
            leaderboard_change(leaderboard=found, user=request.user, filters=filter_of(filters), **form.cleaned_data)
        except ValidationError as error:
            found.name = initial["name"]
            take_errors(form, error)
        else:
            messages.success(request, f"Changed {found.name}.")
            return redirect("analysis:board", found.pk)
    return _form_page(request, form, filters, found.kind, found, 422 if posted else 200)


def _filters(request: MemberRequest, kind: str, data: QueryDict, found: Leaderboard | None = None) -> AnyForm:
    """The form of the page; what a leaderboard has stored stays choosable, also where no run fits any more."""
    lengths, agents = (read(organization=request.organization) for read in (played_lengths, played_agents))
    stored = found.filters if found else {}
    known = {slug for slug, _ in agents}
    agents += [(slug, slug) for slug in stored.get("agents", ()) if slug not in known]
    return form_of(kind, data, [*lengths, *([stored["periods"]] if "periods" in stored else ())], agents)


def _form_page(
    request: MemberRequest, form: BoardForm, filters: AnyForm, kind: str, saved: Leaderboard | None, status: int
) -> HttpResponse:
    offer_tags(filters, offered_tags(request.organization))
    hidden = {name: filters.data.get(name, "") for name in ("experiment", *VIEW[:1])}
    context = {
        "form": form,
        "filters": filters,
        "kind": BoardKind(kind),
        "saved": saved,
        "hidden": {name: value for name, value in hidden.items() if value and name in filters.fields},
        "links": links_to(saved) if saved else 0,
    }
    return render(request, "analysis/board_form.html", context, status=status)


@editor_required
@require_POST
def board_duplicate(request: MemberRequest, board_id: int) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    made = leaderboard_duplicate(leaderboard=found, user=request.user)
    messages.success(request, f"Made {made.name}.")
    return redirect("analysis:board", made.pk)


@editor_required
@require_POST
def board_delete(request: MemberRequest, board_id: int) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    leaderboard_delete(leaderboard=found, user=request.user)
    messages.success(request, f"Deleted {found.name}. The runs it showed are kept.")
    return redirect("analysis:boards")


@editor_required
@require_POST
def board_pin(request: MemberRequest, board_id: int, pinned: bool) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    try:
        leaderboard_pin(leaderboard=found, pinned=pinned)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        told = "stands on the home page now" if pinned else "is not on the home page any more"
        messages.success(request, f"{found.name} {told}.")
    return redirect("analysis:board", found.pk)


@editor_required
@require_POST
def board_move(request: MemberRequest, board_id: int, up: bool) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    leaderboard_move(leaderboard=found, up=up)
    return redirect("home")
