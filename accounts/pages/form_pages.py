"""Pages that hold one form, and a service's errors at its fields."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def form_page(
    request: HttpRequest, form: forms.Form, title: str, lead: str, button: str, second_button: str = ""
) -> HttpResponse:
    """second_button: the label of a button that sends `list` with the form, if any."""
    context = {"form": form, "title": title, "lead": lead, "button": button, "second_button": second_button}
    return render(request, "parts/form_page.html", context, status=422 if form.is_bound else 200)


def take_errors(form: forms.Form, error: ValidationError) -> None:
    for field, sentences in error.message_dict.items():
        form.add_error(field if field in form.fields else None, sentences)
