"""Imports: send an archive, look at what is in it, store it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from econevals_site.templatetags.formats import counted
from runs.forms.imports import StoreForm, UploadForm
from runs.selectors.imports import preview_of, upload_or_404
from runs.services.imports import upload_create, upload_discard, upload_store
from runs.views.guards import editor_required, typed


@editor_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return render(request, "runs/import.html", {"form": UploadForm()})
    form = UploadForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            kept = upload_create(organization=request.organization, user=request.user, file=form.cleaned_data["file"])
        except ValidationError as error:
            form.add_error(None if "file" not in error.message_dict else "file", error.message_dict["file"])
        else:
            return redirect("runs:import-preview", kept.pk)
    return render(request, "runs/import.html", {"form": form}, status=422)


@editor_required
@require_safe
def preview(request: HttpRequest, upload_id: int) -> HttpResponse:
    """What is in the archive, before anything is stored."""
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    form = StoreForm(initial={"name": f"Imported from {kept.name}"})
    return render(request, "runs/import_preview.html", {"upload": kept, "preview": preview_of(kept), "form": form})


@editor_required
@require_POST
def store(request: HttpRequest, upload_id: int) -> HttpResponse:
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    try:
        imported = upload_store(upload=kept, user=request.user, name=typed(request.POST, "name"))
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("runs:import-preview", kept.pk)
    if imported.experiment is None:
        messages.warning(request, "Nothing was stored: all of it was imported before or refused.")
        return redirect("runs:import")
    messages.success(request, f"Imported {counted(len(imported.stored), 'run,runs')}.")
    return redirect("runs:experiment", imported.experiment.pk)


@editor_required
@require_POST
def discard(request: HttpRequest, upload_id: int) -> HttpResponse:
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
    upload_discard(upload=kept)
    messages.success(request, f"Let go of {kept.name}. Nothing was stored.")
    return redirect("runs:import")
