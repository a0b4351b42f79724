"""Pages of registrations: the list, the check and the launch of a file, one registration and its downloads."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.downloads import download
from accounts.pages.requests import MemberRequest, posted
from infrastructure.text.formats import counted
from pages.registrations.archive.writing import archive, archive_name
from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.file import STUDY_EXAMPLE, StudyFile, read_study
from pages.registrations.forms import ConfirmForm, StudyForm, encoded
from pages.registrations.models import Registration
from pages.registrations.report import registration_report
from pages.registrations.selectors import evidence_of, registration_or_404, registrations_of, states_of
from pages.registrations.services import CheckedStudy, launches_make, study_check, study_register
from pages.reports.views import send
from runs.launching.plan import LaunchError

PER_PAGE = 30
NOT_COMPLETE = "Answers, report and archive are made when every run has ended."


@require_GET
def registrations(request: MemberRequest) -> HttpResponse:
    rows = registrations_of(organization=request.organization)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    states = states_of(list(page.object_list))
    return render(request, "pages/registrations/registrations.html", {"page": page, "states": states})


@require_GET
def registration(request: MemberRequest, registration_id: int) -> HttpResponse:
    row = registration_or_404(organization=request.organization, registration_id=registration_id)
    (state,) = states_of([row])
    context: dict[str, Any] = {"state": state, "registration": row, "study": read_study(row.text.encode()).study}
    if state.is_complete:
        evidence = evidence_of(row)
        answers = answers_of(evidence)
        context |= {"answers": answers, "deviations": deviations_of(evidence, answers)}
    return render(request, "pages/registrations/registration.html", context)


@editor_required
@require_http_methods(["GET", "POST"])
def registration_new(request: MemberRequest) -> HttpResponse:
    """The form, and the check of what was sent. Nothing is stored."""
    files = request.FILES if request.method == "POST" else None
    form = StudyForm(posted(request), files, initial={"text": STUDY_EXAMPLE})
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        file: StudyFile = form.cleaned_data["study"]
        try:
            checked = study_check(file=file, organization=request.organization, user=request.user)
        except LaunchError as error:
            form.add_error(None, list(error.errors.values()))
        else:
            context |= {"checked": checked, "study": file.study, "content": encoded(file)}
    is_wrong = form.is_bound and "checked" not in context
    return render(request, "pages/registrations/new.html", context, status=422 if is_wrong else 200)


@editor_required
@require_POST
def registration_confirm(request: MemberRequest) -> HttpResponse:
    """Register the checked file and make its launches."""
    form = ConfirmForm(request.POST)
    try:
        if not form.is_valid():
            raise LaunchError({"content": " ".join(map(str, form.non_field_errors()))})
        organization, user = request.organization, request.user
        checked = study_check(file=form.cleaned_data["study"], organization=organization, user=user)
    except LaunchError as error:
        messages.error(request, str(error))
        return redirect("registrations:registration-new")
    return _launch(request, study_register(checked=checked, organization=organization, user=user), checked)


@editor_required
@require_POST
def registration_launch(request: MemberRequest, registration_id: int) -> HttpResponse:
    """Make the launches that were not made yet."""
    return _launch(request, registration_or_404(organization=request.organization, registration_id=registration_id))


def _launch(request: MemberRequest, row: Registration, checked: CheckedStudy | None = None) -> HttpResponse:
    try:
        experiments = launches_make(registration=row, user=request.user, checked=checked)
    except LaunchError as error:
        messages.error(request, f"The file is registered. A launch could not be made: {error}")
    else:
        made = counted(len(experiments), "launch,launches") if experiments else "Every launch"
        messages.success(request, f"Registered. {made} {'made' if experiments else 'was made before'}.")
    return redirect("registrations:registration", row.pk)


@require_safe
def study_file(request: MemberRequest, registration_id: int) -> HttpResponseBase:
    """The registered file, byte for byte."""
    row = registration_or_404(organization=request.organization, registration_id=registration_id)
    return download(request, f"study-{row.sha256[:12]}.yaml", "application/yaml", [row.text.encode()])


@require_safe
def report_file(request: MemberRequest, registration_id: int) -> HttpResponseBase:
    row = registration_or_404(organization=request.organization, registration_id=registration_id)
    if not states_of([row])[0].is_complete:
        messages.error(request, NOT_COMPLETE)
        return redirect("registrations:registration", row.pk)
    name = archive_name(row).replace(".zip", ".html")
    return send(request, registration_report(row, request.user.shown_name), name)


@require_safe
def archive_file(request: MemberRequest, registration_id: int) -> HttpResponseBase:
    row = registration_or_404(organization=request.organization, registration_id=registration_id)
    if not states_of([row])[0].is_complete:
        messages.error(request, NOT_COMPLETE)
        return redirect("registrations:registration", row.pk)
    return download(request, archive_name(row), "application/zip", archive(row))
