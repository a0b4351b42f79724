"""The exports page and its files."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import Action
from accounts.pages.downloads import download, text_download
from accounts.pages.requests import MemberRequest
from accounts.services.audit import audit_record
from infrastructure.text.formats import counted
from runs.selectors.experiments import experiment_or_404, run_or_404
from workspace.transfer.forms.exports import ExportForm
from workspace.transfer.writing import csv_lines, jsonl_lines
from workspace.transfer.writing.inspect_log import inspect_log
from workspace.transfer.writing.selection import Selection, extent

FORMS = {"jsonl": (jsonl_lines, "application/jsonl"), "csv": (csv_lines, "text/csv")}


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
    """The runs of the query string. Answers 400 with sentences if it cannot be read."""
    export_form = ExportForm(request.GET, organization=request.organization)
    if not export_form.is_valid():
        sentences = [
            f"{export_form[name].label}: {' '.join(map(str, errors))}" for name, errors in export_form.errors.items()
        ]
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
    """The runs of a selection, with an entry in the audit log unless it is one run."""
    lines, content_type = FORMS[form]
    if request.method != "HEAD" and not selection.run:
        subject = f"{selection.file_stem}.{form}: {counted(extent(selection)['runs'], 'run,runs')}"
        audit_record(
            organization=request.organization, actor=request.user, action=Action.RUNS_EXPORTED, subject=subject
        )
    return text_download(request, f"{selection.file_stem}.{form}", content_type, lines(selection.runs()))
