"""Pages of questions: the list, a new one with its estimate, its progress, its answer and files of it."""

import hashlib
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, take_errors
from infrastructure.money import nano
from infrastructure.paging import TABLE_PAGE, paged
from infrastructure.text.csv_cells import byte_order_mark
from infrastructure.text.tables import FORMS
from workspace.questions import selectors, services
from workspace.questions.estimating import question_estimate
from workspace.questions.forms import QuestionForm
from workspace.questions.models import Question
from workspace.questions.selectors import question_or_404
from workspace.spending.forms import BudgetForm

NOT_SEEN = "Look at what it would read and cost, then ask."


@require_safe
def questions(request: MemberRequest) -> HttpResponse:
    rows = selectors.questions_of(organization=request.organization)
    page = paged(rows, TABLE_PAGE, request.GET.get("page"), lambda row: row)
    return render(request, "workspace/questions/questions.html", {"page": page})


@editor_required
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    """The form of a question with its estimate. Asking requires that the estimate of the same values was shown."""
    form = QuestionForm(request.POST if request.method == "POST" else request.GET, request.organization)
    is_valid = form.is_valid()
    context = _preview(form)
    if request.method == "POST" and is_valid:
        if request.POST.get("seen") != context["seen"]:
            form.add_error(None, NOT_SEEN)
        elif (asked_question := _ask(request, form)) is not None:
            return redirect("questions:question", asked_question.pk)
    status = 422 if request.method == "POST" else 200
    return render(request, "workspace/questions/new.html", context | {"form": form}, status=status)


def _ask(request: MemberRequest, form: QuestionForm) -> Question | None:
    values = {name: form.cleaned_data[name] for name in ("text", "runs", "sources", "agent")}
    budget_nano = nano(form.cleaned_data["budget"])
    try:
        return services.question_ask(
            organization=request.organization, user=request.user, budget_nano=budget_nano, **values
        )
    except ValidationError as error:
        take_errors(form, error)
        return None


def _preview(form: QuestionForm) -> dict[str, Any]:
    """The estimate of the form's values. seen: identifies the values that it was shown for"""
    runs, sources, agent = (form.cleaned_data.get(name) for name in ("runs", "sources", "agent"))
    estimate = question_estimate(runs, sources, agent) if runs and sources and agent else None
    values = ([run.pk for run in runs or ()], sources, agent and agent.pk, estimate and estimate.cost_nano)
    data: Any = form.data
    return {
        "runs": runs,
        "estimate": estimate,
        "seen": hashlib.sha256(repr(values).encode()).hexdigest()[:32],
        "sent": [(name, value) for name in form.fields for value in data.getlist(name) if value],
    }


@require_safe
def question(request: MemberRequest, question_id: int) -> HttpResponse:
    row = question_or_404(organization=request.organization, question_id=question_id)
    return render(request, "workspace/questions/question.html", _context(row))


@require_safe
def live(request: MemberRequest, question_id: int) -> HttpResponse:
    """The progress; 204 if nothing changed since the given version. When the question ends, the page is reloaded."""
    row = question_or_404(organization=request.organization, question_id=question_id)
    if not row.is_working:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = _context(row)
    if request.GET.get("version") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "workspace/questions/_progress.html", context)


def _context(row: Question) -> dict[str, Any]:
    bill = selectors.billed(row)
    context: dict[str, Any] = {"question": row, "bill": bill}
    if row.is_working:
        waiting = selectors.waiting_reason(row)
        return context | {"waiting": waiting, "version": selectors.version_of(row, bill["cost"])}
    if row.result_left is not None:
        context |= {
            "result": row.result_left,
            "findings": selectors.findings_of(row),
            "limits": selectors.limits_of(row, row.result_left),
        }
    return context | {"can_ask_again": selectors.can_ask_again(row), "again": selectors.again_query(row)}


@require_safe
def answer_file(request: MemberRequest, question_id: str, form: str) -> HttpResponse:
    row = question_or_404(organization=request.organization, question_id=int(question_id))
    if row.result_left is None:
        raise Http404("The question has no answer.")
    headers = {"Content-Disposition": f'attachment; filename="question-{row.pk}.{form}"'}
    if form == "json":
        return JsonResponse(selectors.question_json(row), json_dumps_params={"indent": 1}, headers=headers)
    _, content_type, written = FORMS["csv"]
    content = byte_order_mark(request.GET, content_type) + written(selectors.quotes_table(row))
    return HttpResponse(content, content_type=f"{content_type}; charset=utf-8", headers=headers)


@editor_required
@require_POST
def cancel(request: MemberRequest, question_id: int) -> HttpResponse:
    row = question_or_404(organization=request.organization, question_id=question_id)
    if not services.question_cancel(question=row):
        messages.error(request, "It had ended already.")
    return redirect("questions:question", row.pk)


@editor_required
@require_POST
def resume(request: MemberRequest, question_id: int) -> HttpResponse:
    row = question_or_404(organization=request.organization, question_id=question_id)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["budget"][0]))
    elif not services.question_resume(question=row, budget_nano=nano(form.cleaned_data["budget"])):
        messages.error(request, "There is nothing to ask again.")
    return redirect("questions:question", row.pk)


@editor_required
@require_POST
def delete(request: MemberRequest, question_id: int) -> HttpResponse:
    services.question_delete(question=question_or_404(organization=request.organization, question_id=question_id))
    messages.success(request, "Deleted the question.")
    return redirect("questions:questions")
