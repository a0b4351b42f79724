"""Pages that hold one form, and a service's errors at its fields."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

Result = TypeVar("Result")


def form_page(
    request: HttpRequest, form: forms.Form, title: str, lead: str, button: str, second_button: str = ""
) -> HttpResponse:
    """second_button: the label of a button that sends `list` with the form, if any."""
    context = {"form": form, "title": title, "lead": lead, "button": button, "second_button": second_button}
    return render(request, "parts/form_page.html", context, status=422 if form.is_bound else 200)


def submit(form: forms.Form, service: Callable[..., Result], **values: Any) -> Result | None:
    """Call the service with the values of a valid form. Its ValidationError goes to the fields, and the form is invalid."""
    try:
        return service(**values, **form.cleaned_data) if form.is_valid() else None
    except ValidationError as error:
        take_errors(form, error)
        return None


def take_errors(form: forms.Form, error: ValidationError) -> None:
    """Add a service's errors to their fields."""
    by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    for field, sentences in by_field.items():
        form.add_error(field if field in form.fields else None, sentences)
