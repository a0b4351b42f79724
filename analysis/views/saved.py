"""Saved leaderboards: the list, one of them, and what editors do to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import take_errors
from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from analysis.base.forms import FilterForm, offer_tags
from analysis.hooks import links_to
from analysis.kinds import filter_form, hidden_by, type_of
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import VIEW, as_query, from_json
from analysis.saved.forms import BoardForm
from analysis.saved.selectors import facts_of, leaderboard_or_404, pinned_boards, saved_board, saved_page
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
    """The table and figures of the stored filters. The query can only sort and choose what charts show."""
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    base, chosen = (from_json(found.kind, found.filters, view) for view in (None, request.GET))
    shown = saved_board(organization=request.organization, chosen=chosen, links=type_of(chosen).links(chosen, base))
    context: dict[str, Any] = {
        "saved": found,
        "filter": chosen,
        "board": shown.board,
        "page": shown.page,
        "facts": facts_of(found, shown),
        "hidden": hidden_by(organization=request.organization, chosen=chosen),
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
    """Save the filters of a page, which can be changed in the form."""
    posted = request.method == "POST"
    data = request.POST if posted else request.GET
    kind = data.get("kind", "")
    if kind not in BoardKind.values:
        raise Http404("There is no such kind of leaderboard.")
    form, filters = BoardForm(data if posted else None), filter_form(request.organization, kind, data)

    def create(**values: Any) -> Leaderboard:
        return leaderboard_create(organization=request.organization, user=request.user, kind=kind, **values)

    return _saved(request, form, filters, create, "Saved") or _form_page(request, form, filters, kind, None)


@editor_required
@require_http_methods(["GET", "POST"])
def board_edit(request: MemberRequest, board_id: int) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    posted = request.method == "POST"
    initial = {"name": found.name, "description": found.description}
    form = BoardForm(request.POST if posted else None, initial=initial)
    data = request.POST if posted else as_query(found.filters)
    filters = filter_form(request.organization, found.kind, data, found.filters)

    def change(**values: Any) -> Leaderboard:
        leaderboard_change(leaderboard=found, user=request.user, **values)
        return found

    answer = _saved(request, form, filters, change, "Changed")
    if answer is None:
        found.name = initial["name"]
    return answer or _form_page(request, form, filters, found.kind, found)


def _saved(
    request: MemberRequest, form: BoardForm, filters: FilterForm[Any], save: Callable[..., Leaderboard], done: str
) -> HttpResponse | None:
    """Save what was posted and redirect to the leaderboard; None on errors and for a GET request."""
    if request.method != "POST" or not form.is_valid() & filters.is_valid():
        return None
    try:
        saved = save(filters=filters.chosen(), **form.cleaned_data)
    except ValidationError as error:
        take_errors(form, error)
        return None
    messages.success(request, f"{done} {saved.name}.")
    return redirect("analysis:board", saved.pk)


def _form_page(
    request: MemberRequest, form: BoardForm, filters: FilterForm[Any], kind: str, saved: Leaderboard | None
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
    return render(request, "analysis/board_form.html", context, status=422 if request.method == "POST" else 200)


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
        told = "is now on the home page" if pinned else "is no longer on the home page"
        messages.success(request, f"{found.name} {told}.")
    return redirect("analysis:board", found.pk)


@editor_required
@require_POST
def board_move(request: MemberRequest, board_id: int, up: bool) -> HttpResponse:
    found = leaderboard_or_404(organization=request.organization, board_id=board_id)
    leaderboard_move(leaderboard=found, up=up)
    return redirect("home")
