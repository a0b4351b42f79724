"""The exports page and its files, and the pages of an import: upload, progress, preview, storing."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.models import Action
from accounts.pages.downloads import download, text_download
from accounts.pages.requests import MemberRequest, submit, typed
from accounts.services.audit import audit_record
from infrastructure.text.formats import counted
from runs.selectors.experiments import experiment_or_404, run_or_404
from workspace.transfer.forms import ExportForm, StoreForm, UploadForm
from workspace.transfer.selectors import preview_of, progress_of, upload_or_404, uploads
from workspace.transfer.services.uploads import upload_create, upload_discard, upload_store
from workspace.transfer.writing import records
from workspace.transfer.writing.inspect_log import inspect_log
from workspace.transfer.writing.selection import Selection, extent

FORMS = {"jsonl": (records.jsonl_lines, "application/jsonl"), "csv": (records.csv_lines, "text/csv")}


@require_safe
def exports(request: MemberRequest) -> HttpResponse:
    form = ExportForm(request.GET, organization=request.organization)
    context: dict[str, Any] = {"form": form, "experiment": None, "extent": None}
    if form.is_valid():
        selection = form.selection()
        context |= {"selection": selection, "extent": extent(selection)}
        if selection.experiment:
            context["experiment"] = experiment_or_404(
                organization=request.organization, experiment_id=selection.experiment
            )
    return render(request, "workspace/transfer/exports.html", context)


@require_safe
def runs_file(request: MemberRequest, form: str) -> HttpResponseBase:
    """A file of the runs that the query string selects. Answers 400 with error texts if the query is invalid."""
    export_form = ExportForm(request.GET, organization=request.organization)
    if not export_form.is_valid():
        sentences = (
            f"{export_form[name].label}: {' '.join(map(str, errors))}" for name, errors in export_form.errors.items()
        )
        return HttpResponse("\n".join(sentences), status=400, content_type="text/plain; charset=utf-8")
    selection = export_form.selection()
    if selection.experiment:
        experiment_or_404(organization=request.organization, experiment_id=selection.experiment)
    return send_file(request, selection, form)


@require_safe
def run_file(request: MemberRequest, run_id: int, form: str) -> HttpResponseBase:
    run = run_or_404(organization=request.organization, run_id=run_id)
    if form == "eval":
        return download(request, f"run-{run.pk}.eval", "application/zip", inspect_log(run))
    return send_file(request, Selection(request.organization, run=run.pk), form)


def send_file(request: MemberRequest, selection: Selection, form: str) -> HttpResponseBase:
    """A file of the selected runs. An entry in the audit log is written, unless it is a single run."""
    lines, content_type = FORMS[form]
    if request.method != "HEAD" and not selection.run:
        audit_record(
            organization=request.organization,
            actor=request.user,
            action=Action.RUNS_EXPORTED,
            subject=f"{selection.file_stem}.{form}: {counted(extent(selection)['runs'], 'run,runs')}",
        )
    return text_download(request, f"{selection.file_stem}.{form}", content_type, lines(selection.runs()))


@editor_required
@require_http_methods(["GET", "POST"])
def upload(request: MemberRequest) -> HttpResponse:
    sender: dict[str, Any] = {"organization": request.organization, "user": request.user}
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if kept := submit(form, upload_create, **sender):
        return redirect("transfer:import-preview", kept.pk)
    return render(
        request,
        "workspace/transfer/import.html",
        {"form": form, "uploads": uploads(**sender)},
        status=422 if form.is_bound else 200,
    )


@editor_required
@require_safe
def preview(request: MemberRequest, upload_id: int) -> HttpResponse:
    """The state of an upload; after reading, also its logs."""
    return render(request, "workspace/transfer/import_preview.html", _live(request, upload_id))


@editor_required
@require_safe
def live(request: MemberRequest, upload_id: int) -> HttpResponse:
    """The live part of the page; 204 if nothing changed since the given version."""
    context = _live(request, upload_id)
    if request.GET.get("version") == context["progress"]["version"]:
        return HttpResponse(status=204)
    return render(request, "workspace/transfer/_import_live.html", context)


def _live(request: MemberRequest, upload_id: int) -> dict[str, Any]:
    kept = upload_or_404(organization=request.organization, user=request.user, upload_id=upload_id)
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
