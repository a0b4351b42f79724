"""Pages for owners: the gallery's title, text and entries, its preview, and the confirmation before it is opened."""

from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import owner_required
from accounts.pages.requests import MemberRequest, errors_shown, posted, submit
from sharing.gallery import services
from sharing.gallery.forms import ChangeForm, EntryForm, GalleryForm
from sharing.gallery.selectors import (
    entry_or_404,
    entry_rows,
    front_page_content,
    gallery_of,
    version_of,
)
from sharing.gallery.shown import Exhibit
from sharing.gallery.views.visitors import GONE
from sharing.views.visits import View, limited, quiet, site_of


@owner_required
@require_http_methods(["GET", "POST"])
def manage(request: MemberRequest) -> HttpResponse:
    gallery = gallery_of(request.organization)
    initial = {name: getattr(gallery, name) for name in GalleryForm.base_fields}
    form = GalleryForm(posted(request), initial=initial)
    if submit(form, services.gallery_save, actor=request.membership):
        messages.success(request, "Saved.")
        return redirect("gallery:manage")
    return _page(request, form, EntryForm(organization=request.organization))


@owner_required
@require_POST
def add(request: MemberRequest) -> HttpResponse:
    entry_form = EntryForm(request.POST, organization=request.organization)
    if entry := submit(entry_form, services.entry_add, actor=request.membership):
        messages.success(request, f"Added. Its address ends with {entry.slug}.")
        return redirect("gallery:manage")
    gallery = gallery_of(request.organization)
    form = GalleryForm(initial={name: getattr(gallery, name) for name in GalleryForm.base_fields})
    return _page(request, form, entry_form)


def _page(request: MemberRequest, form: GalleryForm, entry_form: EntryForm) -> HttpResponse:
    gallery = gallery_of(request.organization)
    rows = [(row, ChangeForm(row.entry)) for row in entry_rows(gallery)]
    context = {
        "gallery": gallery,
        "address": site_of(request) + reverse("gallery:gallery", args=[gallery.slug]),
        "rows": rows,
        "form": form,
        "entry_form": entry_form,
        "is_full": len(rows) >= services.MOST_ENTRIES,
    }
    status = 422 if form.errors or entry_form.errors else 200
    return render(request, "sharing/gallery/manage.html", context, status=status)


MOVES = {"up": -1, "down": 1}


@owner_required
@require_POST
def change(request: MemberRequest, entry_id: int) -> HttpResponse:
    """Move, remove or change an entry, as the button with the name `action` says."""
    entry = entry_or_404(organization=request.organization, entry_id=entry_id)
    action = request.POST.get("action", "")
    if action in MOVES:
        services.entry_move(actor=request.membership, entry=entry, step=MOVES[action])
    elif action == "remove":
        services.entry_remove(actor=request.membership, entry=entry)
        messages.success(request, "Removed from the gallery.")
    else:
        form = ChangeForm(entry, request.POST)
        if form.is_valid():
            services.entry_change(actor=request.membership, entry=entry, **form.cleaned_data)
            messages.success(request, "Saved.")
        else:
            messages.error(request, form["caption"].errors.as_text().removeprefix("* "))
    return redirect("gallery:manage")


@owner_required
@require_http_methods(["GET", "POST"])
def confirm(request: MemberRequest) -> HttpResponse:
    """List what becomes visible, and open the gallery if the list was confirmed."""
    if request.method == "POST":
        with errors_shown(request):
            services.gallery_open(actor=request.membership, version=request.POST.get("version", ""))
            messages.success(request, "The gallery is open to the public.")
            return redirect("gallery:manage")
    gallery = gallery_of(request.organization)
    rows = entry_rows(gallery)
    context = {
        "gallery": gallery,
        "address": site_of(request) + reverse("gallery:gallery", args=[gallery.slug]),
        "rows": rows,
        "front_page": front_page_content(gallery),
        "version": version_of(gallery, rows),
    }
    return render(request, "sharing/gallery/confirm.html", context, status=422 if request.method == "POST" else 200)


@owner_required
@require_POST
def close(request: MemberRequest) -> HttpResponse:
    services.gallery_close(actor=request.membership)
    messages.success(request, "The gallery is closed. Its pages and pictures no longer work.")
    return redirect("gallery:manage")


def previewed(view: View) -> View:
    """Decorator that calls the view with the Exhibit of the organization's gallery, open or not."""

    @owner_required
    @require_safe
    @wraps(view)
    def answered(request: MemberRequest, **values: Any) -> HttpResponse:
        exhibit = Exhibit(gallery_of(request.organization), reverse("gallery:preview"), site_of(request))
        return limited(
            f"gallery-preview:{request.organization.pk}",
            GONE,
            lambda: quiet(view(request, exhibit, **values), is_public=False),
        )

    return answered
