"""Pages of an import: upload, progress, preview, storing."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed
from workspace.transfer.forms.imports import StoreForm, UploadForm
from workspace.transfer.models import ImportUpload
from workspace.transfer.selectors.imports import preview_of, progress_of, upload_or_404, uploads
from workspace.transfer.services.uploads import upload_create, upload_discard, upload_store


@editor_required
@require_http_methods(["GET", "POST"])
def upload(request: MemberRequest) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        try:
            kept = upload_create(organization=request.organization, user=request.user, file=form.cleaned_data["file"])
        except ValidationError as error:
            form.add_error(None if "file" not in error.message_dict else "file", error.message_dict["file"])
        else:
            return redirect("transfer:import-preview", kept.pk)
    mine = uploads(organization=request.organization, user=request.user)
    status = 422 if form.is_bound else 200
    return render(request, "workspace/transfer/import.html", {"form": form, "uploads": mine}, status=status)


@editor_required
@require_safe
def preview(request: MemberRequest, upload_id: int) -> HttpResponse:
    """The state of an upload; after reading also its logs."""
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    return render(request, "workspace/transfer/import_preview.html", _live(kept))


@editor_required
@require_safe
def live(request: MemberRequest, upload_id: int) -> HttpResponse:
    """The live part of the page; 204 if nothing changed since the given version."""
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    context = _live(kept)
    if request.GET.get("version") == context["progress"]["version"]:
        return HttpResponse(status=204)
    return render(request, "workspace/transfer/_import_live.html", context)


def _live(kept: ImportUpload) -> dict[str, Any]:
    context: dict[str, Any] = {"upload": kept, "progress": progress_of(kept)}
    if kept.state in ("read", "stored"):
        context |= {"preview": preview_of(kept), "form": StoreForm(initial={"name": f"Imported from {kept.name}"})}
    return context


@editor_required
@require_POST
def store(request: MemberRequest, upload_id: int) -> HttpResponse:
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    try:
        upload_store(upload=kept, name=typed(request.POST, "name"))
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("transfer:import-preview", kept.pk)


@editor_required
@require_POST
def discard(request: MemberRequest, upload_id: int) -> HttpResponse:
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    if not upload_discard(upload=kept):
        messages.error(request, "It was stored before it could be stopped. To undo the import, delete its experiment.")
        return redirect("transfer:import-preview", kept.pk)
    messages.success(request, f"Let go of {kept.name}. Nothing was stored.")
    return redirect("transfer:import")
