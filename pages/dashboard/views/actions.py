"""What views share: the row of an address, sent forms, a message with a redirect, polled fragments and JSON files."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from accounts.pages.requests import MemberRequest, submit
from runs.selectors.experiments import experiment_or_404, open_run_or_404, run_or_404


def with_row(name: str, load: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that passes a view the row whose id the address has as `NAME_id`.

    load: a selector that takes the organization and this id, and raises Http404
    """

    def decorator(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def wrapper(request: MemberRequest, **values: Any) -> Any:
            number = {f"{name}_id": int(values.pop(f"{name}_id"))}
            return view(request, load(organization=request.organization, **number), **values)

        return wrapper

    return decorator


of_experiment = with_row("experiment", experiment_or_404)
of_run = with_row("run", run_or_404)
of_open_run = with_row("run", open_run_or_404)


def saved(form: forms.Form, service: Callable[..., object], **values: Any) -> bool:
    """Whether the form is valid and the service took its values. Errors are added to the form."""
    submit(form, service, **values)
    return form.is_valid()


def done(request: MemberRequest, sentence: str, to: Any, *arguments: object) -> HttpResponse:
    """Report a change, and redirect."""
    messages.success(request, sentence)
    return redirect(to, *arguments)


def refused(request: MemberRequest, error: ValidationError | str, to: Any, *arguments: object) -> HttpResponse:
    """Report the first sentence of an error, and redirect."""
    messages.error(request, error if isinstance(error, str) else error.messages[0])
    return redirect(to, *arguments)


def live(request: MemberRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A fragment of a page that is polled; 204 if the reader has its `version` already."""
    if request.GET.get("version") == context["version"]:
        return HttpResponse(status=204)
    return render(request, template, context)


def json_file(values: dict[str, Any], name: str, indent: int) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(values, json_dumps_params={"indent": indent}, headers=headers)
